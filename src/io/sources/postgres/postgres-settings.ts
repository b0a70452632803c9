// The operator's settings for reading its own tables or views: the table of each part of the books,
// and the column of each field. No table name is built in, and no connection string is repeated.

import type { Wire } from '../../../core/bytes/copy-binary/enter-copied.ts';
import { ENTRY_TABLE } from '../../../core/domain/rows/entry-fields.ts';
import type { NamedField } from '../../../core/domain/rows/field.ts';
import { MERCHANT_FIELDS } from '../../../core/domain/rows/merchant-fields.ts';
import { DESCRIBED_TABLE, WALLET_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import { SourceFailed } from '../port/source.ts';

/**
 * A table or view, `schema.name`; or a select that returns the columns, for books that need a join
 * or a conversion.
 */
type Relation = { readonly relation: string } | { readonly select: string };

export interface PartMapping {
  readonly from: Relation;
  /**
   * Column with the merchant's reference. The reference is compared with it as a value of the
   * column's own type.
   */
  readonly merchantColumn: string;
  /**
   * Columns by field, for fields whose column is not the field's name in snake_case (`balanceAfter`
   * → `balance_after`). `null`: there is no such column, and the field is null in every row.
   */
  readonly columns: Readonly<Record<string, string | null>>;
}

export interface PostgresSettings {
  /**
   * `postgres://…`; the usual environment variables of PostgreSQL clients supply what it leaves
   * out.
   */
  readonly connectionString: string;
  /**
   * `null`: no table has profiles. The merchants are then those with a wallet or, without wallets,
   * with lines.
   */
  readonly merchants: PartMapping | null;
  readonly wallets: PartMapping | null;
  readonly entries: PartMapping;
  readonly operations: PartMapping;
  /**
   * Zone of columns of type `timestamp`, which have none: `UTC`, `Africa/Abidjan`. `null`: such
   * columns are refused.
   */
  readonly timeZone: string | null;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
}

export const POSTGRES_DEFAULTS = {
  merchants: { from: { relation: 'merchants' }, merchantColumn: 'reference', columns: {} },
  wallets: { from: { relation: 'wallets' }, merchantColumn: 'merchant_reference', columns: {} },
  entries: {
    from: { relation: 'ledger_entries' },
    merchantColumn: 'merchant_reference',
    columns: {},
  },
  operations: {
    from: { relation: 'operations' },
    merchantColumn: 'merchant_reference',
    columns: {},
  },
  timeZone: null,
  connectTimeout: 10_000,
} as const satisfies Omit<PostgresSettings, 'connectionString'>;

/** Throws `SourceFailed` INVALID_SETTINGS, which names the setting. */
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
  if ('relation' in mapping.from && namesIn(mapping.from.relation) === null) {
    throw invalidSettings(`${part}.from.relation must be a name or schema.name`);
  }
  for (const [field, column] of Object.entries(mapping.columns)) {
    const known = PART_FIELDS[part].find(({ name }) => name === field);
    if (known === undefined)
      throw invalidSettings(`${part}.columns names '${field}', which is no field of ${part}`);
    if (column === null && !known.isOptional)
      throw invalidSettings(`${part}.columns must give a column for '${field}'`);
  }
}

/**
 * Splits a relation into its name, or its schema and name, each plain or quoted as in SQL; `null`
 * when it is neither.
 */
export function namesIn(relation: string): readonly string[] | null {
  const names = /^("(?:[^"\0]|"")+"|[^.\0"][^.\0]*)(?:\.("(?:[^"\0]|"")+"|[^.\0"][^.\0]*))?$/
    .exec(relation)
    ?.slice(1);
  const given = names?.filter((name) => name !== undefined) ?? null;
  return (
    given?.map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name)) ??
    null
  );
}

export function invalidSettings(why: string): SourceFailed {
  return new SourceFailed(
    'INVALID_SETTINGS',
    `The settings of the PostgreSQL source cannot be used: ${why}.`,
  );
}

export type TablePart = 'merchants' | 'wallets' | 'entries' | 'operations';

export type PartField = Pick<NamedField, 'name' | 'form' | 'isOptional' | 'path'>;

export const PART_FIELDS: Readonly<Record<TablePart, readonly PartField[]>> = {
  merchants: MERCHANT_FIELDS,
  wallets: WALLET_TABLE.fields,
  entries: ENTRY_TABLE.fields,
  // A flag that is null is false.
  operations: DESCRIBED_TABLE.fields.map((field) => ({
    ...field,
    isOptional: field.isOptional || field.form === 'flag',
  })),
};

// One part of the books as it was found in the operator's database: for each field what to select,
// and the format in which it arrives.

export interface TableColumn {
  readonly field: PartField;
  readonly form: Wire;
  /** SQL expression that yields the value in this format. */
  readonly selected: string;
  /** SQL expression of the column itself, to compare and to sort by. */
  readonly value: string;
  /** True when the column has a text type: comparing it with a text then needs no cast. */
  readonly isText: boolean;
}

export interface TableOfPart {
  readonly part: TablePart;
  /** The relation's name in places and messages. */
  readonly label: string;
  /** SQL after `from`; the alias is `books`. */
  readonly from: string;
  /** SQL of the column with the merchant's reference. */
  readonly merchant: string;
  /** Columns in the order of `PART_FIELDS`. */
  readonly columns: readonly TableColumn[];
}

export function columnFor(table: TableOfPart, field: string): TableColumn {
  return table.columns.find((column) => column.field.name === field)!;
}
