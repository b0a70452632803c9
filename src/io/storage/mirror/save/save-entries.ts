// Adds the lines of a page to the mirror. Refuses none: a second content of one sequence is stored
// as another variant. Contents that one reading served together are judged; contents that a later
// reading serves instead are stored apart (find-altered.ts). Its SQL is text, for a COPY, which
// takes no parameters.

import type pg from 'pg';
import { createCopyReader, rowsOf } from '../../../../core/bytes/copy-binary/enter-copied.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { sameEntry } from '../../../../core/domain/rows/entry-fields.ts';
import { firstVariantAt, variantsAt } from '../../merchants/judged-lines.ts';
import { copyIn, copyOut } from '../copy/copy.ts';
import {
  ENTRY_TARGET,
  type EntryRow,
  OWNED_ENTRY,
  OWNED_ENTRY_TABLE,
  type OwnedEntry,
  seeOwnedEntries,
} from '../copy/rows.ts';
import type { PageHead } from '../rejected-rows.ts';
import { type Doubted, NOTHING_DOUBTED, settleDoubted } from './find-altered.ts';
import type { NewAlteration } from './save-alterations.ts';

/** Lines of a page that the mirror does not have. */
export interface NewEntries {
  readonly rows: readonly EntryRow[];
  /** The number of rows whose sequence was already taken by other content. */
  readonly variants: number;
  /**
   * The number of rows at or below the last line stored before this page, and of rows that are not
   * judged.
   */
  readonly late: number;
  /** The lowest sequence of the late rows that are judged; `null` when there are none. */
  readonly lowestLate: number | null;
  /** The highest sequence in the page; `null` when it has no lines. */
  readonly lastSequence: number | null;
  /** One alteration for each run of lines that earlier readings served otherwise, or not at all. */
  readonly alterations: readonly NewAlteration[];
}

/** How far the mirror reached when a reading began. */
export interface ReadingStart {
  /** Number of the newest page. */
  readonly storedPages: number;
  /**
   * The highest sequence; negative infinity when there was no line yet, because a sequence may be
   * negative.
   */
  readonly lastSequence: number;
}

/** Lines of one merchant's page, ascending in sequence. */
interface PageLines {
  readonly head: PageHead;
  readonly began: ReadingStart;
  readonly lines: readonly LedgerEntry[];
}

interface GivenPage {
  readonly head: PageHead;
  readonly entries: readonly LedgerEntry[];
  readonly began?: ReadingStart | undefined;
}

/**
 * Finds the new lines of pages, in the order of the pages. The caller must hold the merchants'
 * leases, so that no other process adds lines meanwhile.
 */
export async function findNewEntries(
  client: pg.ClientBase,
  pages: readonly GivenPage[],
): Promise<readonly NewEntries[]> {
  const sorted = pages.map(({ head, entries, began }): PageLines => {
    const now = {
      storedPages: head.intake - 1,
      lastSequence: head.lastSequence ?? Number.NEGATIVE_INFINITY,
    };
    return { head, began: began ?? now, lines: inOrder(entries) };
  });
  const stored = await readStored(client, sorted);
  const found: NewEntries[] = [];
  for (const page of sorted)
    found.push(await newAmong(client, page, stored.get(page.head.merchantId) ?? new Map()));
  return found;
}

function inOrder(page: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const ascending = page.every((line, i) => i === 0 || page[i - 1]!.sequence <= line.sequence);
  return ascending ? page : [...page].sort((a, b) => a.sequence - b.sequence);
}

function isKnown({ lastSequence }: PageHead, line: LedgerEntry): boolean {
  return lastSequence !== null && line.sequence <= lastSequence;
}

async function newAmong(
  client: pg.ClientBase,
  page: PageLines,
  stored: StoredLines,
): Promise<NewEntries> {
  const { head, lines } = page;
  const { rows: fresh, doubted } = newRows(page, stored);
  const settled =
    doubted.length === 0
      ? NOTHING_DOUBTED
      : await settleDoubted(client, head, { doubted, served: lines });
  const judged = settled.judged.length === 0 ? fresh : [...fresh, ...settled.judged];
  const rows = doubted.length === 0 ? fresh : [...judged, ...settled.apart].sort(inStoredOrder);
  const late = judged.filter((row) => isKnown(head, row.entry));
  const further = judged.filter((row) => row.variant !== firstVariantAt(head, row.entry.sequence));
  return {
    rows,
    variants: further.length + settled.apart.length - settled.firstContents,
    late: late.length + settled.apart.length,
    lowestLate: late.length === 0 ? null : Math.min(...late.map(({ entry }) => entry.sequence)),
    lastSequence: lines.at(-1)?.sequence ?? null,
    alterations: settled.alterations,
  };
}

function inStoredOrder(a: EntryRow, b: EntryRow): number {
  return a.entry.sequence - b.entry.sequence || a.variant - b.variant;
}

