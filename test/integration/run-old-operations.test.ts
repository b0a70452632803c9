// Old final operations are read again night after night. One that is no longer served, one of
// another amount and one of an earlier state are found within the nights that coverage states,
// however far back. Nights over sound books find nothing, and small books cost no call.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, formatInstant } from '../../src/core/domain/instant.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { BOOKS_BEGIN, type HttpBooks, makeHttpBooks, referenceOf } from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, outcomeOf, runOver, runSource } from '../support/nightly-run.ts';
import { insertBooks, openPostgresBooks } from '../support/postgres-books.ts';

const NIGHTS = 4;
const rotation = { nights: NIGHTS, random: () => 0.5 };
/** Operations that take more than one page. */
const COUNT = 450;
const OLD = [3, 170, 333] as const;

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

type Run = (night: number) => ReturnType<typeof runSource>;

/**
 * Returns what nights say of the merchant, from night `first` on, by night. An operation that is
 * missed is a finding the second night.
 */
async function nightsFrom(first: number, merchant: string, run: Run) {
  const found = new Set<string>();
  let bound = 0;
  for (let number = first; number <= first + NIGHTS + 1; number += 1) {
    const { report } = outcomeOf(await run(number), merchant);
    for (const { kind, operationReference } of report.findings)
      found.add(`${kind} ${operationReference}`);
    const note = report.notChecked.find(({ code }) => code === 'OPERATIONS_READ_WITHIN');
    if (number > first)
      expect(report.notChecked.map(({ code }) => code)).toContain('LINES_READ_WITHIN');
    expect([
      note?.incomplete,
      report.notChecked.filter(({ code }) => code === 'OPERATIONS_NOT_READ_AGAIN'),
    ]).toEqual([false, []]);
    bound = Math.max(bound, Number(note!.figures!.nights));
  }
  expect(bound).toBeLessThanOrEqual(NIGHTS);
  return [...found].sort();
}

const ALTERED = [
  `OPERATION_FIELD_CHANGED ${referenceOf(OLD[1])}`,
  `OPERATION_VANISHED ${referenceOf(OLD[0])}`,
  `STATUS_REGRESSION ${referenceOf(OLD[2])}`,
];

/** Alters operations: one gets another amount, one an earlier state, and one is gone. */
function alter({ operations }: HttpBooks): void {
  const before = [...operations];
  operations[OLD[1] - 1] = { ...before[OLD[1] - 1]!, amount: 1_001, netAmount: 1_001 };
  const updatedAt = formatInstant(BOOKS_BEGIN + 2 * DAY);
  operations[OLD[2] - 1] = {
    ...before[OLD[2] - 1]!,
    status: 'PENDING',
    completedAt: null,
    updatedAt,
  };
  operations.splice(OLD[0] - 1, 1);
}

const clockAt = (number: number) => () => EVENING + number * DAY;

test.each(['ascending', 'descending'] as const)(
  'over the API, in a list served %s',
  async (order) => {
    const merchant = `OLD-${order}`;
    service.order = order;
    const books = makeHttpBooks(merchant, COUNT);
    service.books[merchant] = books;
    const run: Run = (number) =>
      runOver(
        opened.store,
        service,
        {},
        { merchants: [merchant], rotation, clock: clockAt(number) },
      );
    await run(0);
    expect(await nightsFrom(1, merchant, run)).toEqual([]);
    alter(books);
    expect(await nightsFrom(NIGHTS + 3, merchant, run)).toEqual(expect.arrayContaining(ALTERED));
  },
);

test('in tables of an operator', async () => {
  const tables = await openPostgresBooks();
  const books = makeHttpBooks('OLD-tables', COUNT);
  const fill = async () => {
    await tables.client.query('truncate merchants, wallets, ledger_entries, operations');
    const { profile, wallet, ledger: entries, operations } = books;
    await insertBooks(tables.client, { merchant: profile, wallet, entries, operations });
  };
  const source = openPostgresSource(tables.settings);
  const run: Run = (number) =>
    runSource(opened.store, source, {
      merchants: ['OLD-tables'],
      rotation,
      clock: clockAt(number),
    });
  try {
    await fill();
    await run(0);
    expect(await nightsFrom(1, 'OLD-tables', run)).toEqual([]);
    alter(books);
    await fill();
    expect(await nightsFrom(NIGHTS + 3, 'OLD-tables', run)).toEqual(
      expect.arrayContaining(ALTERED),
    );
  } finally {
    await source.close();
    await tables.close();
  }
});

test('a page of operations is read again at no call of its own', async () => {
  const callsWith = async (merchant: string, more: Parameters<typeof runOver>[3]) => {
    service.order = 'ascending';
    service.books[merchant] = makeHttpBooks(merchant, 120);
    const calls: number[] = [];
    for (let number = 0; number <= NIGHTS; number += 1) {
      const before = service.asked.length;
      await runOver(
        opened.store,
        service,
        {},
        { merchants: [merchant], clock: clockAt(number), ...more },
      );
      calls.push(
        service.asked.filter((one, i) => i >= before && one.path.startsWith('/operations')).length,
      );
    }
    return calls;
  };
  expect(await callsWith('SMALL-read', { rotation })).toEqual(await callsWith('SMALL', {}));
});

test('what more than 200 operations lack is said, and none of them is passed over', async () => {
  const merchant = 'MANY';
  service.order = 'ascending';
  const books = makeHttpBooks(merchant, COUNT);
  service.books[merchant] = books;
  const run = async (number: number) => {
    const outcome = outcomeOf(
      await runOver(
        opened.store,
        service,
        {},
        { merchants: [merchant], rotation: { ...rotation, nights: 1 }, clock: clockAt(number) },
      ),
      merchant,
    );
    const later = outcome.report.notChecked.filter(
      ({ code }) => code === 'OPERATIONS_EXAMINED_LATER',
    );
    return [
      outcome.report.findings.filter(({ kind }) => kind === 'OPERATION_VANISHED').length,
      later.length,
    ];
  };
  await run(0);
  await run(1);
  books.operations.splice(0, 250);
  const nights: (readonly number[])[] = [];
  for (let number = 2; number <= 7; number += 1) nights.push(await run(number));
  const counts = nights.map(([found]) => found);
  expect(counts).toEqual([0, 200, 200, 220, 250, 250]);
  // The last 50 are examined once the first 200 are known to be gone, each when a night reads its
  // place again.
  expect(nights.map(([, later]) => later)).toEqual([1, 1, 0, 0, 0, 0]);
}, 60_000);
