// The operator's tables, described and ready to be read: for each part its columns and its decoder.
// Refuses tables whose rows could not be put into the order that readings promise.

import type pg from 'pg';
import {
  createCopyReader,
  createRowMaker,
  type RowSeen,
} from '../../../core/bytes/copy-binary/enter-copied.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../../core/domain/merchant.ts';
import type { DescribedOperation, Operation } from '../../../core/domain/operation.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import {
  copyEntry,
  createEntryCursor,
  decodeEntry,
  ENTRY_TABLE,
} from '../../../core/domain/rows/entry-fields.ts';
import { decodeMerchant } from '../../../core/domain/rows/merchant-fields.ts';
import {
  copyDescribed,
  copyOperation,
  createDescribedCursor,
  createOperationCursor,
  DESCRIBED_TABLE,
  decodeDescribed,
  decodeOperation,
  decodeWallet,
  OPERATION_TABLE,
} from '../../../core/domain/rows/operation-fields.ts';
import type { RowTable } from '../../../core/domain/rows/row-table.ts';
import type { Batch, Note } from '../../../core/domain/snapshot.ts';
import { hashOf } from '../../threads/hash-key.ts';
import { type Detail, SourceFailed } from '../port/source.ts';
import { createDecoder, type DecodeSlots, type MakePlainly } from './decode-slots.ts';
import {
  columnFor,
  invalidSettings,
  type PostgresSettings,
  type TableOfPart,
  type TablePart,
} from './postgres-settings.ts';
import { describeTable } from './table-part.ts';

export interface ReadableTable<Row> {
  readonly table: TableOfPart;
  readonly decode: DecodeSlots<Row>;
}

export interface BooksTables {
  readonly merchants: ReadableTable<Merchant> | null;
  readonly wallets: ReadableTable<Wallet> | null;
  readonly entries: ReadableTable<LedgerEntry>;
  readonly operations: Readonly<Record<Detail, ReadableTable<Operation>>>;
}

/** The parts of the books that operators' tables never hold. */
export const NOT_IN_TABLES: readonly Note[] = [
  { what: 'history', code: 'TABLES_WITHOUT_HISTORY' },
  {
    what: 'reports',
    why: 'no table of monthly reports is mapped',
    incomplete: false,
    code: 'TABLE_NOT_MAPPED',
  },
  {
    what: 'payments',
    why: 'no table of payments is mapped',
    incomplete: false,
    code: 'TABLE_NOT_MAPPED',
  },
  {
    what: 'payouts',
    why: 'no table of payouts is mapped',
    incomplete: false,
    code: 'TABLE_NOT_MAPPED',
  },
  {
    what: 'events',
    why: 'no table of notifications is mapped',
    incomplete: false,
    code: 'TABLE_NOT_MAPPED',
  },
];

export async function describeBooks(
  client: pg.Client,
  settings: PostgresSettings,
): Promise<BooksTables> {
  const describe = async <Row>(
    part: TablePart,
    ways: {
      readonly decode: (value: unknown) => Decoded<Row>;
      readonly plainFor?: (table: TableOfPart) => MakePlainly<Row>;
    },
  ): Promise<ReadableTable<Row> | null> => {
    const mapping = settings[part];
    if (mapping === null) return null;
    const table = await describeTable(client, { settings, part, mapping });
    const plain = ways.plainFor?.(table) ?? null;
    return { table, decode: createDecoder(table, { decode: ways.decode, plain }) };
  };
  const merchants = await describe('merchants', { decode: decodeMerchant });
  const wallets = await describe('wallets', { decode: decodeWallet });
  const entries = (await describe('entries', {
    decode: decodeEntry,
    plainFor: plainly(ENTRY_TABLE, { cursor: createEntryCursor(), copy: copyEntry }),
  }))!;
  const described = (await describe<Operation>('operations', {
    decode: decodeDescribed,
    plainFor: plainly<DescribedOperation>(DESCRIBED_TABLE, {
      cursor: createDescribedCursor(),
      copy: copyDescribed,
    }),
  }))!;
  const { table } = described;
  // The columns of the judged fields come first.
  const judged = { ...table, columns: table.columns.slice(0, OPERATION_TABLE.fields.length) };
  const decode = createDecoder<Operation>(judged, {
    decode: decodeOperation,
    plain: plainly(OPERATION_TABLE, { cursor: createOperationCursor(), copy: copyOperation })(
      judged,
    ),
  });
  if (columnFor(entries.table, 'sequence').form === 'text') {
    throw invalidSettings(
      'the column of sequence is no number, so lines could not be put in order',
    );
  }
  if (columnFor(table, 'createdAt').form !== 'microseconds') {
    throw invalidSettings(
      'the column of createdAt of operations is no timestamp, so they could not be put in order',
    );
  }
  return {
    merchants,
    wallets,
    entries,
    operations: { described, judged: { table: judged, decode } },
  };
}

