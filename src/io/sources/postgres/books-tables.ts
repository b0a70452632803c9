// The operator's tables, described and ready to be read: for each part its columns and its decoder. Refuses tables whose
// rows could not be put in the order that readings promise.

import type pg from 'pg';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Merchant } from '../../../core/domain/merchant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { NotChecked } from '../../../core/domain/snapshot.ts';
import type { Wallet } from '../../../core/domain/wallet.ts';
import { createCopyReader, createRowMaker, type Wire } from '../../../core/rows/copy-binary/enter-copied.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import { copyEntry, createEntryCursor, decodeEntry, ENTRY_TABLE } from '../../../core/rows/entry-fields.ts';
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
} from '../../../core/rows/operation-fields.ts';
import { decodeMerchant } from '../decode/decode-merchant.ts';
import type { Detail } from '../port/source.ts';
import { createDecoder, type DecodeSlots, type MakePlainly } from './decode-slots.ts';
import type { TablePart } from './part-fields.ts';
import { invalidSettings, type PostgresSettings } from './postgres-settings.ts';
import { columnFor, type TableOfPart } from './table-of-part.ts';
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

/** What no operator's tables hold. */
export const NOT_IN_TABLES: readonly NotChecked[] = [
  {
    what: 'history',
    why: 'the tables hold no earlier state of the books',
    incomplete: false,
    code: 'TABLES_WITHOUT_HISTORY',
  },
  { what: 'reports', why: 'no table of monthly reports is mapped', incomplete: false, code: 'TABLE_NOT_MAPPED' },
  { what: 'payments', why: 'no table of payments is mapped', incomplete: false, code: 'TABLE_NOT_MAPPED' },
  { what: 'payouts', why: 'no table of payouts is mapped', incomplete: false, code: 'TABLE_NOT_MAPPED' },
  { what: 'events', why: 'no table of notifications is mapped', incomplete: false, code: 'TABLE_NOT_MAPPED' },
];

export async function describeBooks(client: pg.Client, settings: PostgresSettings): Promise<BooksTables> {
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
  const entries = (await describe('entries', { decode: decodeEntry, plainFor: plainEntry }))!;
  const described = (await describe('operations', { decode: decodeDescribed, plainFor: plainDescribed }))!;
  const { table } = described;
  // Its columns come first.
  const judged = { ...table, columns: table.columns.slice(0, OPERATION_TABLE.fields.length) };
  const decode = createDecoder<Operation>(judged, { decode: decodeOperation, plain: plainOperation(judged) });
  if (columnFor(entries.table, 'sequence').form === 'text') {
    throw invalidSettings('the column of sequence is no number, so lines could not be put in order');
  }
  if (columnFor(table, 'createdAt').form !== 'microseconds') {
    throw invalidSettings('the column of createdAt of operations is no timestamp, so they could not be put in order');
  }
  return { merchants, wallets, entries, operations: { described, judged: { table: judged, decode } } };
}

function plainEntry(table: TableOfPart): MakePlainly<LedgerEntry> {
  const reader = createCopyReader(ENTRY_TABLE, null, wiresOf(table));
  return createRowMaker(reader, { cursor: createEntryCursor(), copy: copyEntry });
}

function plainOperation(table: TableOfPart): MakePlainly<Operation> {
  const reader = createCopyReader(OPERATION_TABLE, null, wiresOf(table));
  return createRowMaker(reader, { cursor: createOperationCursor(), copy: copyOperation });
}

function plainDescribed(table: TableOfPart): MakePlainly<Operation> {
  const reader = createCopyReader(DESCRIBED_TABLE, null, wiresOf(table));
  return createRowMaker(reader, { cursor: createDescribedCursor(), copy: copyDescribed });
}

function wiresOf({ columns }: TableOfPart): readonly Wire[] {
  return columns.map(({ form }) => form);
}
