// Reads a list whose rows may move while it is read. A list served newest first is read from its
// far end towards offset 0, so that rows come out oldest first and need not be kept. Every page
// must contain a row that was read before; if not, pages further down are tried. The walk ends at a
// page at offset 0. In a list served oldest first, every page must begin with rows that were read
// before, at the same offsets; if not, the walk steps back until they are. It ends only where no
// row follows.

import {
  expectOrder,
  listFailed,
  overlapOf,
  PAGES_AHEAD,
  type PagedList,
  type ServedPage,
  type ServedRow,
} from './served-page.ts';
import { REMEMBERED, type Walk } from './settling-window.ts';

/**
 * How many pages further down are tried, each at twice the distance, before the list counts as
 * running away.
 */
const MOST_JUMPS = 24;
/** An offset beyond any list: a service that still returns rows there ignores the offset. */
const FARTHEST_OFFSET = 2 ** 40;

const RUNS_AWAY =
  'no longer serves what was read a moment ago, or grows faster than it can be read: read it again.';
const GROWS = 'grows faster than its oldest rows can be found: read it again when it is quieter.';
const OFFSET_IGNORED = 'serves rows at any offset: it cannot be paged through without losing rows.';
const ONE_PER_PAGE =
  'serves one row at a time, newest first: its pages cannot overlap, so rows could be lost.';

/** Walks a list that is served newest first. Yields after each page that the window took. */
export async function* walkDescending<Row>(walk: Walk<Row>): AsyncGenerator<void> {
  const { list, window } = walk;
  let page = await findOldest(walk);
  if (page.rows.length === 0) page = await findOldest({ ...walk, first: null });
  if (page.rows.length === 0) return;
  window.accept(page.rows.toReversed());
  yield;
  // The first page already has all rows above the floor.
  if (page.from === 0 && reachesFloor(walk, page)) return;
  let stalls = 0;
  for (let isHeadSeen = false; ; ) {
    const edge = page.from;
    list.expect(offsetsBefore(edge, list.pageSize()));
    page = await fetchTouching(walk, edge);
    expectOrder(list, page, 'descending');
    const fresh = window.accept(page.rows.toReversed());
    yield;
    // A page at offset 0 is the end of the list as it was then. One more page is read there, for
    // rows that were committed late.
    if (page.from === 0 && (fresh === 0 || isHeadSeen)) return;
    isHeadSeen = page.from === 0;
    stalls = fresh === 0 && page.from >= edge ? stalls + 1 : 0;
    if (stalls > MOST_JUMPS) throw listFailed(list, 'MOVED_WHILE_READING', RUNS_AWAY);
  }
}

/**
 * Returns the offsets of the next full pages towards offset 0. The page at offset 0 itself is not
 * fetched ahead.
 */
function offsetsBefore(edge: number, pageSize: number): readonly number[] {
  const stride = pageSize - overlapOf(pageSize);
  return Array.from({ length: PAGES_AHEAD }, (_, index) => edge - (index + 1) * stride).filter(
    (offset) => offset > 0,
  );
}

/**
 * Fetches a page that contains a row read before, and that reaches as far towards offset 0 as it
 * can.
 */
async function fetchTouching<Row>(walk: Walk<Row>, edge: number): Promise<ServedPage<Row>> {
  const { list, window } = walk;
  let further = 0;
  for (let jumps = 0; jumps <= MOST_JUMPS; jumps += 1) {
    const page = await list.fetch(
      (pageSize) => Math.max(0, edge + overlapOf(pageSize) - pageSize) + further,
    );
    // Refused rows may have equal bytes in two places, so that they prove the overlap only on a
    // page of refused rows.
    const readable = page.rows.filter((row) => row.rank !== null);
    if ((readable.length > 0 ? readable : page.rows).some((row) => window.knows(row))) return page;
    further = further * 2 + Math.ceil(list.pageSize() / 2);
    // The service may return fewer rows than requested: the page then ends before the rows that it
    // should overlap.
    if (page.rows.length > 1 && page.rows.length < list.pageSize()) list.shrinkTo(page.rows.length);
  }
  throw listFailed(list, 'MOVED_WHILE_READING', RUNS_AWAY);
}

/**
 * Finds the page with the oldest row wanted: a row at or below the floor, or the last row of the
 * list.
 */
