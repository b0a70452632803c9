// Ledger lines as rows of `entries`, and operations as rows of `operation_versions`: the columns to
// select, and the tables to copy them into. Must not import Kysely, because the thread that reads
// the mirror loads this file.

import { createRecordReader, selectList } from '../../../../core/bytes/copy-binary/copy-rows.ts';
import type { RowSeen } from '../../../../core/bytes/copy-binary/enter-copied.ts';
import { copyColumns } from '../../../../core/bytes/copy-binary/write-copied.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type { DescribedOperation, Operation } from '../../../../core/domain/operation.ts';
import {
  copyEntry,
  createEntryCursor,
  ENTRY_FIELDS,
  ENTRY_TABLE,
} from '../../../../core/domain/rows/entry-fields.ts';
import { flag, integer } from '../../../../core/domain/rows/field.ts';
import {
  copyDescribed,
  copyOperation,
  DESCRIBED_FIELDS,
  DESCRIBED_TABLE,
  OPERATION_FIELDS,
  OPERATION_TABLE,
} from '../../../../core/domain/rows/operation-fields.ts';
import { createCursorType, type RowCursor } from '../../../../core/domain/rows/row-cursor.ts';
import { createRowTable, type RowTable } from '../../../../core/domain/rows/row-table.ts';
import type { CopyTarget } from './copy.ts';

export interface EntryRow {
  readonly entry: LedgerEntry;
  readonly variant: number;
}

export const WHOLE_ENTRY = selectList(ENTRY_TABLE);

/**
 * As `WHOLE_ENTRY`, with the description of adjustments only: it explains an adjustment
 * (ADJUSTMENT_UNEXPLAINED) and says nothing about any other kind. Fit for a ledger without
 * duplicated sequences, where no line is compared by content.
 */
export const AUDITED_ENTRY = selectList(ENTRY_TABLE, {
  instead: {
    description: `case when kind in ('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT') then description end`,
  },
});

/** Returns the line in a record of `WHOLE_ENTRY`. */
export const entryOf = createRecordReader(ENTRY_TABLE);

/** Returns a cursor for the lines of one stream, and the function that copies a line out of it. */
export function seeEntries(): RowSeen<LedgerEntry> {
  return { cursor: createEntryCursor(), copy: copyEntry };
}

/** A line with its merchant and its place in the mirror, for queries over several merchants. */
interface OwnedRow extends LedgerEntry {
  readonly merchantId: number;
  readonly variant: number;
  readonly intake: number;
}

export const OWNED_ENTRY_TABLE = createRowTable<OwnedRow>({
  merchantId: integer(),
  variant: integer(),
  intake: integer(),
  ...ENTRY_FIELDS,
});

/** The columns of `OWNED_ENTRY_TABLE`, from the relation `e`. */
export const OWNED_ENTRY = selectList(OWNED_ENTRY_TABLE, {
  alias: 'e',
  instead: { variant: 'e.variant::bigint' },
});

const createOwnedCursor = createCursorType(OWNED_ENTRY_TABLE);

export interface OwnedEntry extends Pick<OwnedRow, 'merchantId' | 'variant' | 'intake'> {
  readonly entry: LedgerEntry;
}

export function seeOwnedEntries(): RowSeen<OwnedRow, OwnedEntry> {
  const copy = (row: OwnedRow): OwnedEntry => {
    const { merchantId, variant, intake } = row;
    return { merchantId, variant, intake, entry: copyEntry(row) };
  };
  return { cursor: createOwnedCursor(), copy };
}

export const ENTRY_TARGET: CopyTarget<EntryRow> = {
  table: 'entries',
  columns: [
    { name: 'variant', type: 'int4', valueOf: ({ variant }) => variant },
    ...copyColumns(ENTRY_TABLE, ({ entry }: EntryRow) => entry),
  ],
};

/** An operation on its way into the mirror. `version` is 1 for the first version seen. */
export interface OperationRow {
  readonly operation: DescribedOperation;
  readonly version: number;
}

/**
 * Returns the operation in a record of a query with parameters. `prefix` must be the prefix that
 * was given to `columnsOf`.
 */
export const operationOf = createRecordReader(OPERATION_TABLE);
export const readDescribed = createRecordReader(DESCRIBED_TABLE);

const VERSION = {
  name: 'version',
  type: 'int4',
  valueOf: ({ version }: OperationRow) => version,
} as const;
const COLUMNS = copyColumns(DESCRIBED_TABLE, ({ operation }: OperationRow) => operation);

export const OPERATION_TARGET: CopyTarget<OperationRow> = {
  table: 'operation_versions',
  columns: [VERSION, ...COLUMNS],
};

const VERSION_ALONE = [VERSION, ...COLUMNS.filter(({ name }) => name === 'reference')];

export const MOVED_TARGET: CopyTarget<OperationRow> = {
  table: 'moved_operation_versions',
  columns: VERSION_ALONE,
};
export const DEPARTED_TARGET: CopyTarget<OperationRow> = {
  table: 'departed_operation_versions',
  columns: VERSION_ALONE,
};

export interface VersionRow extends Operation {
  /**
   * True when the next version of the operation has another `createdAt`, so that it comes elsewhere
   * in the stream.
   */
  readonly moved: boolean;
}

export const VERSION_TABLE = createRowTable<VersionRow>({ ...OPERATION_FIELDS, moved: flag() });
/** As `VERSION_TABLE`, with the operations' texts, which statements need. */
const DESCRIBED_VERSION_TABLE: RowTable<VersionRow> = createRowTable<
  VersionRow & DescribedOperation
>({
  ...DESCRIBED_FIELDS,
  moved: flag(),
});

export interface VersionForm {
  readonly table: RowTable<VersionRow>;
  readonly createCursor: () => RowCursor<VersionRow>;
  /** Copies the operation, so that it outlives the row. */
  readonly copy: (row: VersionRow) => Operation;
}

export const VERSIONS: VersionForm = {
  table: VERSION_TABLE,
  createCursor: createCursorType(VERSION_TABLE),
  copy: copyOperation,
};

export const DESCRIBED_VERSIONS: VersionForm = {
  table: DESCRIBED_VERSION_TABLE,
  createCursor: createCursorType(DESCRIBED_VERSION_TABLE),
  copy: (row) => copyDescribed(row as VersionRow & DescribedOperation),
};
