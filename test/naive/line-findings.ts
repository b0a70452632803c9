// Section A of the catalogue: what lines show by themselves, and against the line before them.

import { CLOCKS_DIFFER, type NaiveBooks, type NaiveFinding } from './naive-books.ts';
import type { Replayed, Step } from './naive-replay.ts';

const KINDS: Readonly<Record<string, string>> = {
  CASHIN_CREDIT: 'CREDIT',
  REVERSAL_CREDIT: 'CREDIT',
  ADJUSTMENT_CREDIT: 'CREDIT',
  CASHIN_FEE: 'DEBIT',
  CASHOUT_DEBIT: 'DEBIT',
  CASHOUT_FEE: 'DEBIT',
  REVERSAL_DEBIT: 'DEBIT',
  ADJUSTMENT_DEBIT: 'DEBIT',
  CASHOUT_HOLD: 'HOLD',
  CASHOUT_RELEASE: 'RELEASE',
};

export const LINE_KINDS = [
  'LINES_MISSING',
  'SEQUENCE_GAP',
  'SEQUENCE_DUPLICATE',
  'ENTRY_ID_REUSED',
  'BALANCE_DRIFT',
  'RESERVED_DRIFT',
  'OPENING_BALANCE_UNEXPLAINED',
  'AMOUNT_NOT_POSITIVE',
  'KIND_DIRECTION_MISMATCH',
  'UNKNOWN_KIND',
  'CURRENCY_MISMATCH',
  'HOLD_EXCEEDS_AVAILABLE',
  'RESERVED_NEGATIVE',
  'ENTRY_TIME_IMPOSSIBLE',
  'REFERENCE_MISSING',
  'BALANCE_NEGATIVE',
  'AVAILABLE_NEGATIVE',
] as const;

export function lineFindings(books: NaiveBooks, replayed: Replayed): readonly NaiveFinding[] {
  const found: NaiveFinding[] = [];
  const outOfStep = linesOutOfStep(replayed.steps.map(({ line }) => line));
  for (const step of replayed.steps) {
    for (const kind of wrongWithLine(step, books, outOfStep)) found.push(at(kind, step));
    for (const kind of wrongWithFigures(step)) found.push(at(kind, step));
  }
  found.push(...drifts(replayed));
  return [...found, ...reusedIds(books), ...figuresBelowZero(replayed)];
}

/** Numbers that are missing are no operation's, nor is what stood before the first line. */
const OF_NOBODY = ['LINES_MISSING', 'SEQUENCE_GAP', 'OPENING_BALANCE_UNEXPLAINED'];

/** A number that two operations share belongs to neither. */
function at(kind: string, { line, others }: Step): NaiveFinding {
  const isShared = others.some((other) => other.operationReference !== line.operationReference);
  const isOfNobody = OF_NOBODY.includes(kind) || (kind === 'SEQUENCE_DUPLICATE' && isShared);
  return {
    kind,
    sequence: line.sequence,
    operationReference: isOfNobody ? null : line.operationReference,
  };
}

/**
 * All but the longest row of lines of which none is dated more than a day before the one before it;
 * of several, the first.
 */
function linesOutOfStep(lines: readonly Step['line'][]): ReadonlySet<Step['line']> {
  const lengths: number[] = [];
  const before: number[] = [];
  lines.forEach((line, i) => {
    [lengths[i], before[i]] = [1, -1];
    for (let j = 0; j < i; j += 1) {
      if (line.createdAt < lines[j]!.createdAt - 86_400_000 || lengths[j]! < lengths[i]!) continue;
      [lengths[i], before[i]] = [lengths[j]! + 1, j];
    }
  });
  const inStep = new Set<Step['line']>();
  for (let i = lengths.indexOf(Math.max(...lengths)); i >= 0; i = before[i]!) inStep.add(lines[i]!);
  return new Set(lines.filter((line) => !inStep.has(line)));
}

function wrongWithLine(
  { line, others }: Step,
  { wallet, profile, asOf }: NaiveBooks,
  outOfStep: ReadonlySet<Step['line']>,
): readonly string[] {
  const kinds: string[] = [];
  const direction = KINDS[line.kind];
  const isKnown = direction !== undefined && Object.values(KINDS).includes(line.direction);
  const isAdjustment = line.kind.startsWith('ADJUSTMENT_');
  if (others.length > 0) kinds.push('SEQUENCE_DUPLICATE');
  if (line.amount <= 0) kinds.push('AMOUNT_NOT_POSITIVE');
  if (!isKnown) kinds.push('UNKNOWN_KIND');
  else if (direction !== line.direction) kinds.push('KIND_DIRECTION_MISMATCH');
  if (line.currency !== wallet.currency) kinds.push('CURRENCY_MISMATCH');
  const isOutside =
    line.createdAt > asOf + CLOCKS_DIFFER || line.createdAt < profile.createdAt - CLOCKS_DIFFER;
  if (isOutside || outOfStep.has(line)) kinds.push('ENTRY_TIME_IMPOSSIBLE');
  if (line.operationReference === null && direction !== undefined && !isAdjustment)
    kinds.push('REFERENCE_MISSING');
  return kinds;
}