async function findOldest<Row>(walk: Walk<Row>): Promise<ServedPage<Row>> {
  const { list } = walk;
  const first = walk.first ?? (await list.fetch(() => 0));
  expectOrder(list, first, 'descending');
  if (first.rows.length === 0 || reachesFloor(walk, first)) return first;
  if (first.rows.length < list.pageSize()) {
    if (await endsAfter(list, first)) return first;
    // The service returns fewer rows than requested.
    if (first.rows.length === 1) throw listFailed(list, 'PAGING_BROKEN', ONE_PER_PAGE);
    list.shrinkTo(first.rows.length);
  }
  let page = await list.fetch(await searchOldest(walk, first.rows.length));
  for (let jumps = 0; jumps <= MOST_JUMPS; jumps += 1) {
    if (reachesFloor(walk, page) || (page.rows.length > 0 && (await endsAfter(list, page))))
      return page;
    // New rows have moved the oldest row further down; an empty page lies beyond it.
    const step = Math.ceil(list.pageSize() / 2);
    const from = page.rows.length === 0 ? Math.max(0, page.from - step) : page.from + step;
    page = await list.fetch(() => from);
  }
  throw listFailed(list, 'MOVED_WHILE_READING', GROWS);
}

function reachesFloor<Row>(walk: Walk<Row>, page: ServedPage<Row>): boolean {
  const { floor } = walk;
  return floor !== null && page.rows.some((row) => row.rank !== null && row.rank <= floor);
}

/**
 * True when no older row follows the page. Its last rows must be served again with no row after
 * them, because an empty answer alone could be a passing fault. The answer at the offset after the
 * page must be empty, or contain only rows of the page, which new rows have moved down.
 */
async function endsAfter<Row>(list: PagedList<Row>, page: ServedPage<Row>): Promise<boolean> {
  const keys = new Set(page.rows.map((row) => row.key));
  const isKnown = (row: ServedRow<Row>): boolean => keys.has(row.key);
  const length = page.rows.length;
  const end = page.from + length;
  const last = await list.fetch(() => end - overlapOf(length));
  if (last.rows.length === 0 || !last.rows.every(isKnown)) return false;
  // New rows have moved the list so far that the answer is as long as a full page: more rows may
  // follow it.
  if (last.rows.length > overlapOf(length) && last.rows.length >= length) return false;
  return (await list.fetch(() => end)).rows.every(isKnown);
}

/**
 * Doubles the offset until it is past the oldest row wanted, then halves the range in which that
 * row must be. Returns the offset of the page that ends there, by page size.
 */
async function searchOldest<Row>(
  walk: Walk<Row>,
  length: number,
): Promise<(pageSize: number) => number> {
  const { list } = walk;
  const isPast = async (offset: number): Promise<boolean> => {
    const page = await list.fetch(() => offset, 1);
    return page.rows.length === 0 || reachesFloor(walk, page);
  };
  let short = length - 1;
  let past = 2 * length;
  while (!(await isPast(past))) {
    if (past > FARTHEST_OFFSET) throw listFailed(list, 'PAGING_BROKEN', OFFSET_IGNORED);
    short = past;
    past *= 2;
  }
  while (past - short > Math.max(1, list.pageSize() / 2)) {
    const middle = Math.floor((short + past) / 2);
    if (await isPast(middle)) past = middle;
    else short = middle;
  }
  return (pageSize) => Math.max(0, past + 1 - pageSize);
}

/** How many pages in a row may bring no new row before the service counts as not paging at all. */
const MOST_STALLS = 8;
/**
 * How many pages in a row may each bring only a few rows newer than the reading, before the walk
 * stops following a busy list.
 */
const MOST_CHASES = 5;
/**
 * How many pages in a row may be full of rows newer than the reading, before the list counts as
 * having no end.
 */
const MOST_NEW_PAGES = 500;

const PAGING_IGNORED =
  'serves other rows at an offset each time, or the same ones at every offset: it cannot be paged through without losing rows.';
const WITHOUT_END = `has no end: after ${MOST_NEW_PAGES} pages of rows newer than the reading there are still more.`;

/**
 * Walks a list that is served oldest first. Yields after each page that the window took; returns
 * the offset after the last row.
 */