export async function writeEntries(
  client: pg.ClientBase,
  head: PageHead,
  { rows }: NewEntries,
): Promise<void> {
  await copyIn(client, ENTRY_TARGET, {
    rows,
    fixed: { merchant_id: head.merchantId, intake: head.intake },
  });
}

type StoredLine = Pick<OwnedEntry, 'entry' | 'variant' | 'intake'>;

/** Every variant stored under a sequence. */
type StoredLines = ReadonlyMap<number, readonly StoredLine[]>;

const NOTHING_STORED: readonly StoredLine[] = [];

/**
 * Returns the lines that can be added at once, and those that must be examined because an earlier
 * reading was otherwise. `stored` must hold all that is stored under the sequences of the page.
 */
function newRows(
  { head, began, lines }: PageLines,
  stored: StoredLines,
): { readonly rows: EntryRow[]; readonly doubted: readonly Doubted[] } {
  const rows: EntryRow[] = [];
  const doubted: Doubted[] = [];
  let place = null as Place | null;
  for (const [i, entry] of lines.entries()) {
    const { sequence } = entry;
    const isAlone = place?.sequence !== sequence && lines[i + 1]?.sequence !== sequence;
    if (isAlone && sequence > began.lastSequence && !stored.has(sequence)) {
      rows.push({ entry, variant: firstVariantAt(head, sequence) });
      continue;
    }
    if (place?.sequence !== sequence) {
      if (place !== null) noteDoubted(doubted, place);
      place = placeOf(head, began, { sequence, known: stored.get(sequence) ?? NOTHING_STORED });
    }
    if ([...place.judged, ...place.altered].some((known) => sameEntry(known, entry))) continue;
    if (place.isOlder || place.isLate) {
      place.news.push({ entry, variant: place.firstAltered - place.altered.length - 1 });
      place.altered.push(entry);
      continue;
    }
    rows.push({ entry, variant: place.firstJudged + place.judged.length });
    place.judged.push(entry);
  }
  if (place !== null) noteDoubted(doubted, place);
  return { rows, doubted };
}

type Place = ReturnType<typeof placeOf>;

/** Returns what is known under a sequence. `newRows` adds what the page serves under it. */
function placeOf(
  head: PageHead,
  { storedPages, lastSequence }: ReadingStart,
  { sequence, known }: { readonly sequence: number; readonly known: readonly StoredLine[] },
) {
  const variants = variantsAt(head, sequence);
  const judged = known.filter(({ variant }) => variants.isJudged(variant));
  const altered = known.filter(({ variant }) => variants.isAltered(variant));
  return {
    sequence,
    judged: judged.map(({ entry }) => entry),
    altered: altered.map(({ entry }) => entry),
    /**
     * True when an earlier reading read this sequence: another content now means that the line was
     * altered.
     */
    isOlder: judged.some(({ intake }) => intake <= storedPages),
    /** True when an earlier reading went past this sequence and no line was there. */
    isLate: judged.length === 0 && sequence <= lastSequence,
    firstJudged: variants.first,
    firstAltered: variants.altered,
    isNew: known.length === 0,
    news: [] as EntryRow[],
  };
}

function noteDoubted(doubted: Doubted[], place: Place) {
  const { sequence, judged, news, isOlder, firstJudged, isNew } = place;
  if (news.length === 0) return;
  doubted.push({ sequence, before: isOlder ? judged[0]! : null, news, firstJudged, isNew });
}

/** Loads, by merchant, the lines that are stored under the sequences of its page. */
async function readStored(
  client: pg.ClientBase,
  pages: readonly PageLines[],
): Promise<ReadonlyMap<number, StoredLines>> {
  const stored = new Map<number, Map<number, StoredLine[]>>();
  // These integers stand in the SQL because COPY takes no parameters. They are of our own making or
  // were checked by the decoders.
  const wanted = pages.flatMap(({ head, lines }) => {
    const known = lines.filter((line) => isKnown(head, line)).map((line) => line.sequence);
    return known.length === 0
      ? []
      : [`(${head.merchantId}::bigint, '{${known.join(',')}}'::bigint[])`];
  });
  if (wanted.length === 0) return stored;
  const query = `
    select ${OWNED_ENTRY}
    from (values ${wanted.join(', ')}) as wanted (merchant_id, sequences)
    join entries e on e.merchant_id = wanted.merchant_id and e.sequence = any (wanted.sequences)
    order by e.merchant_id, e.sequence, e.variant`;
  const seen = seeOwnedEntries();
  for await (const batch of copyOut(client, query, createCopyReader(OWNED_ENTRY_TABLE, null))) {
    for (const { merchantId, ...line } of rowsOf(batch, seen)) {
      const lines = stored.get(merchantId) ?? new Map<number, StoredLine[]>();
      stored.set(merchantId, lines);
      const variants = lines.get(line.entry.sequence);
      if (variants === undefined) lines.set(line.entry.sequence, [line]);
      else variants.push(line);
    }
  }
  return stored;
}
