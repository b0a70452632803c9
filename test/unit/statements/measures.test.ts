// The indicators of a month: they count operations, whatever lines were posted for them.

import { expect, test } from 'vitest';
import type { Statement } from '../../../src/core/statements/statement.ts';
import { measuresIn, periodFigures } from '../../../src/core/statements/tables/bridge.ts';
import { handBooks } from '../../support/hand-books.ts';
import { stateBooks } from '../../support/month-of-books.ts';

const SOUND = `
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:50 completed=10-02T08:00
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-03T07:50 completed=10-03T08:00
  10-03T07:50 CASHOUT_HOLD 10100 GUI-CO-2
  10-03T08:00 CASHOUT_DEBIT 10000 GUI-CO-2
  10-03T08:00 CASHOUT_FEE 100 GUI-CO-2`;

const stated = async (text: string): Promise<Statement> =>
  (await stateBooks(handBooks(text), { period: '2026-10' })).statement;

test.each([
  ['credited twice', '10-04T08:00 CASHIN_CREDIT 50000 GUI-CI-1'],
  ['debited twice', '10-04T08:00 CASHOUT_DEBIT 10000 GUI-CO-2'],
  ['charged twice', '10-04T08:00 CASHIN_FEE 1000 GUI-CI-1'],
])('an operation that was %s moves no indicator', async (_, line) => {
  const [sound, broken] = [await stated(SOUND), await stated(`${SOUND}\n${line}`)];
  expect(broken.summary.verdict.state).toBe('broken');
  expect(broken.summary.closingBalance).not.toBe(sound.summary.closingBalance);
  // 1,100 of 60,000.
  expect(measuresIn(broken)).toEqual({ count: [1], basket: [50_000], success: ['100.0'], rate: [183] });
  expect(measuresIn(sound)).toEqual(measuresIn(broken));
});

test('a period that was issued without the rate has none beside it', async () => {
  const statement = await stated(SOUND);
  const { rate: _, ...figures } = periodFigures(statement);
  const before = { period: '2026-09', revision: 1, documentHash: '0'.repeat(64), figures };
  const circumstances = { ...statement.circumstances, comparatives: [before] };
  expect(measuresIn({ ...statement, circumstances }).rate).toEqual([183, null]);
});
