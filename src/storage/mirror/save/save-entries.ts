// Adds the lines of a page to the mirror. Refuses none: a second content of one sequence is kept as another variant.

import type pg from 'pg';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import { rowsOf } from '../../../rows/copy-binary/copied-row.ts';
import { createCopyReader } from '../../../rows/copy-binary/enter-copied.ts';
import { ENTRY_TABLE, sameEntry } from '../../../rows/entry-fields.ts';
import { copyIn } from '../copy/copy-in.ts';
import { copyOut } from '../copy/copy-out.ts';
import { ENTRY_TARGET, type EntryRow, seeEntries, WHOLE_ENTRY } from '../copy/entry-rows.ts';
import type { PageHead } from '../page-head.ts';

/** Lines of a page that the mirror does not have. */
export interface NewEntries {
  readonly rows: readonly EntryRow[];
  /** Of those: lines whose sequence was already taken by other content. */
  readonly variants: number;
  /** Of those: lines at or below the head stored before this page. */
  readonly late: number;
  /** The lowest sequence among those; null: there is none. */
  readonly lowestLate: number | null;
  /** Highest sequence in the page. */
  readonly lastSequence: number | null;
}

/** The caller holds the merchant's lease: nobody else adds lines meanwhile. */
export async function findNewEntries(
  client: pg.ClientBase,
  head: PageHead,
  page: readonly LedgerEntry[],
): Promise<NewEntries> {
  const ascending = page.every((line, i) => i === 0 || page[i - 1]!.sequence <= line.sequence);
  const lines = ascending ? page : [...page].sort((a, b) => a.sequence - b.sequence);
  const isKnown = (line: LedgerEntry) => head.lastSequence !== null && line.sequence <= head.lastSequence;
  const stored = await readStored(client, head.merchantId, lines.filter(isKnown));
  const rows = newRows(lines, stored);
  const late = rows.filter((row) => isKnown(row.entry));
  return {
    rows,
    variants: rows.filter((row) => row.variant > 0).length,
    late: late.length,
    lowestLate: late[0]?.entry.sequence ?? null,
    lastSequence: lines.at(-1)?.sequence ?? null,
  };
}

export async function writeEntries(client: pg.ClientBase, head: PageHead, { rows }: NewEntries): Promise<void> {
  await copyIn(client, ENTRY_TARGET, { rows, fixed: { merchant_id: head.merchantId, intake: head.intake } });
}

/** `lines` in ascending sequence; `stored` holds every variant stored under one of their sequences. */
function newRows(lines: readonly LedgerEntry[], stored: ReadonlyMap<number, readonly LedgerEntry[]>): EntryRow[] {
  const rows: EntryRow[] = [];
  let sequence: number | null = null;
  let variants: LedgerEntry[] = [];
  for (const entry of lines) {
    if (entry.sequence !== sequence) {
      sequence = entry.sequence;
      variants = [...(stored.get(sequence) ?? [])];
    }
    if (variants.some((known) => sameEntry(known, entry))) continue;
    rows.push({ entry, variant: variants.length });
    variants.push(entry);
  }
  return rows;
}

async function readStored(
  client: pg.ClientBase,
  merchantId: number,
  lines: readonly LedgerEntry[],
): Promise<ReadonlyMap<number, readonly LedgerEntry[]>> {
  const stored = new Map<number, LedgerEntry[]>();
  if (lines.length === 0) return stored;
  // COPY takes no parameters; these are integers, of our own making or checked by the decoders.
  const sequences = lines.map((line) => line.sequence).join(',');
  const query = `
    select ${WHOLE_ENTRY}
    from entries
    where merchant_id = ${merchantId} and sequence = any ('{${sequences}}'::bigint[])
    order by sequence, variant`;
  const seen = seeEntries();
  for await (const batch of copyOut(client, query, createCopyReader(ENTRY_TABLE, null))) {
    for (const entry of rowsOf(batch, seen)) {
      const variants = stored.get(entry.sequence);
      if (variants === undefined) stored.set(entry.sequence, [entry]);
      else variants.push(entry);
    }
  }
  return stored;
}
