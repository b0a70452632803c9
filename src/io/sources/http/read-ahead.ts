// Asks for the next pages of a list before they are needed, a bounded few at once. It decides nothing: what a page proves
// is decided by the walks, which hold every page against those before it, whenever it was served.

import type { PagedList, ServedPage } from './served-page.ts';

/** Pages asked for ahead of the one being read. */
export const PAGES_AHEAD = 3;

export interface AheadList<Row> extends PagedList<Row> {
  /** Full pages at these offsets will be fetched next, in this order. Others that were expected before are dropped. */
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
        // A failure is thrown when the page is asked for; until then, and if it never is, it must not count as unhandled.
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
