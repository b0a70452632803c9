// One list of the direct API as the walks see it: pages of rows, each row with the key and rank
// that prove its place.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../port/source.ts';

/** One item of a page. Exactly one of `row` and `refused` is set. */
export interface ServedRow<Row> {
  /** Equal for two deliveries of the same row. */
  readonly key: string;
  /** The value by which the list is sorted; `null` when the row was refused. */
  readonly rank: number | null;
  /** When the row was created; `null` when it was refused. */
  readonly at: Instant | null;
  readonly row: Row | null;
  readonly refused: RejectedRow | null;
}

export interface ServedPage<Row> {
  /** Offset of the first row. */
  readonly from: number;
  /** The rows in the order in which they were served. */
  readonly rows: readonly ServedRow<Row>[];
  /** The service's clock when it answered; `null` when it sent none. */
  readonly date: Instant | null;
}

export interface ListKind<Row> {
  readonly part: BookPart;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly decode: (value: unknown) => Decoded<Row>;
  readonly keyOf: (row: Row) => string;
  readonly rankOf: (row: Row) => number;
  readonly createdAt: (row: Row) => Instant;
  /** Names a rank in messages and places: `sequence 17`. */
  readonly nameRank: (rank: number) => string;
}

export interface PagedList<Row> {
  readonly kind: ListKind<Row>;
  readonly merchant: string;
  /** What is requested, for messages: `GET /ledger`. */
  readonly request: string;
  /**
   * Requests one page. `fromOffset` returns its offset for the present page size, which shrinks
   * when a page is longer than maxResponseBytes. `limit`, if given, requests fewer rows.
   */
  fetch(fromOffset: (pageSize: number) => number, limit?: number): Promise<ServedPage<Row>>;
  /**
   * Makes the pages smaller, because the service returns no more rows than `pageSize`. Later
   * requests ask for no more.
   */
  shrinkTo(pageSize: number): void;
  pageSize(): number;
}

/** Returns a failure about the list; `why` continues a sentence that begins with the request. */
export function listFailed(
  list: Pick<PagedList<never>, 'request' | 'merchant'>,
  code: string,
  why: string,
): SourceFailed {
  return new SourceFailed(code, `${list.request} of ${list.merchant} ${why}`);
}

// The order in which a list is served, which the document does not show: it is read off the ranks
// on the pages. Refuses a list that contradicts the order that was configured or seen, because
// paging through it could lose rows unnoticed.

/** How a list is served; `auto` means that the first page tells. */
export type ServedOrder = 'auto' | 'ascending' | 'descending';
export type KnownOrder = Exclude<ServedOrder, 'auto'>;

/**
 * Steps in one direction that prove the order. Fewer prove nothing, because rows created close
 * together may stand the other way round.
 */
const SURE_STEPS = 20;

interface SeenOrder {
  /** `null` when the page shows neither order. */
  readonly order: KnownOrder | null;
  readonly isSure: boolean;
}

/** Returns the order that the page shows. Throws when it has many rows and shows neither order. */
export function seeOrder<Row>(list: PagedList<Row>, page: ServedPage<Row>): SeenOrder {
  const { rising, falling } = countSteps(page);
  const [fewer, more] = rising < falling ? [rising, falling] : [falling, rising];
  const isSure = more >= SURE_STEPS;
  if (fewer * 4 <= more && more > 0)
    return { order: rising > falling ? 'ascending' : 'descending', isSure };
  if (!isSure) return { order: null, isSure };
  throw listFailed(
    list,
    'UNREADABLE_ORDER',
    `is served in neither ascending nor descending order (${rising} steps up and ${falling} down on the page at offset ${page.from}): it cannot be paged through without losing rows.`,
  );
}

/** Throws when the page proves the other order. */
export function expectOrder<Row>(
  list: PagedList<Row>,
  page: ServedPage<Row>,
  order: KnownOrder,
): void {
  const seen = seeOrder(list, page);
  if (seen.isSure && seen.order !== order) {
    throw listFailed(
      list,
      'UNREADABLE_ORDER',
      `was taken to be ${order} but its page at offset ${page.from} is ${seen.order}: set its order to what the service serves, or to auto.`,
    );
  }
}

function countSteps<Row>(page: ServedPage<Row>): {
  readonly rising: number;
  readonly falling: number;
} {
  let [rising, falling] = [0, 0];
  let previous: number | null = null;
  for (const { rank } of page.rows) {
    if (rank === null) continue;
    if (previous !== null && rank > previous) rising += 1;
    if (previous !== null && rank < previous) falling += 1;
    previous = rank;
  }
  return { rising, falling };
}

/**
 * Returns how many rows of a page of `length` rows must have been read before: fewer than `length`,
 * if that is at least 2.
 */
export function overlapOf(length: number): number {
  return Math.max(1, Math.floor(length / 10));
}

// Requests the next pages of a list before they are needed, a few at once. It decides nothing: the
// walks compare every page with those before it, whenever it was served.

/** How many pages are requested ahead of the one being read. */
export const PAGES_AHEAD = 3;

export interface AheadList<Row> extends PagedList<Row> {
  /**
   * Requests full pages at these offsets, which will be fetched next, in this order. Drops other
   * pages that were expected.
   */
  expect(offsets: readonly number[]): void;
}

export function readAhead<Row>(list: PagedList<Row>): AheadList<Row> {
  const waiting = new Map<number, Promise<ServedPage<Row>>>();
  return {
    ...list,
    expect(offsets) {
      for (const offset of waiting.keys()) if (!offsets.includes(offset)) waiting.delete(offset);
      for (const offset of offsets.slice(0, PAGES_AHEAD)) {
        if (waiting.has(offset)) continue;
        const page = list.fetch(() => offset);
        // `fetch` will throw the failure. Before that, or if `fetch` is never called, it must not
        // count as unhandled.
        page.catch(() => {});
        waiting.set(offset, page);
      }
    },
    fetch(fromOffset, limit) {
      const offset = fromOffset(list.pageSize());
      const page = limit === undefined ? waiting.get(offset) : undefined;
      if (page === undefined) return list.fetch(fromOffset, limit);
      // A second fetch of the same offset must send a new request.
      waiting.delete(offset);
      return page;
    },
  };
}
