// What one line moved, and which of several lines of one number belong to the chain: at the edge of
// each rule.

import { describe, expect, test } from 'vitest';
import {
  EVERY_INTERPRETATION,
  type Standing,
  setOf,
} from '../../../src/core/domain/assumptions.ts';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import {
  chooseLines,
  countMisfits,
  follows,
} from '../../../src/core/kernel/replay/choose-lines.ts';
import { type LineContext, moveOf } from '../../../src/core/kernel/replay/move-of.ts';

type Posted = Pick<LedgerEntry, 'kind' | 'direction' | 'amount' | 'balanceAfter' | 'reservedAfter'>;

function line(
  kind: string,
  direction: string,
  [amount, balanceAfter, reservedAfter = 0]: readonly number[],
  more: Partial<LedgerEntry> = {},
): LedgerEntry {
  const posted = { kind, direction, amount, balanceAfter, reservedAfter } as Posted;
  return {
    ...posted,
    ...{ id: `${kind} ${amount}`, sequence: 2, currency: 'XOF', operationReference: 'GUI-CO-1' },
    ...{ description: null, createdAt: 0 },
    ...more,
  } as LedgerEntry;
}

describe('the figures before a line', () => {
  const credit = line('CASHIN_CREDIT', 'CREDIT', [10, 110, 5]);
  const open: LineContext = {
    before: null,
    opening: null,
    tally: null,
    standing: EVERY_INTERPRETATION,
  };

  test('are those of the line before it, else those declared, else nothing', () => {
    const before = { sequence: 1, balance: 100, reserved: 5 };
    const opening = { balance: 100, reserved: 5 };
    expect(moveOf(credit, { ...open, before })).toMatchObject({ from: before, balanceOff: false });
    expect(moveOf(credit, { ...open, opening })).toMatchObject({ from: before, reservedMove: 0 });
    expect(moveOf(credit, open)).toMatchObject({
      from: { sequence: 1, balance: 0, reserved: 0 },
      reservedMove: null,
      balanceOff: true,
      reservedOff: true,
    });
  });

  test('are not known after a jump behind which a figure does not follow', () => {
    const movedAfter = (sequence: number, balance: number, reserved = 5) => {
      const { afterJump, reservedMove } = moveOf(credit, {
        ...open,
        before: { sequence, balance, reserved },
      });
      return [afterJump, reservedMove];
    };
    expect(movedAfter(1, 100)).toEqual([false, 0]);
    expect(movedAfter(1, 99)).toEqual([false, 0]);
    expect(movedAfter(0, 100)).toEqual([true, 0]);
    expect(movedAfter(0, 99)).toEqual([true, null]);
    expect(movedAfter(0, 100, 4)).toEqual([true, null]);
  });
});

