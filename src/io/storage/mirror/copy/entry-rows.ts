// Ledger lines as rows of `entries`: what is selected for them, and where and how they are copied in.

import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { createRecordReader, selectList } from '../../../../core/rows/copy-binary/copy-rows.ts';
import type { RowSeen } from '../../../../core/rows/copy-binary/enter-copied.ts';
import { type CopyColumn, copyColumns } from '../../../../core/rows/copy-binary/write-copied.ts';
import { copyEntry, createEntryCursor, ENTRY_FIELDS, ENTRY_TABLE } from '../../../../core/rows/entry-fields.ts';
import { integer } from '../../../../core/rows/field.ts';
import { createCursorType } from '../../../../core/rows/row-cursor.ts';
import { createRowTable } from '../../../../core/rows/row-table.ts';
import type { CopyTarget } from './copy.ts';

/** A line on its way into the mirror. */
export interface EntryRow {
  readonly entry: LedgerEntry;
  readonly variant: number;
}

export const WHOLE_ENTRY = selectList(ENTRY_TABLE);

/**
 * As `WHOLE_ENTRY`, with the description of adjustments only: it explains an adjustment (ADJUSTMENT_UNEXPLAINED) and
 * says nothing about any other kind. Fit for a ledger without duplicated sequences, where no line is compared by content.
 */
export const AUDITED_ENTRY = selectList(ENTRY_TABLE, {
  instead: { description: `case when kind in ('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT') then description end` },
});

/** A line from a record of `WHOLE_ENTRY`. */
export const entryOf = createRecordReader(ENTRY_TABLE);

/** For the rows of one stream. */
export function seeEntries(): RowSeen<LedgerEntry> {
  return { cursor: createEntryCursor(), copy: copyEntry };
}

/** A line with its place in the mirror, where several merchants' are read at once. */
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

/** Of the relation `e`. */
export const OWNED_ENTRY = selectList(OWNED_ENTRY_TABLE, { alias: 'e', instead: { variant: 'e.variant::bigint' } });

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

const COLUMNS: readonly CopyColumn<EntryRow>[] = [
  { name: 'variant', type: 'int4', valueOf: ({ variant }) => variant },
  ...copyColumns(ENTRY_TABLE, ({ entry }: EntryRow) => entry),
];

export const ENTRY_TARGET: CopyTarget<EntryRow> = { table: 'entries', columns: COLUMNS };
