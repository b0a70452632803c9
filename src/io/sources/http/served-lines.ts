// The lines of the ledger by position, 0 = the oldest, whichever way the list is served. It only
// reads lines and judges none.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { ServedLines } from '../../../core/domain/snapshot.ts';
import { type KnownOrder, listFailed, type PagedList, type ServedRow } from './served-page.ts';

/**
 * How many known lines have their offset remembered: the lines around which a later reading begins.
 */
const MOST_NOTED = 5_000;
/** How many times the oldest lines are looked for, because new lines may move them meanwhile. */
const MOST_ATTEMPTS = 3;
/** An offset beyond any list. */
const FARTHEST = 2 ** 40;

/** A list that remembers the offset at which each known line was last served. */
export interface NotedList<Row> {
  readonly list: PagedList<Row>;
  /** Offsets by rank. */
  readonly offsets: ReadonlyMap<number, number>;
}

/**
 * Wraps a list. `known` is the highest rank of a row that was known before; `null` when none was
 * known.
 */
export function noteOffsets<Row>(list: PagedList<Row>, known: number | null): NotedList<Row> {
  const offsets = new Map<number, number>();
  if (known === null) return { list, offsets };
  return {
    offsets,
    list: {
      ...list,
      async fetch(fromOffset, limit) {
        const page = await list.fetch(fromOffset, limit);
        page.rows.forEach(({ rank }, index) => {
          if (rank === null || rank > known) return;
          if (offsets.size < MOST_NOTED || rank === known || offsets.has(rank))
            offsets.set(rank, page.from + index);
        });
        return page;
      },
    },
  };
}

interface Located extends NotedList<LedgerEntry> {
  /** The order in which the list was served when it was read. */
  readonly order: () => KnownOrder;
}

export function openServedLines({ list, offsets, order }: Located): ServedLines {
  let [total, isGood] = [0, false];
  const totalNear = async (guess: number): Promise<number> => {
    if (!isGood) total = await findTotal(list, total > 0 ? total : guess);
    isGood = true;
    return total;
  };
  return {
    async positionOf(sequence, expected) {
      const offset = offsets.get(sequence);
      if (offset === undefined) return null;
      if (order() === 'ascending') return offset;
      return (await totalNear(offset + expected + 1)) - 1 - offset;
    },
    async linesAt(from, count) {
      if (order() === 'ascending')
        return (await fetchFilled(list, from, count)).map(({ row }) => row);
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
        const end = (await totalNear(from + count)) - from;
        const first = Math.max(0, end - count);
        // One row more than expected, at the end with the oldest line, must not be returned. If it
        // is, new lines have moved all others.
        const rows = await fetchFilled(list, first, end - first + (from === 0 ? 1 : 0));
        if (rows.length <= end - first) return rows.map(({ row }) => row).toReversed();
        isGood = false;
      }
      throw movedOn(list);
    },
    recount() {
      isGood = false;
    },
  };
}

export function movedOn<Row>(list: PagedList<Row>) {
  return listFailed(
    list,
    'MOVED_WHILE_READING',
    'does not have its older rows where it had them, or grows faster than they can be read again.',
  );
}

/**
 * Fetches `count` rows from the offset `from` on, in several pages if the service returns fewer
 * rows at once. Fewer rows are returned only at the end of the list.
 */
export async function fetchFilled<Row>(
  list: PagedList<Row>,
  from: number,
  count: number,
): Promise<readonly ServedRow<Row>[]> {
  const rows: ServedRow<Row>[] = [];
  while (rows.length < count) {
    const left = count - rows.length;
    const page = await list.fetch(
      () => from + rows.length,
      left < list.pageSize() ? left : undefined,
    );
    if (page.rows.length === 0) break;
    rows.push(...page.rows);
  }
  return rows;
}

/** Returns the number of rows of the list; with one request when it equals `guess`. */
async function findTotal<Row>(list: PagedList<Row>, guess: number): Promise<number> {
  const servesAt = async (offset: number): Promise<boolean> =>
    (await list.fetch(() => offset, 1)).rows.length > 0;
  const near = Math.max(0, guess - 1);
  const found = (await list.fetch(() => near, 2)).rows.length;
  if (found === 1) return near + 1;
  return found === 0 ? searchBelow(servesAt, near) : searchAbove(servesAt, near + 2);
}

type ServesAt = (offset: number) => Promise<boolean>;

/** Finds the number of rows, which must be at most `most`. */
async function searchBelow(servesAt: ServesAt, most: number): Promise<number> {
  for (let [step, above] = [1, most]; above > 0; step *= 2) {
    const offset = Math.max(0, above - step);
    if (await servesAt(offset)) return halve(servesAt, offset + 1, above);
    above = offset;
  }
  return 0;
}

/**
 * Finds the number of rows, which must be at least `least`. Gives up on a list without end, and
 * returns a number beyond FARTHEST.
 */
async function searchAbove(servesAt: ServesAt, least: number): Promise<number> {
  let below = least;
  for (let step = 1; step < FARTHEST; step *= 2) {
    const offset = below + step - 1;
    if (!(await servesAt(offset))) return halve(servesAt, below, offset);
    below = offset + 1;
  }
  return below;
}

async function halve(servesAt: ServesAt, least: number, most: number): Promise<number> {
  let [below, above] = [least, most];
  while (below < above) {
    const middle = Math.floor((below + above) / 2);
    if (await servesAt(middle)) below = middle + 1;
    else above = middle;
  }
  return above;
}
