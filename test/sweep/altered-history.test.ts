// Nights over HTTP against a service that serves old lines otherwise than before, in lists of both
// orders: what is found the same night, from where the books are read again, and what that costs in
// calls.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  BOOKS_BEGIN,
  type HttpBooks,
  makeHttpBooks,
  makeLine,
  makeOperation,
  type ServedJson,
} from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { alteredRows, mirrorNight } from '../support/mirror-nights.ts';
import { runNight } from '../support/nightly.ts';

/** Lines of more than three pages. */
const LINES = 175;
const PAGE = 50;
/** Most calls for one line or two: so many find the line, and a few make sure of it. */
const MOST_SINGLE = Math.ceil(Math.log2(LINES)) + 7;
/**
 * Returns every other case, the others in the other order, so that every place and every alteration
 * is tried in one of the two orders. TEST_POLICIES=all returns all.
 */
const inTurn = <Case>(order: 'ascending' | 'descending', cases: readonly Case[]): readonly Case[] =>
  cases.filter(
    (_, i) => i % 2 === (order === 'ascending' ? 0 : 1) || process.env.TEST_POLICIES === 'all',
  );
const MERCHANT = 'M001';

let opened: TestStore;
let service: HttpService;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  service = await startHttpService({});
});
afterEach(() => service.close());

let name = 0;
let merchant = MERCHANT;

const NOW = BOOKS_BEGIN + 1e9;

/** Works a night that mirrors and judges nothing. */
async function night() {
  const { mirrored, calls, single } = await mirrorNight({
    store: opened.store,
    service,
    merchant,
    now: NOW,
    pageSize: PAGE,
  });
  return { calls, single, notes: mirrored.absent.filter(({ incomplete }) => incomplete) };
}

/** Returns the roots of a whole night that are more than mere notes. */
async function judgedNight(): Promise<readonly string[]> {
  const source = openSource(service, { pageSize: PAGE });
  const how = { pageRows: 10_000, diesBeforeSaving: false, withoutFull: true };
  try {
    const { report } = await runNight({ store: opened.store, source, merchant, now: NOW, ...how });
    return report.findings
      .filter(({ causedBy, severity }) => causedBy === null && severity !== 'info')
      .map(({ kind, sequence }) => `${kind} ${sequence}`);
  } finally {
    await source.close();
  }
}

const books = (): HttpBooks => service.books[merchant]!;
const post = (sequence: number): void => {
  books().ledger.push(makeLine(sequence));
  books().operations.push(makeOperation(sequence));
  const balance = Number(books().wallet!.balance) + 1_000;
  books().wallet = { ...books().wallet, balance, available: balance, totalCollected: balance };
};
function rewrite(from: number, to: number, change: (line: ServedJson) => ServedJson): void {
  books().ledger = books().ledger.map((line) =>
    Number(line.sequence) >= from && Number(line.sequence) <= to ? change(line) : line,
  );
}
const raised = (line: ServedJson): ServedJson => ({
  ...line,
  balanceAfter: Number(line.balanceAfter) + 5,
});

async function altered(): Promise<string> {
  const { contents, first, last } = await alteredRows(opened.store, merchant);
  return [contents, first, last].filter((part) => part !== null).join(' ');
}

async function gone(): Promise<readonly object[]> {
  const { rows } = await opened.store.pool.query<object>(
    `select change, a.sequence, a.last_sequence as "lastSequence", lines, balance_off as off from entry_alterations a
      join merchants using (merchant_id) where reference = $1 and change in ('deleted', 'reset', 'fallen') order by a.sequence, a.intake`,
    [merchant],
  );
  return rows;
}

