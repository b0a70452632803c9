// Old final operations are read again night after night: one that is not served any more, one of another amount and one of an earlier
// state are found within the nights that coverage states, however far back; sound nights find nothing, and small books cost no call.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, formatInstant } from '../../src/core/domain/instant.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { BOOKS_BEGIN, makeHttpBooks, referenceOf } from '../support/http-books.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, outcomeOf, runOver, type runSource } from '../support/nightly-run.ts';

const NIGHTS = 4;
const rotation = { nights: NIGHTS, random: () => 0.5 };
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

/** What nights say of the merchant, from one on, for a bound and a night: a miss is a finding the second night. */
async function nightsFrom(first: number, merchant: string, run: Run) {
  const found = new Set<string>();
  let bound = 0;
  for (let number = first; number <= first + NIGHTS + 1; number += 1) {
    const { report } = outcomeOf(await run(number), merchant);
    for (const { kind, operationReference } of report.findings) found.add(`${kind} ${operationReference}`);
    const note = report.notChecked.find(({ code }) => code === 'OPERATIONS_READ_WITHIN');
    expect([note?.incomplete, report.notChecked.filter(({ code }) => code === 'OPERATIONS_NOT_READ_AGAIN')]).toEqual([
      false,
      [],
    ]);
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

test.each(['ascending', 'descending'] as const)('over the API, in a list served %s', async (order) => {
  const merchant = `OLD-${order}`;
  service.order = order;
  const books = makeHttpBooks(merchant, 900);
  service.books[merchant] = books;
  const run: Run = (number) =>
    runOver(opened.store, service, {}, { merchants: [merchant], rotation, clock: () => EVENING + number * DAY });
  await run(0);
  expect(await nightsFrom(1, merchant, run)).toEqual([]);
  const before = [...books.operations];
  books.operations[OLD[1] - 1] = { ...before[OLD[1] - 1]!, amount: 1_001, netAmount: 1_001 };
  const updatedAt = formatInstant(BOOKS_BEGIN + 2 * DAY);
  books.operations[OLD[2] - 1] = { ...before[OLD[2] - 1]!, status: 'PENDING', completedAt: null, updatedAt };
  books.operations.splice(OLD[0] - 1, 1);
  expect(await nightsFrom(NIGHTS + 3, merchant, run)).toEqual(expect.arrayContaining(ALTERED));
});
