// One list of the direct API as the walks see it: pages of rows, each row with the key and rank
// that prove its place.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../port/source.ts';

/** One item of a page. Exactly one of `row` and `refused` is set. */
export interface ServedRow<Row> {
  /** Equal for two deliveries of one row. */
  readonly key: string;
  /** What the list is sorted by; null when the row was refused. */
  readonly rank: number | null;
  /** When the row was created; null when it was refused. */
  readonly at: Instant | null;
  readonly row: Row | null;
  readonly refused: RejectedRow | null;
}

export interface ServedPage<Row> {
  /** Offset of the first row. */
  readonly from: number;
  /** As served. */
  readonly rows: readonly ServedRow<Row>[];
  /** The service's clock when it answered. */
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
  /** `sequence 17`, for messages and places. */
  readonly nameRank: (rank: number) => string;
}

export interface PagedList<Row> {
  readonly kind: ListKind<Row>;
  readonly merchant: string;
  /** `GET /ledger`. */
  readonly request: string;
  /**
   * Asks for one page. `fromOffset` gives its offset for the page size in force, which shrinks when
   * a page is too large for the cap. `limit`, where given, asks for fewer rows.
   */
  fetch(fromOffset: (pageSize: number) => number, limit?: number): Promise<ServedPage<Row>>;
  /** The most rows that the service gives; later requests keep to it. */
  shrinkTo(pageSize: number): void;
  pageSize(): number;
}

/** `why` says it of the list. */
export function listFailed(
  list: Pick<PagedList<never>, 'request' | 'merchant'>,
  code: string,
  why: string,
): SourceFailed {
  return new SourceFailed(code, `${list.request} of ${list.merchant} ${why}`);
}

// Which way a list is served (not shown by the document): known from the ranks on its pages.
// Refuses a list that runs against the order that was set or seen, since paging through it would
// lose rows unnoticed.

/** How a list is served: `auto` looks at the first page. */
export type ServedOrder = 'auto' | 'ascending' | 'descending';
export type KnownOrder = Exclude<ServedOrder, 'auto'>;

/**
 * Fewer steps than this one way prove nothing: rows created close together may stand the other way
 * round.
 */
const SURE_STEPS = 20;

interface SeenOrder {
  /** Null when the page shows neither order. */
  readonly order: KnownOrder | null;
  readonly isSure: boolean;
}

/** Throws when a page with many rows shows neither order. */
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

/** Throws when the page surely shows the other order. */
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
 * How many rows of a page of `length` rows must have been read before: fewer than all, where there
 * are two or more.
 */
export function overlapOf(length: number): number {
  return Math.max(1, Math.floor(length / 10));
}

// Asks for the next pages of a list before they are needed, a bounded few at once. It decides
// nothing: what a page proves is decided by the walks, which hold every page against those before
// it, whenever it was served.

/** Pages asked for ahead of the one being read. */
export const PAGES_AHEAD = 3;

export interface AheadList<Row> extends PagedList<Row> {
  /**
   * Full pages at these offsets will be fetched next, in this order. Others that were expected
   * before are dropped.
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
        // `fetch` throws the failure; until then, and if it is never called, the failure must not
        // count as unhandled.
        page.catch(() => {});
        waiting.set(offset, page);
      }
    },
    fetch(fromOffset, limit) {
      const offset = fromOffset(list.pageSize());
      const page = limit === undefined ? waiting.get(offset) : undefined;
      if (page === undefined) return list.fetch(fromOffset, limit);
      // The same place asked for again is fetched again.
      waiting.delete(offset);
      return page;
    },
  };
}
