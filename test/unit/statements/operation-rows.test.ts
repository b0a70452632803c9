// Lines folded by operation. Each line that moves the balance is in one row, in the order of the
// lines that complete the rows, and the rows lead from opening to closing.

import { expect, test } from 'vitest';
import {
  beginRowFold,
  beginRowPlan,
  foldLine,
  planRow,
} from '../../../src/core/statements/operation-rows.ts';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';

/**
 * Reads lines such as `CASHIN_CREDIT A 100`: kind, operation or `-`, effect on the balance. `NET`
 * says how much of it was withheld.
 */
function linesOf(text: string): readonly StatementLine[] {
  return text
    .trim()
    .split('\n')
    .map((row, i) => {
      const [kind, reference, effect = '0', withheld = '0'] = row.trim().split(' ');
      const moved = Number(effect);
      const sides = {
        debit: moved < 0 ? -moved : null,
        credit: moved > 0 ? moved : null,
        isMemo: moved === 0,
      };
      const operationReference = reference === '-' ? null : reference!;
      const line = {
        sequence: i + 1,
        kind: kind!,
        operationReference,
        amount: Math.abs(moved),
        ...sides,
      };
      return { ...line, commission: Number(withheld) } as unknown as StatementLine;
    });
}

function rowsOf(text: string, opening = 1_000) {
  const lines = linesOf(text);
  const planner = beginRowPlan();
  for (const line of lines) planRow(planner, line);
  const fold = beginRowFold(planner.plan, opening);
  const rows = lines.flatMap((line) => foldLine(fold, line) ?? []);
  expect([rows.length, fold.open.size]).toEqual([planner.rows, 0]);
  return rows.map(({ line, gross, commission, net, balance, isAgain }) => {
    const row = [line.sequence, line.operationReference, gross, commission, net, balance];
    return isAgain ? [...row, 'again'] : row;
  });
}

test('a collection with its commission is one row, a payout with hold, release and commission another', () => {
  const rows = rowsOf(`
    CASHOUT_HOLD B
    CASHIN_CREDIT A 200
    CASHIN_FEE A -4
    CASHOUT_RELEASE B
    CASHOUT_DEBIT B -300
    CASHOUT_FEE B -5
    CASHOUT_HOLD C`);
  expect(rows).toEqual([
    [3, 'A', 200, -4, 196, 1_196],
    [6, 'B', -300, -5, -305, 891],
  ]);
});

test('operations whose lines alternate have their rows where their last lines are, and a balance that adds up', () => {
  const rows = rowsOf(`
    CASHIN_CREDIT A 200
    CASHIN_FEE B -1
    CASHIN_CREDIT C 50
    CASHIN_FEE A -4
    CASHIN_CREDIT B 70`);
  expect(rows).toEqual([
    [3, 'C', 50, null, 50, 1_050],
    [4, 'A', 200, -4, 196, 1_246],
    [5, 'B', 70, -1, 69, 1_315],
  ]);
});

test('what is credited, debited or charged once more has a row of its own, and says so', () => {
  const rows = rowsOf(`
    CASHIN_CREDIT A 200
    CASHIN_FEE A -4
    CASHIN_CREDIT A 200
    CASHIN_FEE A -4
    CASHIN_FEE A -4
    CASHOUT_DEBIT B -10
    CASHOUT_DEBIT B -10`);
  expect(rows).toEqual([
    [2, 'A', 200, -4, 196, 1_196],
    [4, 'A', 200, -4, 196, 1_392, 'again'],
    [5, 'A', null, -4, -4, 1_388, 'again'],
    [6, 'B', -10, null, -10, 1_378],
    [7, 'B', -10, null, -10, 1_368, 'again'],
  ]);
});

test('reversals, adjustments, kinds of no document and lines that move against their kind are rows by themselves', () => {
  const rows = rowsOf(`
    CASHIN_CREDIT A 200
    REVERSAL_DEBIT A -200
    REVERSAL_CREDIT A 4
    ADJUSTMENT_CREDIT - 9
    PROMOTION_CREDIT - 3
    CASHIN_FEE A 4
    CASHIN_FEE A -4
    CASHIN_CREDIT - 20
    CASHIN_FEE - -2`);
  expect(rows).toEqual([
    [2, 'A', null, null, -200, 800],
    [3, 'A', null, null, 4, 804],
    [4, null, null, null, 9, 813],
    [5, null, null, null, 3, 816],
    [6, 'A', null, null, 4, 820],
    [7, 'A', 200, -4, 196, 1_016],
    [8, null, 20, null, 20, 1_036],
    [9, null, null, -2, -2, 1_034],
  ]);
});

test('a collection that is posted net is stated gross, with what was withheld', () => {
  expect(rowsOf('CASHIN_CREDIT A 196 4')).toEqual([[1, 'A', 200, -4, 196, 1_196]]);
});
