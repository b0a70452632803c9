// Alterations of operations that only memory can see: an operation that the service states
// otherwise than it did, night after night.

import { expect, test } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import {
  advanceAccount,
  expectedOf,
  openAccount,
} from '../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../src/sandbox/simulation/simulate.ts';
import { arraySource } from '../support/array-source.ts';
import { comparable } from '../support/comparable-report.ts';
import { BOOKS_BEGIN, makeLine, makeOperation, referenceOf } from '../support/http-books.ts';
import { runNight } from '../support/nightly.ts';
import { nightlyService } from '../support/nightly-service.ts';
import { decodeBooks } from '../support/sandbox-books.ts';

const LINES = 60;

const nights = nightlyService(LINES);
const { books } = nights;
const [WRONG, REGRESSED] = ['OPERATION_FIELD_CHANGED', 'STATUS_REGRESSION'];

async function night() {
  const { findings } = (await nights.night()).report;
  return findings
    .filter(({ kind }) => kind === WRONG || kind === REGRESSED)
    .map(({ kind, operationReference, expected, actual }) => [
      kind,
      operationReference,
      expected,
      actual,
    ]);
}

function serve(number: number, fields: object): void {
  books().operations[number - 1] = { ...books().operations[number - 1]!, ...fields };
}

test('a changed field that is fixed at creation is a finding with both values, until it is as it was', async () => {
  const sound = books().operations[49]!;
  expect(await night()).toEqual([]);
  serve(50, { operator: sound.operator === 'MTN' ? 'WAVE' : 'MTN', country: 'SN' });
  const told = [[WRONG, referenceOf(50), String(sound.country), 'SN']];
  expect(await night()).toEqual(told);
  expect(await night()).toEqual(told);
  serve(50, { ...sound });
  expect(await night()).toEqual([]);
});

test('an operation with another creation is a finding though it has another place', async () => {
  const { createdAt } = books().operations[49]!;
  expect(await night()).toEqual([]);
  const moved = formatInstant(Date.parse(String(createdAt)) + 1_000);
  serve(50, { createdAt: moved });
  expect(await night()).toEqual([[WRONG, referenceOf(50), createdAt, moved]]);
});

test('a final state that was left is a finding; a reversal, an open state and an older answer are lawful', async () => {
  const open = { status: 'PENDING', completedAt: null };
  const [later, earlier] = [100, -100].map((hours) => formatInstant(BOOKS_BEGIN + hours * HOUR));
  serve(52, open);
  expect(await night()).toEqual([]);
  serve(50, { status: 'EXPIRED', updatedAt: later });
  serve(51, { status: 'REVERSED', updatedAt: later });
  serve(52, { status: 'SUCCEEDED', completedAt: later, updatedAt: later });
  serve(53, { ...open, updatedAt: earlier });
  expect(await night()).toEqual([[REGRESSED, referenceOf(50), 'SUCCEEDED', 'EXPIRED']]);
});

test('a cash-in that failed long ago is not asked for, until a line names it', async () => {
  const [createdAt, endedAt] = [-40, -39].map((hours) => formatInstant(BOOKS_BEGIN + hours * HOUR));
  const ended = { completedAt: endedAt, updatedAt: endedAt, externalReference: null };
  const failed = { ...makeOperation(0), ...ended, createdAt, expiresAt: null, status: 'FAILED' };
  books().operations.unshift({ ...failed, failure: { code: 'OPERATOR_REFUSED', message: 'no' } });
  expect(await night()).toEqual([]);
  nights.service.asked.length = 0;
  expect(await night()).toEqual([]);
  expect(nights.service.asked.map(({ path }) => path)).not.toContain(
    `/operations/${referenceOf(0)}`,
  );
  const paid = { balance: 61_000, available: 61_000, totalCollected: 61_000 };
  books().wallet = { ...books().wallet, ...paid };
  books().ledger.push({ ...makeLine(61), operationReference: referenceOf(0) });
  const at = formatInstant(BOOKS_BEGIN + 61 * MINUTE);
  books().operations[0] = { ...failed, status: 'SUCCEEDED', updatedAt: at, completedAt: at };
  const told = [[REGRESSED, referenceOf(0), 'FAILED', 'SUCCEEDED']];
  expect(await night()).toEqual(told);
  expect(nights.service.asked.map(({ path }) => path)).toContain(`/operations/${referenceOf(0)}`);
  expect(await night()).toEqual(told);
});

test.each([WRONG, REGRESSED])(
  '%s, planted in a service that lives on, is the one root of the night after',
  async (name) => {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 12 };
    const plan = planMerchant({ reference: 'LIVING', traffic });
    const start = plan.opensAt + 10 * DAY;
    const laterFaults = [{ fault: faultNamed(name!), at: start + DAY }];
    const account = openAccount({ ...plan, laterFaults }, { seed: 'history', start });
    const source = arraySource(decodeBooks(booksOf(account.simulation)));
    const task = {
      store: nights.store,
      source,
      merchant: 'LIVING',
      pageRows: 10_000,
      diesBeforeSaving: false,
    };
    expect((await runNight({ ...task, now: start })).report.verdict).toBe('clean');
    advanceAccount(account, start + 2 * DAY);
    source.books = decodeBooks(booksOf(account.simulation));
    const { report, full } = await runNight({ ...task, now: start + 2 * DAY });
    const { operationReference } = expectedOf(account)[0]!;
    expect(report.findings.map((finding) => [finding.kind, finding.operationReference])).toEqual([
      [name, operationReference],
    ]);
    expect(comparable(report)).toEqual(comparable(full));
  },
);
