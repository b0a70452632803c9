// Adds the lines of a page to the mirror. Refuses none: a second content of one sequence is kept as another variant.
// Its SQL is text, for a COPY, which takes no parameters.

import type pg from 'pg';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { createCopyReader, rowsOf } from '../../../../core/rows/copy-binary/enter-copied.ts';
import { sameEntry } from '../../../../core/rows/entry-fields.ts';
import { copyIn, copyOut } from '../copy/copy.ts';
import { ENTRY_TARGET, type EntryRow, OWNED_ENTRY, OWNED_ENTRY_TABLE, seeOwnedEntries } from '../copy/entry-rows.ts';
import type { PageHead } from '../rejected-rows.ts';

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

/** Lines of one merchant's page, ascending in sequence. */
interface PageLines {
  readonly head: PageHead;
  readonly lines: readonly LedgerEntry[];
}

/** In the order of the pages. The caller holds the merchants' leases: no other process adds lines meanwhile. */
export async function findNewEntries(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly entries: readonly LedgerEntry[] }[],
): Promise<readonly NewEntries[]> {
  const sorted = pages.map(({ head, entries }) => ({ head, lines: inOrder(entries) }));
  const stored = await readStored(client, sorted);
  return sorted.map((page) => newAmong(page, stored.get(page.head.merchantId) ?? new Map()));
}

function inOrder(page: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const ascending = page.every((line, i) => i === 0 || page[i - 1]!.sequence <= line.sequence);
  return ascending ? page : [...page].sort((a, b) => a.sequence - b.sequence);
}

function isKnown({ lastSequence }: PageHead, line: LedgerEntry): boolean {
  return lastSequence !== null && line.sequence <= lastSequence;
}

function newAmong({ head, lines }: PageLines, stored: StoredLines): NewEntries {
  const rows = newRows(lines, stored);
  const late = rows.filter((row) => isKnown(head, row.entry));
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

/** Every variant stored under a sequence. */
type StoredLines = ReadonlyMap<number, readonly LedgerEntry[]>;

/** `lines` in ascending sequence; `stored` holds what is stored under their sequences. */
function newRows(lines: readonly LedgerEntry[], stored: StoredLines): EntryRow[] {
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

/** By merchant: what is stored under the sequences of its page. */
async function readStored(
  client: pg.ClientBase,
  pages: readonly PageLines[],
): Promise<ReadonlyMap<number, StoredLines>> {
  const stored = new Map<number, Map<number, LedgerEntry[]>>();
  // COPY takes no parameters; these are integers, of our own making or checked by the decoders.
  const wanted = pages.flatMap(({ head, lines }) => {
    const known = lines.filter((line) => isKnown(head, line)).map((line) => line.sequence);
    return known.length === 0 ? [] : [`(${head.merchantId}::bigint, '{${known.join(',')}}'::bigint[])`];
  });
  if (wanted.length === 0) return stored;
  const query = `
    select ${OWNED_ENTRY}
    from (values ${wanted.join(', ')}) as wanted (merchant_id, sequences)
    join entries e on e.merchant_id = wanted.merchant_id and e.sequence = any (wanted.sequences)
    order by e.merchant_id, e.sequence, e.variant`;
  const seen = seeOwnedEntries();
  for await (const batch of copyOut(client, query, createCopyReader(OWNED_ENTRY_TABLE, null))) {
    for (const { merchantId, entry } of rowsOf(batch, seen)) {
      const lines = stored.get(merchantId) ?? new Map<number, LedgerEntry[]>();
      stored.set(merchantId, lines);
      const variants = lines.get(entry.sequence);
      if (variants === undefined) lines.set(entry.sequence, [entry]);
      else variants.push(entry);
    }
  }
  return stored;
}