describe.each(['ascending', 'descending'] as const)('a ledger served %s', (order) => {
  beforeEach(async () => {
    name += 1;
    merchant = `${MERCHANT}-${name}`;
    service.order = order;
    service.books[merchant] = makeHttpBooks(merchant, LINES);
    await judgedNight();
    await night();
    post(LINES + 1);
  });

  test('quiet nights cost a call more at most, and find nothing', async () => {
    expect((await night()).notes).toEqual([]);
    const { calls, single, notes } = await night();
    expect([notes, calls, single]).toEqual([[], 2, order === 'ascending' ? 0 : 1]);
    expect([await altered(), await gone()]).toEqual(['0', []]);
  });

  test.each(inTurn(order, [1, 88, 138, LINES - 1]))(
    'an amount carried on from line %i',
    async (from) => {
      rewrite(from, LINES + 1, raised);
      const { single, notes } = await night();
      expect([notes, single <= MOST_SINGLE]).toEqual([[], true]);
      expect(await altered()).toBe(`${LINES - from + 1} ${from} ${LINES}`);
      expect(await gone()).toEqual([]);
      const next = await night();
      expect(next.single).toBeLessThanOrEqual(1);
    },
  );

  test.each(inTurn(order, [1, 88, 138, LINES - 1]))(
    'a line deleted at %i, with a gap',
    async (at) => {
      books().ledger = books().ledger.filter(({ sequence }) => sequence !== at);
      const change = at === 1 ? 'fallen' : 'deleted';
      const { single } = await night();
      expect(single).toBeLessThanOrEqual(MOST_SINGLE);
      expect(await gone()).toMatchObject([
        { change, sequence: at, lastSequence: at, lines: 1, off: 0 },
      ]);
      const next = await night();
      expect([(await gone()).length, next.single <= 1]).toEqual([1, true]);
    },
  );

  test('a reset to 40 lines, and to none', async () => {
    books().ledger.length = 40;
    await night();
    expect(await gone()).toMatchObject([
      { change: 'reset', sequence: 41, lastSequence: LINES, lines: LINES - 40 },
    ]);
    await night();
    expect((await gone()).length).toBe(1);
    for (let more = 41; more < 100; more += 1) post(more);
    rewrite(41, 100, raised);
    await night();
    expect(await altered()).toBe('59 41 99');
    await night();
    expect((await gone()).length).toBe(1);
  });

  const alterations: readonly [string, string, () => void][] = [
    ['carried on', 'ENTRY_REWRITTEN 80', () => rewrite(80, LINES + 1, raised)],
    ['deleted, with a gap', 'ENTRY_DELETED 80', () => books().ledger.splice(79, 1)],
    [
      'cut off',
      'SEQUENCE_RESET 41',
      () => {
        books().ledger.length = 40;
      },
    ],
    [
      'deleted, and renumbered',
      'ENTRY_DELETED 80',
      () => {
        books().ledger.splice(79, 1);
        rewrite(81, LINES + 1, (line) => ({
          ...line,
          sequence: Number(line.sequence) - 1,
          balanceAfter: Number(line.balanceAfter) - 1_000,
        }));
      },
    ],
  ];
  test.each(inTurn(order, alterations))(
    'a ledger %s has one root, the same night and the next',
    async (_, root, alter) => {
      alter();
      expect([await judgedNight(), await judgedNight()]).toEqual([[root], [root]]);
    },
  );

  test('a line put in, renumbered', async () => {
    const at = 80;
    books().ledger = [
      ...books().ledger.slice(0, at),
      {
        ...makeLine(at + 1),
        id: '00000000-0000-4000-8000-00000000ffff',
        amount: 7,
        balanceAfter: at * 1000 + 7,
      },
      ...books()
        .ledger.slice(at)
        .map((line) => ({
          ...line,
          sequence: Number(line.sequence) + 1,
          balanceAfter: Number(line.balanceAfter) + 7,
        })),
    ];
    await night();
    expect(await altered()).toBe(`${LINES - at} ${at + 1} ${LINES}`);
    expect(await gone()).toEqual([]);
    expect((await night()).single).toBeLessThanOrEqual(1);
  });
});