/** The fast way to make rows of one table; `null` for a row that the strict decoder must judge. */
function plainly<Row>(
  fields: RowTable<Row>,
  seen: RowSeen<Row>,
): (table: TableOfPart) => MakePlainly<Row> {
  return ({ columns }) => {
    const wires = columns.map(({ form }) => form);
    return createRowMaker(createCopyReader(fields, null, wires), seen);
  };
}

// The one row of a merchant in the tables that have one for each merchant: the profile and the
// wallet. Refuses tables that have more.

/**
 * Returns what was found of a merchant in a table that has one row for each merchant; `null` when
 * no table is mapped. Adds to `absent` what is missing. Throws `SourceFailed` for an unknown
 * merchant, and for more than one row.
 */
export function requireOne<Row>(asked: {
  readonly readable: ReadableTable<Row> | null;
  readonly merchant: string;
  readonly part: 'merchant' | 'wallet';
  readonly absent: Note[];
  readonly found: Batch<Row>;
}): Batch<Row> | null {
  const { readable, merchant, part, absent, found } = asked;
  if (readable === null) {
    absent.push({
      what: part,
      why: `no table of ${part}s is mapped`,
      incomplete: true,
      code: 'TABLE_NOT_MAPPED',
    });
    return null;
  }
  const { table } = readable;
  const { rows, rejected } = found;
  if (part === 'merchant' && rows.length + rejected.length === 0) {
    const shown = JSON.stringify(merchant.slice(0, 80));
    throw new SourceFailed('UNKNOWN_MERCHANT', `The merchants have no row of ${shown}.`);
  }
  if (rows.length + rejected.length > 1) {
    throw new SourceFailed(
      'INVALID_SETTINGS',
      `The ${table.part} have more than one row of ${merchant}: map a relation or a select that has one.`,
    );
  }
  if (rows.length === 0) {
    const { reason, refusal } = rejected[0] ?? { reason: null, refusal: null };
    const why = reason ?? `${table.label} has no row of ${merchant}`;
    const code = reason === null ? 'TABLE_WITHOUT_ROW' : 'ROW_UNREADABLE';
    const figures = { table: table.label, merchant, reason, refusal };
    absent.push({ what: part, why, incomplete: true, code, figures });
  }
  return found;
}

/**
 * Returns the parts of a snapshot that come from the profile and the wallet; either is `null` when
 * no table is mapped.
 */
export function surroundingsOf({
  profile,
  wallet,
}: {
  readonly profile: Batch<Merchant> | null;
  readonly wallet: Batch<Wallet> | null;
}) {
  const [stated = null] = wallet?.rows ?? [];
  return {
    profiles: profile?.rows ?? [],
    moving: false,
    currency: stated?.currency ?? null,
    rejected: profile?.rejected ?? [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    closing: async () => ({ wallet: stated, laterEntries: [], rejected: wallet?.rejected ?? [] }),
  } as const;
}
