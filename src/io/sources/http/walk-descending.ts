// Walks a list that is served newest first, from its far end towards its head, so that rows come out oldest first and
// none need be kept. New rows push the others on: every page must hold a row that was read before, or the walk looks
// further down for one. It ends at a page that begins at offset 0.

import {
  expectOrder,
  listFailed,
  overlapOf,
  PAGES_AHEAD,
  type PagedList,
  type ServedPage,
  type ServedRow,
} from './served-page.ts';
import type { Walk } from './settling-window.ts';

/** Looks further down, each twice as far as the one before, after which the list is taken to run away. */
const MOST_JUMPS = 24;
/** Past any list: a service that still serves rows there ignores the offset. */
const FARTHEST_OFFSET = 2 ** 40;

const RUNS_AWAY = 'no longer serves what was read a moment ago, or grows faster than it can be read: read it again.';
const GROWS = 'grows faster than its oldest rows can be found: read it again when it is quieter.';
const OFFSET_IGNORED = 'serves rows at any offset: it cannot be paged through without losing rows.';
const ONE_PER_PAGE = 'serves one row at a time, newest first: its pages cannot overlap, so rows could be lost.';

/** Yields after each page that the window took. */
export async function* walkDescending<Row>(walk: Walk<Row>): AsyncGenerator<void> {
  const { list, window } = walk;
  let page = await findOldest(walk);
  if (page.rows.length === 0) page = await findOldest({ ...walk, first: null });
  if (page.rows.length === 0) return;
  window.accept(page.rows.toReversed());
  yield;
  // All that is wanted is on the first page.
  if (page.from === 0 && reachesFloor(walk, page)) return;
  let stalls = 0;
  for (let isHeadSeen = false; ; ) {
    const edge = page.from;
    list.expect(offsetsBefore(edge, list.pageSize()));
    page = await fetchTouching(walk, edge);
    expectOrder(list, page, 'descending');
    const fresh = window.accept(page.rows.toReversed());
    yield;
    // A page at the head is the end of the list as it then was; one more look takes in what was committed late.
    if (page.from === 0 && (fresh === 0 || isHeadSeen)) return;
    isHeadSeen = page.from === 0;
    stalls = fresh === 0 && page.from >= edge ? stalls + 1 : 0;
    if (stalls > MOST_JUMPS) throw listFailed(list, 'MOVED_WHILE_READING', RUNS_AWAY);
  }
}

/** Where the next full pages towards the head begin. The head itself is not looked at ahead of its time. */
function offsetsBefore(edge: number, pageSize: number): readonly number[] {
  const stride = pageSize - overlapOf(pageSize);
  return Array.from({ length: PAGES_AHEAD }, (_, index) => edge - (index + 1) * stride).filter((offset) => offset > 0);
}

/** A page whose older rows have been read, and that reaches as far towards the head as a page can. */
async function fetchTouching<Row>(walk: Walk<Row>, edge: number): Promise<ServedPage<Row>> {
  const { list, window } = walk;
  let further = 0;
  for (let jumps = 0; jumps <= MOST_JUMPS; jumps += 1) {
    const page = await list.fetch((pageSize) => Math.max(0, edge + overlapOf(pageSize) - pageSize) + further);
    // Bad rows may be the same bytes in two places: they count only where there are no others.
    const readable = page.rows.filter((row) => row.rank !== null);
    if ((readable.length > 0 ? readable : page.rows).some((row) => window.knows(row))) return page;
    further = further * 2 + Math.ceil(list.pageSize() / 2);
    // The service may give fewer rows than requested: a page then ends before the rows it should touch.
    if (page.rows.length > 1 && page.rows.length < list.pageSize()) list.shrinkTo(page.rows.length);
  }
  throw listFailed(list, 'MOVED_WHILE_READING', RUNS_AWAY);
}

/** The page that holds the oldest row wanted: one at or below the floor, or the last one of the list. */
async function findOldest<Row>(walk: Walk<Row>): Promise<ServedPage<Row>> {
  const { list } = walk;
  const first = walk.first ?? (await list.fetch(() => 0));
  expectOrder(list, first, 'descending');
  if (first.rows.length === 0 || reachesFloor(walk, first)) return first;
  if (first.rows.length < list.pageSize()) {
    if (await endsAfter(list, first)) return first;
    // The service gives fewer rows than requested.
    if (first.rows.length === 1) throw listFailed(list, 'PAGING_BROKEN', ONE_PER_PAGE);
    list.shrinkTo(first.rows.length);
  }
  let page = await list.fetch(await searchOldest(walk, first.rows.length));
  for (let jumps = 0; jumps <= MOST_JUMPS; jumps += 1) {
    if (reachesFloor(walk, page) || (page.rows.length > 0 && (await endsAfter(list, page)))) return page;
    // Rows arrived at the head meanwhile and pushed the oldest one on; an empty page has gone too far.
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
 * True when nothing older follows: the page's last rows are served again with none after them (an empty answer alone
 * could be a passing fault), and past them there are none, or rows of the page that new ones pushed on.
 */
async function endsAfter<Row>(list: PagedList<Row>, page: ServedPage<Row>): Promise<boolean> {
  const keys = new Set(page.rows.map((row) => row.key));
  const isKnown = (row: ServedRow<Row>): boolean => keys.has(row.key);
  const length = page.rows.length;
  const end = page.from + length;
  const last = await list.fetch(() => end - overlapOf(length));
  if (last.rows.length === 0 || !last.rows.every(isKnown)) return false;
  // New rows have pushed the list on, until as many fit on the page as the service gives: it may go on behind them.
  if (last.rows.length > overlapOf(length) && last.rows.length >= length) return false;
  return (await list.fetch(() => end)).rows.every(isKnown);
}

/** Doubles the offset until it is past the oldest row wanted, then halves the stretch in which that row must be. */
async function searchOldest<Row>(walk: Walk<Row>, length: number): Promise<(pageSize: number) => number> {
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
