// What a night cannot judge keeps what was said of it before: an operation that was touched while
// it was read, one that a line of an unknown kind names, and everything where the reading is dated
// before an earlier one. Nothing is resolved, and no verdict gets better.

import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { closable } from '../../src/service/workflows/closable.ts';
import { makeLine, referenceOf } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { acceptFinding, statesOf } from '../support/known-findings.ts';
import { EVENING, outcomeOf, runSource } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const nights = nightlyService(30);

/**
 * Works a night. `behind`: milliseconds by which the answer with the profile is dated too early.
 */
async function night(behind = 0) {
  const { service } = nights;
  service.clockOffset = EVENING - behind - Date.now();
  // The profile is asked for first.
  service.before = () => {
    service.clockOffset = EVENING - Date.now();
    return null;
  };
  await using source = closable(openSource(service, {}));
  const { report, changes } = outcomeOf(await runSource(nights.store, source), 'M001');
  const roots = report.findings.filter(
    ({ causedBy, severity }) => causedBy === null && severity === 'critical',
  );
  return {
    verdict: report.verdict,
    roots: roots.map(({ kind }) => kind),
    resolved: changes.resolved,
    due: report.due?.balance,
    isBehind: report.notChecked.some(({ code }) => code === 'CLOCK_BEHIND'),
  };
}

/** Posts the credit of the tenth operation twice. */
function postTwice(): void {
  const { ledger } = nights.books();
  const sequence = ledger.length + 1;
  ledger.push({ ...makeLine(sequence), operationReference: referenceOf(10) });
  const balance = sequence * 1_000;
  nights.books().wallet = { ...nights.books().wallet, balance, available: balance };
}

const BROKEN = {
  verdict: 'broken',
  roots: ['CREDIT_DUPLICATED'],
  resolved: [],
  due: '30000',
  isBehind: false,
};

test('an operation that is touched while it is read', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  const { operations } = nights.books();
  operations[9] = { ...operations[9]!, updatedAt: new Date(EVENING + 2_000).toISOString() };
  expect(await night()).toEqual(BROKEN);
  expect(await statesOf(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
});

test('a line of an unknown kind that names it', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  const { ledger } = nights.books();
  const sequence = ledger.length + 1;
  const [last] = ledger.slice(-1);
  ledger.push({
    ...makeLine(sequence),
    kind: 'LOYALTY_NOTE',
    amount: 1,
    balanceAfter: Number(last!.balanceAfter) + 1,
    operationReference: referenceOf(10),
  });
  const balance = Number(last!.balanceAfter) + 1;
  nights.books().wallet = { ...nights.books().wallet, balance, available: balance };
  expect(await night()).toMatchObject({ verdict: 'broken', resolved: [] });
  expect(await night()).toMatchObject({ verdict: 'broken', resolved: [] });
  expect(await statesOf(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
});

test('an acceptance goes on while the operation cannot be judged', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  await acceptFinding(nights.store, 'CREDIT_DUPLICATED');
  const { ledger } = nights.books();
  const sequence = ledger.length + 1;
  const balance = Number(ledger.at(-1)!.balanceAfter) + 1;
  const note = { ...makeLine(sequence), kind: 'LOYALTY_NOTE', amount: 1, balanceAfter: balance };
  ledger.push({ ...note, operationReference: referenceOf(10) });
  nights.books().wallet = { ...nights.books().wallet, balance, available: balance };
  expect(await night()).toMatchObject({
    verdict: 'incomplete',
    roots: ['CREDIT_DUPLICATED'],
    resolved: [],
  });
  expect(await statesOf(nights.store, 'CREDIT_DUPLICATED')).toEqual(['accepted']);
});

test('one answer that is dated before the last reading', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  expect(await night(2 * DAY)).toEqual({ ...BROKEN, isBehind: true });
  expect(await statesOf(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
});
