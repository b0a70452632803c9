// The operator's settings for reading its own tables or views: the table of each part of the books, and the column of each
// field. Names no table by itself, and repeats no connection string.

import { SourceFailed } from '../port/source.ts';
import { PART_FIELDS, type TablePart } from './part-fields.ts';

/** A table or view, `schema.name`; or a select that gives the columns, for books that need a join or a conversion. */
export type Relation = { readonly relation: string } | { readonly select: string };

export interface PartMapping {
  readonly from: Relation;
  /** Column with the merchant's reference; compared as text is with that column's type. */
  readonly merchantColumn: string;
  /**
   * Field → column, for fields whose column is not the field's name in snake_case (`balanceAfter` → `balance_after`).
   * Null: there is no such column, and the field is null in every row.
   */
  readonly columns: Readonly<Record<string, string | null>>;
}

export interface PostgresSettings {
  /** `postgres://…`; the usual environment of PostgreSQL clients gives the rest. */
  readonly connectionString: string;
  /** Null: there are no profiles, and merchants are those that have a wallet or, without wallets, lines. */
  readonly merchants: PartMapping | null;
  readonly wallets: PartMapping | null;
  readonly entries: PartMapping;
  readonly operations: PartMapping;
  /** Zone of columns of type `timestamp`, which have none: `UTC`, `Africa/Abidjan`. Null: such columns are refused. */
  readonly timeZone: string | null;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
}

export const POSTGRES_DEFAULTS = {
  merchants: { from: { relation: 'merchants' }, merchantColumn: 'reference', columns: {} },
  wallets: { from: { relation: 'wallets' }, merchantColumn: 'merchant_reference', columns: {} },
  entries: { from: { relation: 'ledger_entries' }, merchantColumn: 'merchant_reference', columns: {} },
  operations: { from: { relation: 'operations' }, merchantColumn: 'merchant_reference', columns: {} },
  timeZone: null,
  connectTimeout: 10_000,
} as const satisfies Omit<PostgresSettings, 'connectionString'>;

/** Throws `SourceFailed` INVALID_SETTINGS naming the setting. */
export function checkPostgresSettings(settings: PostgresSettings): void {
  for (const part of ['merchants', 'wallets', 'entries', 'operations'] as const) {
    const mapping = settings[part];
    if (mapping !== null) checkMapping(part, mapping);
  }
}

function checkMapping(part: TablePart, mapping: PartMapping): void {
  if ('select' in mapping.from && /;\s*$/.test(mapping.from.select)) {
    throw invalidSettings(`${part}.from.select must not end in ';'`);
  }
  if ('relation' in mapping.from && !/^[^.\0]+(\.[^.\0]+)?$/.test(mapping.from.relation)) {
    throw invalidSettings(`${part}.from.relation must be a name or schema.name`);
  }
  for (const [field, column] of Object.entries(mapping.columns)) {
    const known = PART_FIELDS[part].find(({ name }) => name === field);
    if (known === undefined) throw invalidSettings(`${part}.columns names '${field}', which is no field of ${part}`);
    if (column === null && !known.isOptional)
      throw invalidSettings(`${part}.columns must give a column for '${field}'`);
  }
}

export function invalidSettings(why: string): SourceFailed {
  return new SourceFailed('INVALID_SETTINGS', `The settings of the PostgreSQL source cannot be used: ${why}.`);
}