function wrongWithFigures(step: Step): readonly string[] {
  const { line, balanceBefore, reservedBefore, balanceOff, reservedOff } = step;
  const kinds: string[] = [];
  if (!step.isFirst && step.skipped > 0 && balanceOff === 0 && reservedOff === 0)
    kinds.push('SEQUENCE_GAP');
  const available = balanceBefore - reservedBefore + step.settling;
  const isHold =
    line.kind === 'CASHOUT_HOLD' || (KINDS[line.kind] === undefined && line.direction === 'HOLD');
  if (isHold && line.amount > available) kinds.push('HOLD_EXCEEDS_AVAILABLE');
  if (line.reservedAfter < 0 && reservedBefore >= 0) kinds.push('RESERVED_NEGATIVE');
  return kinds;
}

interface Drift {
  readonly step: Step;
  readonly kind: string;
  readonly difference: number;
}

/**
 * Where a figure leaves the chain. A drift that later lines undo exactly is one, found where it
 * begins.
 */
function drifts({ steps }: Replayed): readonly NaiveFinding[] {
  const ofBalance: Drift[] = [];
  const ofReserved: Drift[] = [];
  for (const step of steps) {
    const { isFirst, skipped, balanceOff, reservedOff } = step;
    const isJump = !isFirst && skipped > 0;
    if (balanceOff !== 0) {
      const kind = isFirst
        ? 'OPENING_BALANCE_UNEXPLAINED'
        : isJump
          ? 'LINES_MISSING'
          : 'BALANCE_DRIFT';
      ofBalance.push({ step, kind, difference: balanceOff });
    }
    // Missing lines are one finding, with the balance that they moved where they moved any.
    // The sum of open holds finds what is reserved before the first line.
    if (reservedOff !== 0 && !isFirst && !(isJump && balanceOff !== 0)) {
      ofReserved.push({
        step,
        kind: isJump ? 'LINES_MISSING' : 'RESERVED_DRIFT',
        difference: reservedOff,
      });
    }
  }
  return [...notUndone(ofBalance), ...notUndone(ofReserved)].map(({ kind, step }) =>
    at(kind, step),
  );
}

/** Lines that changed places make a few drifts in a row, and together none. */
const LONGEST_ROW = 5;

function notUndone(all: readonly Drift[]): readonly Drift[] {
  const ends = new Set<Drift>();
  const starts = new Set<Drift>();
  for (const drift of all) {
    if (drift.kind === 'OPENING_BALANCE_UNEXPLAINED') continue;
    const start = all.find(
      (one) =>
        one.step.line.sequence < drift.step.line.sequence &&
        one.difference === -drift.difference &&
        !starts.has(one) &&
        !ends.has(one),
    );
    if (start === undefined) continue;
    starts.add(start);
    ends.add(drift);
  }
  const left = all.filter((drift) => !starts.has(drift) && !ends.has(drift));
  for (let i = 0; i < left.length; i += 1) {
    for (let j = i + 1; j < i + LONGEST_ROW && j < left.length; j += 1) {
      if (left[j]!.step.line.sequence !== left[j - 1]!.step.line.sequence + 1) break;
      const row = left.slice(i, j + 1);
      if (row.reduce((sum, one) => sum + one.difference, 0) !== 0) continue;
      for (const end of row.slice(1)) ends.add(end);
      i = j;
      break;
    }
  }
  return all.filter((drift) => !ends.has(drift));
}

/** Found at the second sequence with the id, and at every further one. */
function reusedIds({ lines }: NaiveBooks): readonly NaiveFinding[] {
  const first = new Map<string, number>();
  const found: NaiveFinding[] = [];
  for (const line of lines.toSorted((a, b) => a.sequence - b.sequence)) {
    const known = first.get(line.id);
    if (known === undefined) first.set(line.id, line.sequence);
    else if (known !== line.sequence) {
      found.push({
        kind: 'ENTRY_ID_REUSED',
        sequence: line.sequence,
        operationReference: line.operationReference,
      });
    }
  }
  return found;
}

/**
 * Judged where a row of lines of one operation ends, and found once for as long as the figure stays
 * below zero: at the first line of the row from which it did.
 */
function figuresBelowZero({ steps }: Replayed): readonly NaiveFinding[] {
  const found: NaiveFinding[] = [];
  for (const figure of ['BALANCE_NEGATIVE', 'AVAILABLE_NEGATIVE'] as const) {
    let isBelow = false;
    let from: Step | null = null;
    steps.forEach((step, i) => {
      if (figureAfter(figure, step) >= 0) from = null;
      else from ??= step;
      const next = steps[i + 1];
      const reference = step.line.operationReference;
      const goesOn =
        next !== undefined && reference !== null && next.line.operationReference === reference;
      if (goesOn) return;
      if (from !== null && !isBelow) found.push(at(figure, from));
      isBelow = from !== null;
      from = null;
    });
  }
  return found;
}

/** What is about to be released after a debit counts as available. */
function figureAfter(
  figure: 'BALANCE_NEGATIVE' | 'AVAILABLE_NEGATIVE',
  { line, settlingAfter }: Step,
): number {
  if (figure === 'BALANCE_NEGATIVE') return line.balanceAfter;
  return line.balanceAfter - line.reservedAfter + settlingAfter;
}