describe('the direction of a line', () => {
  const seen = (kind: string, direction: string, figures: readonly number[]) =>
    moveOf(line(kind, direction, figures), {
      ...{ before: { sequence: 1, balance: 100, reserved: 50 }, opening: null, tally: null },
      standing: EVERY_INTERPRETATION,
    });
  const directions = (...given: Parameters<typeof seen>) => seen(...given).direction;

  test('is that of its kind, unless the figures bear out the recorded one alone', () => {
    expect(directions('CASHIN_CREDIT', 'DEBIT', [10, 110, 50])).toBe('CREDIT');
    expect(directions('CASHIN_CREDIT', 'DEBIT', [10, 90, 50])).toBe('DEBIT');
    expect(directions('CASHIN_CREDIT', 'DEBIT', [10, 95, 50])).toBe('CREDIT');
    expect(directions('CASHIN_CREDIT', 'STRANGE', [10, 90, 50])).toBe('CREDIT');
  });

  test('HOLD needs more that is reserved, RELEASE less', () => {
    expect(directions('CASHOUT_HOLD', 'RELEASE', [10, 100, 60])).toBe('HOLD');
    expect(directions('CASHOUT_HOLD', 'RELEASE', [10, 100, 40])).toBe('RELEASE');
    expect(directions('CASHOUT_HOLD', 'RELEASE', [10, 100, 50])).toBe('HOLD');
    expect(directions('CASHOUT_RELEASE', 'HOLD', [10, 100, 40])).toBe('RELEASE');
    expect(directions('CASHOUT_RELEASE', 'HOLD', [10, 100, 60])).toBe('HOLD');
    expect(directions('CASHOUT_RELEASE', 'HOLD', [10, 100, 50])).toBe('RELEASE');
    expect(directions('CASHIN_CREDIT', 'HOLD', [10, 100, 50])).toBe('CREDIT');
    expect(directions('CASHIN_CREDIT', 'HOLD', [10, 100, 51])).toBe('HOLD');
    expect(directions('CASHIN_CREDIT', 'RELEASE', [10, 100, 49])).toBe('RELEASE');
  });

  test('of an unknown kind is the recorded one, of neither what the figures did', () => {
    expect(directions('STRANGE', 'CREDIT', [10, 90, 50])).toBe('CREDIT');
    expect(directions('STRANGE', 'STRANGE', [10, 101, 50])).toBe('CREDIT');
    expect(directions('STRANGE', 'STRANGE', [10, 99, 50])).toBe('DEBIT');
    expect(directions('STRANGE', 'STRANGE', [10, 100, 49])).toBe('RELEASE');
    expect(directions('STRANGE', 'STRANGE', [10, 100, 50])).toBe('HOLD');
  });

  test('and of what is unknown the recorded figures are the move', () => {
    for (const [kind, direction] of [
      ['STRANGE', 'CREDIT'],
      ['CASHIN_CREDIT', 'STRANGE'],
    ] as const)
      expect(seen(kind, direction, [10, 93, 57])).toMatchObject({
        ...{ effect: -7, heldMove: 7, balanceOff: false, reservedOff: false },
      });
    expect(seen('CASHIN_CREDIT', 'DEBIT', [10, 93, 57])).toMatchObject({ effect: 10, heldMove: 0 });
  });
});

