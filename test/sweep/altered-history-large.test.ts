// 25,000 lines over HTTP, of which old ones are altered: how many calls it takes to find the first
// altered line, in both orders.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { BOOKS_BEGIN, makeHttpBooks, makeLine, type ServedJson } from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { alteredRows, mirrorNight } from '../support/mirror-nights.ts';
import { numericSeed } from '../support/test-seed.ts';

const LINES = 25_000;
/** Lines of the books in which the altered place is drawn. */
const ANYWHERE = Number(process.env.POINTAGE_LINES ?? 600);
const PAGE = 50;
/**
 * Returns the most calls beyond those of a quiet night, before the ledger is read again from the
 * first altered line on.
 */
const mostExtra = (lines: number): number => Math.ceil(Math.log2(lines)) + 8;

const seed = numericSeed();
let drawn = 0;
function chance(): number {
  drawn += 1;
  return (Math.imul(seed + drawn, 2_654_435_761) >>> 0) / 2 ** 32;
}

let opened: TestStore;
let service: HttpService;
beforeAll(async () => {
  opened = await openTestStore();
  service = await startHttpService({});
});
afterAll(async () => {
  await service.close();
  await opened.close();
});

const raised = (line: ServedJson): ServedJson => ({
  ...line,
  balanceAfter: Number(line.balanceAfter) + 5,
});

test.each(['ascending', 'descending'] as const)(
  'the first altered of 25,000 lines is found the same night, in a ledger served %s',
  async (order) => {
    const merchant = `LARGE-${order}`;
    service.order = order;
    service.books[merchant] = { ...makeHttpBooks(merchant, LINES), operations: [] };
    const books = service.books[merchant]!;
    let number = 0;
    const night = () => {
      number += 1;
      return mirrorNight({
        store: opened.store,
        service,
        merchant,
        now: BOOKS_BEGIN + number * DAY,
      });
    };
    await night();
    const quiet = await night();
    expect(quiet.calls).toBeLessThanOrEqual(2);
    books.ledger.push(makeLine(LINES + 1));
    books.ledger.splice(24_000, 1);
    const deleted = await night();
    expect((await alteredRows(opened.store, merchant)).gone).toEqual([
      { change: 'deleted', sequence: 24_001, lines: 1 },
    ]);
    expect(deleted.single).toBeLessThanOrEqual(mostExtra(LINES));
    books.ledger = books.ledger.map((line) =>
      Number(line.sequence) >= 23_750 ? raised(line) : line,
    );
    const carried = await night();
    expect(await alteredRows(opened.store, merchant)).toMatchObject({
      first: 23_750,
      last: LINES + 1,
      contents: 1_251,
    });
    expect(carried.single).toBeLessThanOrEqual(mostExtra(LINES));
    // The ledger is read again from the page of the first altered line on.
    expect(carried.calls - carried.single).toBeLessThanOrEqual(1_250 / 199 + 6);
    const after = await night();
    expect(after.single).toBeLessThanOrEqual(1);
  },
  300_000,
);

test.each(['ascending', 'descending'] as const)(
  'wherever it is: a line deleted, put in, or rewritten with what follows, in a ledger served %s',
  async (order) => {
    service.order = order;
    const found: unknown[] = [];
    const planted: unknown[] = [];
    let most = 0;
    for (const [number, change] of (
      ['deleted', 'inserted', 'rewritten', 'deleted', 'inserted', 'rewritten'] as const
    ).entries()) {
      const merchant = `ANYWHERE-${order}-${number}`;
      service.books[merchant] = { ...makeHttpBooks(merchant, ANYWHERE), operations: [] };
      const books = service.books[merchant]!;
      const night = (day: number) =>
        mirrorNight({
          store: opened.store,
          service,
          merchant,
          now: BOOKS_BEGIN + day * DAY,
          pageSize: PAGE,
        });
      await night(1);
      const quiet = await night(2);
      // One place in each sixth of the books, the first lines of all included.
      const at = Math.floor(((number + chance()) * ANYWHERE) / 6);
      if (change === 'deleted') books.ledger.splice(at, 1);
      if (change === 'inserted')
        books.ledger.splice(at, 0, { ...makeLine(at), id: 'another', description: 'put in' });
      if (change === 'rewritten')
        books.ledger = books.ledger.map((line, i) => (i >= at ? raised(line) : line));
      const { single } = await night(3);
      most = Math.max(most, single - quiet.single);
      planted.push([change, at + (change === 'inserted' ? 0 : 1)]);
      const { first, gone } = await alteredRows(opened.store, merchant);
      found.push([change, change === 'deleted' ? gone[0]?.sequence : first]);
      delete service.books[merchant];
    }
    expect(found).toEqual(planted);
    expect(most).toBeLessThanOrEqual(mostExtra(ANYWHERE));
  },
  900_000,
);
