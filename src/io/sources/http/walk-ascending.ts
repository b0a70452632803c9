// Walks a list that is served oldest first, whose rows may shift under the reader. Every page must begin with rows that
// stand where they stood before; where they do not, the walk steps back until they do. It ends only on an empty answer.

import { expectOrder, listFailed, overlapOf, PAGES_AHEAD, type PagedList, type ServedPage } from './served-page.ts';
import { REMEMBERED, type Walk } from './settling-window.ts';

/** Steps back without a new row, after which the service is taken not to page at all. */
const MOST_STALLS = 8;
/** Answers in a row, each with a few rows newer than the reading, after which the walk stops chasing a busy list. */
const MOST_CHASES = 5;
/** Answers in a row, full of rows newer than the reading, after which the list is taken to have no end. */
const MOST_NEW_PAGES = 500;

const PAGING_IGNORED =
  'serves other rows at an offset each time, or the same ones at every offset: it cannot be paged through without losing rows.';
const WITHOUT_END = `has no end: after ${MOST_NEW_PAGES} pages of rows newer than the reading there are still more.`;

/** Yields after each page that the window took; returns the offset after the last row. */
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
    // A full page is followed by another, as far as anyone can tell.
    const ahead = page.rows.length < list.pageSize() ? 0 : PAGES_AHEAD;
    const stride = list.pageSize() - overlap;
    list.expect(Array.from({ length: ahead }, (_, index) => next - overlap + index * stride));
    yield;
    if (endsAsKnown(walk, page)) return next;
    if (chases >= MOST_CHASES) return next;
    if (newPages > MOST_NEW_PAGES) throw listFailed(list, 'PAGING_BROKEN', WITHOUT_END);
    const after = await list.fetch(() => next - overlap);
    const agrees = trail.agrees(after);
    // A page without a new row is not yet the end, if it may only be short: that the answer after it is empty is.
    const isShort = after.rows.length < walk.memory.longestPage;
    if (agrees && after.rows.length <= overlap && (isShort || (await isEmptyAt(list, next, after)))) return next;
    stalls += 1;
    if (stalls > MOST_STALLS) throw listFailed(list, 'PAGING_BROKEN', PAGING_IGNORED);
    if (!agrees) list.expect([]);
    page = agrees ? after : await stepBack(walk, { trail, next, start });
  }
}

/** True where nothing came since: the page ends where the list ended, and the service would have given more rows. */
function endsAsKnown<Row>({ newest, memory }: Walk<Row>, { rows }: ServedPage<Row>): boolean {
  return newest !== null && rows.at(-1)?.rank === newest && rows.length < memory.longestPage;
}

async function isEmptyAt<Row>(list: PagedList<Row>, offset: number, asked: ServedPage<Row>): Promise<boolean> {
  if (asked.from === offset) return asked.rows.length === 0;
  return (await list.fetch(() => offset, 1)).rows.length === 0;
}

/** A page that begins at or below the floor; looked for at the hint, then further and further back. */
async function findStart<Row>(walk: Walk<Row>): Promise<ServedPage<Row>> {
  const { list, floor } = walk;
  if (floor === null || walk.hint <= 0) return walk.first ?? (await list.fetch(() => 0));
  const half = Math.ceil(list.pageSize() / 2);
  // Fewer rows than the service is known to give: a page of them shows that nothing follows.
  const fewer = walk.memory.longestPage - 1;
  for (let back = 2 * fewer > half ? Math.min(half, fewer) : half; ; back *= 2) {
    const page = await list.fetch(() => Math.max(0, walk.hint - back));
    const rank = page.rows.find((row) => row.rank !== null)?.rank ?? null;
    if (page.from === 0 || (rank !== null && rank <= floor)) return page;
  }
}

/** The list moved below the reader (a row was inserted late, or one is gone): reads again from where nothing moved. */
async function stepBack<Row>(
  walk: Walk<Row>,
  place: { readonly trail: Trail; readonly next: number; readonly start: number },
): Promise<ServedPage<Row>> {
  const { list } = walk;
  for (let back = 2 * overlapOf(list.pageSize()); ; back *= 2) {
    const from = Math.max(0, place.next - back);
    if (from <= place.start) return findStart({ ...walk, first: null, hint: place.start });
    if (back > REMEMBERED)
      throw listFailed(list, 'MOVED_WHILE_READING', 'changed far below what was being read: read it again.');
    const page = await list.fetch(() => from);
    if (page.rows.length > 0 && place.trail.beginsWhereItDid(page)) return page;
  }
}

/** Which row stood at which offset, for the last few thousand offsets. */
interface Trail {
  record<Row>(page: ServedPage<Row>): void;
  /** True when every row of the page at a known offset is the row that was there. */
  agrees<Row>(page: ServedPage<Row>): boolean;
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
      return page.rows.every((row, index) => page.from + index >= end || keys.get(page.from + index) === row.key);
    },
    beginsWhereItDid: (page) => keys.get(page.from) === page.rows[0]!.key,
  };
}
