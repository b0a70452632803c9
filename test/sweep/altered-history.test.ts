// Nights over HTTP against a service that serves old lines otherwise than before, in lists of both orders: what is found the same
// night, from where the books are read again, and what that costs in calls.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  BOOKS_BEGIN,
  type HttpBooks,
  makeHttpBooks,
  makeLine,
  makeOperation,
  type ServedJson,
} from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { runNight } from '../support/nightly.ts';

const LINES = 700;
/** Calls for one line or two: ⌈log2 700⌉ to find it, and some that make sure of it. */
const MOST_SINGLE = 10 + 7;
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

async function night() {
  service.asked.length = 0;
  const source = openHttpSource({
    ...HTTP_DEFAULTS,
    baseUrl: service.baseUrl,
    merchants: { [merchant]: credentialsOf(merchant) },
    clock: Date.now,
    random: () => 0.5,
    log: () => {},
  });
  try {
    const outcome = await runNight({
      store: opened.store,
      source,
      merchant,
      now: BOOKS_BEGIN + 1e9,
      pageRows: 10_000,
      diesBeforeSaving: false,
    });
    const calls = service.asked.filter(({ path }) => path === '/ledger');
    const single = calls.filter(({ query }) => Number(query.get('limit')) <= 2).length;
    return {
      outcome,
      calls: calls.length,
      single,
      notes: outcome.mirrored.absent.filter(({ incomplete }) => incomplete),
    };
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
const raised = (line: ServedJson): ServedJson => ({ ...line, balanceAfter: Number(line.balanceAfter) + 5 });

async function altered(): Promise<string> {
  const { rows } = await opened.store.pool.query<{ lines: string }>(
    `select concat_ws(' ', count(*), min(sequence), max(sequence)) as lines from entries join merchants using (merchant_id)
      where reference = $1 and variant <> 0`,
    [merchant],
  );
  return rows[0]!.lines;
}

async function gone(): Promise<readonly object[]> {
  const { rows } = await opened.store.pool.query<object>(
    `select change, a.sequence, a.last_sequence as "lastSequence", lines, balance_off as off from entry_alterations a
      join merchants using (merchant_id) where reference = $1 and change in ('deleted', 'reset') order by a.sequence, a.intake`,
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
    await night();
    await night();
    post(LINES + 1);
  });

  test('quiet nights cost a call more at most, and find nothing', async () => {
    expect((await night()).notes).toEqual([]);
    const { calls, single, notes } = await night();
    expect([notes, calls, single]).toEqual([[], 2, order === 'ascending' ? 0 : 1]);
    expect([await altered(), await gone()]).toEqual(['0', []]);
  });

  test.each([1, 350, 550, 699])('an amount carried on from line %i', async (from) => {
    rewrite(from, LINES + 1, raised);
    const { single, notes } = await night();
    expect([notes, single <= MOST_SINGLE]).toEqual([[], true]);
    expect(await altered()).toBe(`${LINES - from + 1} ${from} ${LINES}`);
    expect(await gone()).toEqual([]);
    const next = await night();
    expect(next.single).toBeLessThanOrEqual(1);
  });

  test.each([1, 350, 699])('a line deleted at %i, with a gap', async (at) => {
    books().ledger = books().ledger.filter(({ sequence }) => sequence !== at);
    const { single } = await night();
    expect(single).toBeLessThanOrEqual(MOST_SINGLE);
    expect(await gone()).toMatchObject([{ change: 'deleted', sequence: at, lastSequence: at, lines: 1, off: 0 }]);
    const next = await night();
    expect([(await gone()).length, next.single <= 1]).toEqual([1, true]);
  });

  test('a reset to 150 lines, and to none', async () => {
    books().ledger.length = 150;
    await night();
    expect(await gone()).toMatchObject([{ change: 'reset', sequence: 151, lastSequence: LINES, lines: LINES - 150 }]);
    await night();
    expect((await gone()).length).toBe(1);
    for (let more = 151; more < 400; more += 1) post(more);
    rewrite(151, 400, raised);
    await night();
    expect(await altered()).toBe('249 151 399');
    await night();
    expect((await gone()).length).toBe(1);
  });

  test.each<[string, string, () => void]>([
    ['carried on', 'ENTRY_REWRITTEN 300', () => rewrite(300, LINES + 1, raised)],
    ['deleted, with a gap', 'ENTRY_DELETED 300', () => books().ledger.splice(299, 1)],
    [
      'deleted, and renumbered',
      'ENTRY_DELETED 300',
      () => {
        books().ledger.splice(299, 1);
        rewrite(301, LINES + 1, (line) => ({
          ...line,
          sequence: Number(line.sequence) - 1,
          balanceAfter: Number(line.balanceAfter) - 1_000,
        }));
      },
    ],
    [
      'cut off',
      'SEQUENCE_RESET 151',
      () => {
        books().ledger.length = 150;
      },
    ],
  ])('a ledger %s has one root, the same night and the next', async (_, root, alter) => {
    alter();
    const said = async () =>
      (await night()).outcome.report.findings
        .filter(({ causedBy, severity }) => causedBy === null && severity !== 'info')
        .map(({ kind, sequence }) => `${kind} ${sequence}`);
    expect([await said(), await said()]).toEqual([[root], [root]]);
  });

  test('a line put in, renumbered', async () => {
    const at = 300;
    books().ledger = [
      ...books().ledger.slice(0, at),
      { ...makeLine(at + 1), id: '00000000-0000-4000-8000-00000000ffff', amount: 7, balanceAfter: at * 1000 + 7 },
      ...books()
        .ledger.slice(at)
        .map((line) => ({ ...line, sequence: Number(line.sequence) + 1, balanceAfter: Number(line.balanceAfter) + 7 })),
    ];
    await night();
    expect(await altered()).toBe(`${LINES - at} ${at + 1} ${LINES}`);
    expect(await gone()).toEqual([]);
    expect((await night()).single).toBeLessThanOrEqual(1);
  });
});