describe('the debit of a cash-out', () => {
  type One = Parameters<typeof setOf<'holdSettlement'>>[1];
  const standing = (...some: readonly One[]): Standing => ({
    ...EVERY_INTERPRETATION,
    holdSettlement: setOf('holdSettlement', ...some),
  });
  interface Held {
    readonly held?: number;
    readonly hold?: number | null;
    /** Null: the line names no operation. */
    readonly tally?: null;
    readonly afterJump?: boolean;
  }
  /** What a debit of 100, or a fee of 20, is taken to move, where `observed` was recorded. */
  function moved(
    kind: 'CASHOUT_DEBIT' | 'CASHOUT_FEE',
    observed: number | null,
    some: readonly One[],
    { held = 120, hold = 120, tally, afterJump = false }: Held = {},
  ): number {
    const amount = kind === 'CASHOUT_DEBIT' ? 100 : 20;
    const before = { sequence: afterJump ? 0 : 1, balance: 1_000, reserved: 500 };
    return moveOf(line(kind, 'DEBIT', [amount, 1_000 - amount, 500 + (observed ?? 0)]), {
      ...{ before: observed === null ? null : before, opening: null },
      tally: tally === null ? null : ({ held, hold } as LineContext['tally']),
      standing: standing(...some),
    }).heldMove;
  }
  const debit = (observed: number | null, some: readonly One[], held?: Held) =>
    moved('CASHOUT_DEBIT', observed, some, held) + 0;
  const fee = (observed: number | null, some: readonly One[], held?: Held) =>
    moved('CASHOUT_FEE', observed, some, held) + 0;

  test('takes its amount, or as much of it as is held', () => {
    for (const one of ['DEBIT_AND_FEE', 'FEE_OUTSIDE'] as const) {
      expect(debit(-100, [one])).toBe(-100);
      expect(debit(-100, [one], { held: 30 })).toBe(-100);
      expect(debit(-30, [one], { held: 30 })).toBe(-30);
      expect(debit(-70, [one])).toBe(-100);
      expect(debit(-70, [one], { held: 30 })).toBe(-30);
      expect(debit(null, [one], { held: 30 })).toBe(-30);
      expect(debit(0, [one], { held: -5 })).toBe(0);
      expect(debit(-7, [one], { tally: null })).toBe(0);
    }
  });

  test('takes the whole hold, and one hold a second time', () => {
    expect(debit(-120, ['DEBIT_ALL'])).toBe(-120);
    expect(debit(-100, ['DEBIT_ALL'])).toBe(-120);
    expect(debit(-120, ['DEBIT_ALL'], { held: 0 })).toBe(-120);
    expect(debit(-50, ['DEBIT_ALL'], { held: 0 })).toBe(0);
    expect(debit(null, ['DEBIT_ALL'])).toBe(-120);
    expect(debit(-50, ['DEBIT_ALL'], { held: 0, hold: null })).toBe(-50);
    expect(debit(0, ['DEBIT_ALL'], { held: 0, hold: null })).toBe(0);
    expect(debit(5, ['DEBIT_ALL'], { held: 0, hold: null })).toBe(0);
    expect(debit(-50, ['DEBIT_ALL'], { tally: null })).toBe(-50);
  });

  test('never adds to what is reserved, and a release takes its amount off', () => {
    expect(debit(100, ['DEBIT_AND_FEE'])).toBe(-100);
    expect(debit(120, ['DEBIT_ALL'])).toBe(-120);
    expect(fee(20, ['DEBIT_AND_FEE'], { held: 8 })).toBe(-8);
    const before = { sequence: 1, balance: 100, reserved: 50 };
    const around = { before, opening: null, tally: null, standing: EVERY_INTERPRETATION };
    const released = line('CASHOUT_RELEASE', 'RELEASE', [10, 100, 40]);
    expect(moveOf(released, around)).toMatchObject({ heldMove: -10, reservedOff: false });
    const charged = line('CASHIN_FEE', 'DEBIT', [10, 90, 40]);
    expect(moveOf(charged, around)).toMatchObject({ heldMove: 0, reservedOff: true });
  });

  test('takes nothing where the hold is released', () => {
    for (const one of ['RELEASE_FIRST', 'RELEASE_LAST'] as const) {
      expect(debit(0, [one])).toBe(0);
      expect(debit(-100, [one])).toBe(0);
      expect(debit(0, [one, 'DEBIT_AND_FEE'])).toBe(0);
      expect(debit(-120, [one, 'DEBIT_ALL'])).toBe(-120);
      expect(debit(0, ['DEBIT_AND_FEE'])).toBe(-100);
    }
  });

  test('may take a hold that is among missing lines', () => {
    const lost = { held: 0, hold: null, afterJump: true };
    expect(debit(-7, ['DEBIT_AND_FEE'], lost)).toBe(-100);
    expect(debit(-7, ['DEBIT_AND_FEE'], { ...lost, afterJump: false })).toBe(0);
    expect(debit(-7, ['DEBIT_AND_FEE'], { ...lost, hold: 120 })).toBe(0);
    expect(debit(-7, ['DEBIT_AND_FEE'], { ...lost, tally: null })).toBe(-100);
  });

  test('has a fee that takes its own amount of the hold, or nothing', () => {
    expect(fee(-20, ['DEBIT_AND_FEE'])).toBe(-20);
    expect(fee(-8, ['DEBIT_AND_FEE'], { held: 8 })).toBe(-8);
    expect(fee(-7, ['DEBIT_AND_FEE'])).toBe(-20);
    expect(fee(-7, ['DEBIT_AND_FEE'], { held: 8 })).toBe(-8);
    expect(fee(null, ['DEBIT_AND_FEE'], { held: 8 })).toBe(-8);
    expect(fee(-7, ['DEBIT_AND_FEE'], { held: -8 })).toBe(0);
    expect(fee(-7, ['DEBIT_AND_FEE'], { tally: null })).toBe(0);
    for (const one of ['RELEASE_FIRST', 'RELEASE_LAST', 'DEBIT_ALL', 'FEE_OUTSIDE'] as const) {
      expect(fee(-20, [one])).toBe(0);
      expect(fee(0, [one, 'DEBIT_AND_FEE'])).toBe(0);
    }
    expect(fee(0, ['DEBIT_AND_FEE'])).toBe(-20);
  });
});

