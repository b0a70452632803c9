// What the lines of one operation show: its type, the interpretations that it fits, and the lines
// that its state requires.

import { describe, expect, test } from 'vitest';
import {
  BITS,
  EVERY_INTERPRETATION,
  type Standing,
  setOf,
} from '../../../src/core/domain/assumptions.ts';
import type { Operation } from '../../../src/core/domain/operation.ts';
import { fitInterpretations } from '../../../src/core/kernel/replay/fit-interpretations.ts';
import {
  effectiveType,
  factsOf,
  requiredOf,
  settlingLines,
  undoingLines,
} from '../../../src/core/kernel/replay/operation-facts.ts';
import { tallyFrom, type Written } from '../../support/tally-from.ts';

type State = Parameters<typeof tallyFrom>[0];

/** Returns an operation with the facts of its lines. */
function readFrom(state: State, written: readonly Written[]) {
  const { operation, lines } = tallyFrom(state, written);
  return { operation: operation as Operation, facts: factsOf(lines) };
}

const CASHIN = { reference: 'GUI-CI-1', status: 'SUCCEEDED', amount: 1000, fees: 20 } as const;
const CASHOUT = { reference: 'GUI-CO-1', status: 'SUCCEEDED', amount: 1000, fees: 20 } as const;
const CREDIT = ['CASHIN_CREDIT', 1000] as const;
const NET_CREDIT = ['CASHIN_CREDIT', 980] as const;
const FEE = ['CASHIN_FEE', 20] as const;
const HOLD = ['CASHOUT_HOLD', 1020] as const;
const DEBIT = ['CASHOUT_DEBIT', 1000, -1000] as const;
const CASHOUT_FEE = ['CASHOUT_FEE', 20, -20] as const;

describe('the type of an operation whose reference announces another one', () => {
  const typed = (state: State, ...written: readonly Written[]) => {
    const { operation, facts } = readFrom(state, written);
    return [
      effectiveType(operation, facts),
      requiredOf(operation, facts, EVERY_INTERPRETATION).balance,
    ];
  };
  const cashinCalledCashout: State = { ...CASHIN, type: 'CASHOUT' };
  const cashoutCalledCashin: State = { ...CASHOUT, type: 'CASHIN' };

  test('is the announced one where all its money lines agree', () => {
    expect(typed(cashinCalledCashout, CREDIT, FEE)).toEqual(['CASHIN', 980]);
    expect(typed(cashinCalledCashout, FEE)).toEqual(['CASHIN', 980]);
    expect(typed(cashoutCalledCashin, HOLD, DEBIT, CASHOUT_FEE)).toEqual(['CASHOUT', -1020]);
    expect(typed(cashoutCalledCashin, HOLD)).toEqual(['CASHOUT', -1020]);
  });

  test('is its own where they do not, or where there are none', () => {
    expect(typed(cashinCalledCashout)).toEqual(['CASHOUT', -1020]);
    expect(typed(cashinCalledCashout, CREDIT, FEE, HOLD)).toEqual(['CASHOUT', -1020]);
    expect(typed(cashoutCalledCashin)).toEqual(['CASHIN', 980]);
    expect(typed(cashoutCalledCashin, HOLD, DEBIT, FEE)).toEqual(['CASHIN', 980]);
  });
});

describe('how a hold is settled', () => {
  const settledBy = (...written: readonly Written[]) => {
    const { operation, facts } = readFrom(CASHOUT, written);
    return fitInterpretations(operation, facts);
  };

  test('is read from one hold, one debit and one fee', () => {
    expect(settledBy(HOLD, DEBIT, CASHOUT_FEE)).toMatchObject({
      holdSettlement: BITS.holdSettlement.DEBIT_AND_FEE,
      holdAmount: BITS.holdAmount.NET,
    });
    expect(settledBy(HOLD, ['CASHOUT_DEBIT', 1000, -1020], ['CASHOUT_FEE', 20])).toMatchObject({
      holdSettlement: BITS.holdSettlement.DEBIT_ALL,
    });
  });

  test.each<[string, readonly Written[]]>([
    ['several holds', [HOLD, HOLD, DEBIT, CASHOUT_FEE]],
    ['several debits', [HOLD, DEBIT, DEBIT, CASHOUT_FEE]],
    ['several fees', [HOLD, DEBIT, CASHOUT_FEE, CASHOUT_FEE]],
    ['no hold', [DEBIT, CASHOUT_FEE]],
  ])('is not read from %s', (_, written) => {
    expect(settledBy(...written).holdSettlement).toBe(0);
  });

  test('says nothing of the amount of a hold that was placed twice', () => {
    expect(settledBy(['CASHOUT_HOLD', 510], ['CASHOUT_HOLD', 510]).holdAmount).toBe(0);
  });
});

describe('the lines that success and a reversal post', () => {
  const NET_ONLY: Standing = {
    ...EVERY_INTERPRETATION,
    cashinCredit: setOf('cashinCredit', 'NET'),
  };
  const lines = (standing: Standing, ...written: readonly Written[]) => {
    const { operation, facts } = readFrom({ ...CASHIN, status: 'REVERSED' }, written);
    return [settlingLines, undoingLines].map((of) =>
      of(operation, facts, standing).map(({ kind, amount }) => `${kind} ${amount}`),
    );
  };
  const GROSS = [
    ['CASHIN_CREDIT 1000', 'CASHIN_FEE 20'],
    ['REVERSAL_DEBIT 1000', 'REVERSAL_CREDIT 20'],
  ];
  const NET = [['CASHIN_CREDIT 980'], ['REVERSAL_DEBIT 980']];

  test('of a cash-in are those of its credit, where both credits are lawful', () => {
    expect(lines(EVERY_INTERPRETATION, NET_CREDIT)).toEqual(NET);
    expect(lines(EVERY_INTERPRETATION, CREDIT, FEE)).toEqual(GROSS);
    expect(lines(EVERY_INTERPRETATION)).toEqual(GROSS);
    expect(lines(EVERY_INTERPRETATION, NET_CREDIT, FEE)).toEqual(GROSS);
  });

  test('of a cash-in are net where no other credit is lawful, whatever was posted', () => {
    expect(lines(NET_ONLY, CREDIT, FEE)).toEqual(NET);
    expect(lines(NET_ONLY)).toEqual(NET);
  });

  test.each([
    ['LINES', ['REVERSAL_CREDIT 1000', 'REVERSAL_CREDIT 20']],
    ['NET', ['REVERSAL_CREDIT 1020']],
    ['PRINCIPAL', ['REVERSAL_CREDIT 1000']],
  ] as const)('of a cash-out that is undone by %s', (reading, due) => {
    const { operation, facts } = readFrom({ ...CASHOUT, status: 'REVERSED' }, []);
    const standing = { ...EVERY_INTERPRETATION, reversal: setOf('reversal', reading) };
    expect(
      undoingLines(operation, facts, standing).map(({ kind, amount }) => `${kind} ${amount}`),
    ).toEqual(due);
  });
});