export async function* walkAscending<Row>(walk: Walk<Row>): AsyncGenerator<void, number> {
  const { list, window } = walk;
  const trail = openTrail();
  let page = await findStart(walk);
  const start = page.from;
  let [stalls, chases, newPages, longest] = [0, 0, 0, 0];
  for (;;) {
    expectOrder(list, page, 'ascending');
    const fresh = window.accept(page.rows);
    trail.record(page);
    const next = page.from + page.rows.length;
    stalls = fresh > 0 ? 0 : stalls;
    const isNew = fresh > 0 && page.rows.slice(-fresh).every((row) => (row.at ?? 0) > walk.begunAt);
    newPages = isNew ? newPages + 1 : 0;
    chases = isNew && fresh * 4 < longest ? chases + 1 : 0;
    longest = Math.max(longest, page.rows.length);
    const overlap = Math.min(next, overlapOf(longest));
    // A full page is probably followed by another one.
    const ahead = page.rows.length < list.pageSize() ? 0 : PAGES_AHEAD;
    const stride = list.pageSize() - overlap;
    list.expect(Array.from({ length: ahead }, (_, index) => next - overlap + index * stride));
    yield;
    if (endsAsKnown(walk, page)) return next;
    if (chases >= MOST_CHASES) return next;
    if (newPages > MOST_NEW_PAGES) throw listFailed(list, 'PAGING_BROKEN', WITHOUT_END);
    const after = await list.fetch(() => next - overlap);
    const agrees = trail.agrees(after);
    // A page without a new row does not prove the end if the service may have shortened it. Then
    // the offset after it must be empty too.
    const isShort = after.rows.length < walk.memory.longestPage;
    if (agrees && after.rows.length <= overlap && (isShort || (await isEmptyAt(list, next, after))))
      return next;
    stalls += 1;
    if (stalls > MOST_STALLS) throw listFailed(list, 'PAGING_BROKEN', PAGING_IGNORED);
    if (!agrees) list.expect([]);
    page = agrees ? after : await stepBack(walk, { trail, next, start });
  }
}

/**
 * True when nothing is new: the page ends where the list ended before, and it is shorter than pages
 * that the service can return.
 */
function endsAsKnown<Row>({ newest, memory }: Walk<Row>, { rows }: ServedPage<Row>): boolean {
  return newest !== null && rows.at(-1)?.rank === newest && rows.length < memory.longestPage;
}

async function isEmptyAt<Row>(
  list: PagedList<Row>,
  offset: number,
  asked: ServedPage<Row>,
): Promise<boolean> {
  if (asked.from === offset) return asked.rows.length === 0;
  return (await list.fetch(() => offset, 1)).rows.length === 0;
}

/** Finds a page that begins at or below the floor: at the hint, then further and further back. */
async function findStart<Row>(walk: Walk<Row>): Promise<ServedPage<Row>> {
  const { list, floor } = walk;
  if (floor === null || walk.hint <= 0) return walk.first ?? (await list.fetch(() => 0));
  const half = Math.ceil(list.pageSize() / 2);
  // This many rows are fewer than the service can return: a page of them would show that nothing
  // follows.
  const fewer = walk.memory.longestPage - 1;
  for (let back = 2 * fewer > half ? Math.min(half, fewer) : half; ; back *= 2) {
    const page = await list.fetch(() => Math.max(0, walk.hint - back));
    const rank = page.rows.find((row) => row.rank !== null)?.rank ?? null;
    if (page.from === 0 || (rank !== null && rank <= floor)) return page;
  }
}

/**
 * Returns a page from which the list can be read again, after a row was inserted or removed below
 * the walk: the first one, going back, whose first row is where it was.
 */
async function stepBack<Row>(
  walk: Walk<Row>,
  place: { readonly trail: Trail; readonly next: number; readonly start: number },
): Promise<ServedPage<Row>> {
  const { list } = walk;
  for (let back = 2 * overlapOf(list.pageSize()); ; back *= 2) {
    const from = Math.max(0, place.next - back);
    if (from <= place.start) return findStart({ ...walk, first: null, hint: place.start });
    if (back > REMEMBERED)
      throw listFailed(
        list,
        'MOVED_WHILE_READING',
        'changed far below what was being read: read it again.',
      );
    const page = await list.fetch(() => from);
    if (page.rows.length > 0 && place.trail.beginsWhereItDid(page)) return page;
  }
}

/** Which row stood at which offset, for the last few thousand offsets. */
interface Trail {
  record<Row>(page: ServedPage<Row>): void;
  /**
   * True when the page reaches as far as before, and each of its rows at a known offset is the row
   * that stood there.
   */
  agrees<Row>(page: ServedPage<Row>): boolean;
  /** True when the page's first row is the row that stood there. */
  beginsWhereItDid<Row>(page: ServedPage<Row>): boolean;
}

function openTrail(): Trail {
  const keys = new Map<number, string>();
  let end = 0;
  return {
    record(page) {
      const pageEnd = page.from + page.rows.length;
      for (let offset = pageEnd; offset < end; offset += 1) keys.delete(offset);
      page.rows.forEach((row, index) => {
        keys.set(page.from + index, row.key);
      });
      end = pageEnd;
      for (const offset of keys.keys()) {
        if (offset >= end - REMEMBERED) break;
        keys.delete(offset);
      }
    },
    agrees(page) {
      if (page.from + page.rows.length < end) return false;
      return page.rows.every(
        (row, index) => page.from + index >= end || keys.get(page.from + index) === row.key,
      );
    },
    beginsWhereItDid: (page) => keys.get(page.from) === page.rows[0]!.key,
  };
}