describe('a line follows', () => {
  const from = { balance: 100, reserved: 50 };
  const fits = (direction: string, figures: readonly number[]) =>
    follows(from, line('X', direction, figures));

  test('where both figures move as its direction may move them', () => {
    expect(fits('CREDIT', [10, 110, 50])).toBe(true);
    expect(fits('CREDIT', [10, 111, 50])).toBe(false);
    expect(fits('CREDIT', [10, 110, 49])).toBe(false);
    expect(fits('DEBIT', [10, 90, 50])).toBe(true);
    expect(fits('DEBIT', [10, 90, 40])).toBe(true);
    expect(fits('DEBIT', [10, 90, 51])).toBe(false);
    expect(fits('HOLD', [10, 100, 60])).toBe(true);
    expect(fits('HOLD', [10, 100, 59])).toBe(false);
    expect(fits('RELEASE', [10, 100, 40])).toBe(true);
    expect(fits('RELEASE', [10, 100, 60])).toBe(false);
  });

  test('and the first of a ledger from nothing', () => {
    const first = line('X', 'CREDIT', [10, 10]);
    expect(countMisfits(null, [first], null)).toBe(0);
    expect(countMisfits(null, [line('X', 'CREDIT', [10, 11])], null)).toBe(1);
    expect(countMisfits({ sequence: 1, ...from }, [first], null)).toBe(1);
    expect(countMisfits(null, [first], line('X', 'CREDIT', [5, 15]))).toBe(0);
    expect(countMisfits(null, [first], line('X', 'CREDIT', [5, 16]))).toBe(1);
  });
});

describe('of several lines of one number', () => {
  const before = { sequence: 1, balance: 100, reserved: 0 };
  const a = line('CASHIN_CREDIT', 'CREDIT', [10, 110]);
  const b = line('CASHIN_FEE', 'DEBIT', [3, 107]);
  const other = line('CASHIN_CREDIT', 'CREDIT', [20, 120]);

  test('a delivery of the same line is none', () => {
    expect(chooseLines(before, [a, { ...a }], null)).toEqual({
      ...{ apply: [a], others: [], leftOut: [], redeliveries: 1 },
    });
  });

  test('two that follow each other are both of the chain', () => {
    expect(chooseLines(before, [b, a], null)).toEqual({
      ...{ apply: [a, b], others: [b], leftOut: [], redeliveries: 0 },
    });
  });

  test('the one that leads to the line after is, and the first where none does', () => {
    const after = line('CASHIN_CREDIT', 'CREDIT', [5, 125]);
    const chosen = (next: LedgerEntry | null) =>
      chooseLines(before, [a, other], next).apply.map(({ amount }) => amount);
    expect(chosen(after)).toEqual([20]);
    expect(chosen(line('CASHIN_CREDIT', 'CREDIT', [5, 115]))).toEqual([10]);
    expect(chosen(null)).toEqual([10]);
    expect(chooseLines(before, [a, other], after)).toMatchObject({ others: [a], leftOut: [a] });
  });

  test('pairs are sought among the first eight', () => {
    const strange = Array.from({ length: 7 }, (_, i) => line('X', 'CREDIT', [1, 500 + i]));
    const sizes = (rows: readonly LedgerEntry[]) => chooseLines(before, rows, null).apply.length;
    expect(sizes([...strange.slice(1), a, b])).toBe(2);
    expect(sizes([...strange, a, b])).toBe(1);
    expect(sizes([...strange.slice(1), b, a])).toBe(2);
    expect(sizes([...strange, b, a])).toBe(1);
  });
});
