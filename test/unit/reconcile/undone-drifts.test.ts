// Drifts that later lines undo are one finding, and lines that were altered explain the drift behind
// them: which lines count, and how far.

import { describe, expect, test } from 'vitest';
import type { Alteration } from '../../../src/core/domain/alteration.ts';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import { draftOf } from '../../../src/core/kernel/checks/port/check.ts';
import { followAltered } from '../../../src/core/kernel/reconcile/roots/follow-altered.ts';
import { beginCauses, type Material } from '../../../src/core/kernel/reconcile/roots/material.ts';
import { indexPlaces, mergeDrafts } from '../../../src/core/kernel/reconcile/roots/places.ts';

const drift = (sequence: number, difference: number) => ({
  ...draftOf('BALANCE_DRIFT', {} as never, { sequence }),
  difference: BigInt(difference),
});

/** Each drift that is left, with the lines that undo it. */
const merged = (...drifts: readonly (readonly [number, number])[]) =>
  mergeDrafts(
    drifts.map(([sequence, difference]) => drift(sequence, difference)),
    [],
  ).map(({ sequence, undoneAt = [] }) => [sequence, ...undoneAt]);

describe('a drift is undone', () => {
  test('by the next line of the opposite amount, the very next one first', () => {
    expect(merged([1, 5], [2, -5])).toEqual([[1, 2]]);
    expect(merged([1, 5], [9, -5])).toEqual([[1, 9]]);
    expect(merged([1, 5], [2, 5])).toEqual([[1], [2]]);
    expect(merged([1, 5], [2, -4])).toEqual([[1], [2]]);
    expect(merged([1, 5], [4, 5], [5, -5])).toEqual([[1], [4, 5]]);
    expect(merged([1, 5], [2, -5], [3, 5])).toEqual([[1, 2], [3]]);
  });

  test('each by another line, in their order', () => {
    expect(merged([1, 5], [3, 5], [5, -5], [7, -5], [9, -5])).toEqual([[1, 5], [3, 7], [9]]);
  });

  test('by a few lines in a row that add up to nothing, five at most', () => {
    expect(merged([1, 7], [2, -3], [3, -4])).toEqual([[1, 2, 3]]);
    expect(merged([1, 7], [2, -3], [4, -4])).toEqual([[1], [2], [4]]);
    expect(merged([1, 1], [2, 2], [3, 4], [4, 8], [5, -15])).toEqual([[1, 2, 3, 4, 5]]);
    expect(merged([1, 1], [2, 2], [3, 4], [4, 8], [5, 16], [6, -31])).toHaveLength(6);
    expect(merged([1, 50], [2, 7], [3, -3], [4, -4], [5, 60])).toEqual([[1], [2, 3, 4], [5]]);
    expect(merged([1, 8], [2, -3], [3, -5], [4, 9], [5, -2], [6, -7])).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
  });

  test('and a place that is named twice is one', () => {
    expect(merged([1, 5], [1, 5])).toEqual([[1]]);
  });
});

describe('lines that were altered', () => {
  const line = (sequence: number, amount = 100, createdAt = 0): LedgerEntry =>
    ({ sequence, amount, createdAt, operationReference: `GUI-${sequence}` }) as LedgerEntry;
  const alteration = (change: Partial<Alteration> = {}): Alteration => ({
    ...{ change: 'rewritten', sequence: 5, lastSequence: 7, lines: 3 },
    ...{ before: line(5), now: line(5, 90), off: { balance: -10, reserved: 0 }, fillsGap: false },
    ...change,
  });
  const altered = ({ change, sequence }: Alteration) =>
    draftOf(change === 'fallen' ? 'HISTORY_NO_LONGER_SERVED' : 'ENTRY_REWRITTEN', {} as never, {
      sequence,
    });

  /** The alteration that a drift at a line follows from, by its first line; null: none. */
  function causeOf(
    [sequence, difference, after]: readonly [number, number, number | null],
    alterations: readonly Alteration[] = [alteration()],
    firstSequence: number | null = 1,
  ): number | null {
    const drafts = [...alterations.map(altered), drift(sequence, difference)];
    const material = {
      ...{ drafts, places: indexPlaces(drafts), alterations, firstSequence, short: [] },
      drifts: [{ sequence, after }],
    } as unknown as Material;
    const self = followAltered(material, beginCauses(drafts.length))(drafts.length - 1);
    return self === null ? null : drafts[self]!.sequence;
  }

  test('explain the drift of the line after them', () => {
    expect(causeOf([8, 3, 7])).toBe(5);
    expect(causeOf([9, 3, 6])).toBe(5);
    expect(causeOf([6, 3, 5])).toBe(5);
    expect(causeOf([6, 3, 4])).toBeNull();
    expect(causeOf([7, 3, 4])).toBeNull();
    expect(causeOf([8, 3, 4])).toBe(5);
    expect(causeOf([5, 3, 4])).toBeNull();
    expect(causeOf([5, -10, 4])).toBeNull();
    expect(causeOf([9, 3, 8])).toBeNull();
    expect(causeOf([8, 3, null])).toBeNull();
  });

  test('and a later one by as much as they moved', () => {
    expect(causeOf([20, -10, 19])).toBe(5);
    expect(causeOf([20, 10, 19])).toBeNull();
    const held = alteration({ off: { balance: 0, reserved: 4 } });
    expect(causeOf([20, 4, 19], [held])).toBe(5);
    expect(causeOf([20, 0, 19], [held])).toBeNull();
  });

  test('the last ones before it first', () => {
    const later = alteration({ sequence: 9, lastSequence: 9 });
    expect(causeOf([20, -10, 19], [alteration(), later])).toBe(9);
  });

  test('explain nothing where they fill a gap, or fell away before what is at hand', () => {
    expect(causeOf([8, 3, 7], [alteration({ fillsGap: true })])).toBeNull();
    const fallen = [alteration({ change: 'fallen' })];
    expect(causeOf([8, 3, 7], fallen)).toBeNull();
    expect(causeOf([8, 3, 7], fallen, 7)).toBeNull();
    expect(causeOf([8, 3, 7], fallen, 8)).toBe(5);
    expect(causeOf([8, 3, 7], fallen, null)).toBeNull();
    expect(causeOf([8, 3, 7], [alteration()], 8)).toBe(5);
  });
});
