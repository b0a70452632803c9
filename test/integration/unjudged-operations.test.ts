// What a night cannot judge keeps what was said of it: an operation that was touched while it was read, one that a line of an unknown
// kind names, and everything where the reading is dated before an earlier one. Nothing is resolved, and no verdict is better.

import { expect, test } from 'vitest';
import { makeLine, referenceOf } from '../support/http-books.ts';
import { findFindings } from '../support/known-findings.ts';
import { outcomeOf, runOver } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const nights = nightlyService(30);

async function night() {
  const { report, changes } = outcomeOf(await runOver(nights.store, nights.service, {}, {}), 'M001');
  const roots = report.findings.filter(({ causedBy, severity }) => causedBy === null && severity === 'critical');
  return {
    verdict: report.verdict,
    roots: roots.map(({ kind }) => kind),
    resolved: changes.resolved,
    due: report.due?.balance,
  };
}

/** The credit of the tenth operation is posted twice. */
function postTwice(): void {
  const { ledger } = nights.books();
  const sequence = ledger.length + 1;
  ledger.push({ ...makeLine(sequence), operationReference: referenceOf(10) });
  const balance = sequence * 1_000;
  nights.books().wallet = { ...nights.books().wallet, balance, available: balance };
}

const BROKEN = { verdict: 'broken', roots: ['CREDIT_DUPLICATED'], resolved: [], due: '30000' };

test('an operation that is touched while it is read', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  const { operations } = nights.books();
  operations[9] = { ...operations[9]!, updatedAt: new Date(Date.now() + 2_000).toISOString() };
  expect(await night()).toMatchObject({ roots: ['CREDIT_DUPLICATED'], resolved: [], due: '30000' });
  expect(await findFindings(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
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
  expect(await findFindings(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
});

test('a reading that is dated before the last one', async () => {
  postTwice();
  expect(await night()).toEqual(BROKEN);
  nights.service.clockOffset = -13 * 86_400_000;
  const behind = await night();
  expect(behind.resolved).toEqual([]);
  expect(behind.verdict).not.toBe('clean');
  expect(await findFindings(nights.store, 'CREDIT_DUPLICATED')).toEqual(['open']);
});
