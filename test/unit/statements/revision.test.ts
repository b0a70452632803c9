// Revisions: what a second revision says of the first.

import { expect, test } from 'vitest';
import { handBooks } from '../../support/hand-books.ts';
import { stateBooks } from '../../support/month-of-books.ts';

const first = `
  10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00 operator=WAVE`;
const late = `
  10-31T23:50 CASHIN_CREDIT 700 GUI-CI-2
  op GUI-CI-2 SUCCEEDED 700 created=10-31T23:40 completed=10-31T23:50 operator=MTN`;

test('a late line makes a second revision, which lists each figure that changed', async () => {
  const issued = (await stateBooks(handBooks(first, '11-02T00:00'), { period: '2026-10' }))
    .statement;
  const { statement } = await stateBooks(handBooks(first + late, '11-09T00:00'), {
    period: '2026-10',
    issued,
  });
  expect(statement.revision).toMatchObject({
    number: 2,
    previous: {
      number: 1,
      generatedAt: issued.generatedAt,
      contentHash: issued.integrity.contentHash,
      documentHash: issued.integrity.documentHash,
    },
  });
  expect(statement.summary.revision).toBe(2);
  const changes = Object.fromEntries(
    statement.revision.changes.map((one) => [one.figure, [one.before, one.after]]),
  );
  expect(changes).toMatchObject({
    totalAmount: ['500', '1200'],
    paymentCount: ['1', '2'],
    'byOperator.MTN.amount': [null, '700'],
    'byDay.2026-10-31.count': [null, '1'],
    'byStatus.SUCCEEDED': ['1', '2'],
    closingBalance: ['500', '1200'],
    lastSequence: ['1', '2'],
  });
  expect(Object.keys(changes)).not.toContain('byOperator.WAVE.amount');
  expect(Object.keys(changes).filter((figure) => /revision|chainHead/.test(figure))).toEqual([]);
});

test('a line that changes without a figure of the summary is listed among the lines', async () => {
  const issued = (await stateBooks(handBooks(first), { period: '2026-10' })).statement;
  const other = handBooks(first.replace('10-05T10:00 CASHIN', '10-05T10:01 CASHIN'));
  const { statement } = await stateBooks(other, { period: '2026-10', issued });
  expect(statement.revision.changes.map((change) => change.figure)).toEqual(['lines']);
});

test('a third revision follows the second', async () => {
  const one = (await stateBooks(handBooks(first), { period: '2026-10' })).statement;
  const two = (await stateBooks(handBooks(first + late), { period: '2026-10', issued: one }))
    .statement;
  const three = (await stateBooks(handBooks(first), { period: '2026-10', issued: two })).statement;
  expect([three.revision.number, three.revision.previous?.number]).toEqual([3, 2]);
  expect(three.integrity).toEqual(one.integrity);
});
