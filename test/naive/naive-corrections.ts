// What corrects what, in the naive model's own terms: all lines that name an operation or a line,
// and no other that is off, sum up to just what is off there. What is put right so is at rest; the
// model knows no roots, so what may follow from it rests too.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import {
  CLOCKS_DIFFER,
  isFinal,
  MINUTE,
  type NaiveBooks,
  type NaiveFinding,
} from './naive-books.ts';
import type { Replayed, Step } from './naive-replay.ts';

/** Something that may be off: an operation with all its lines, or a line that belongs to none. */
interface Target {
  readonly reference: string | null;
  readonly operation: Operation | null;
  readonly steps: readonly Step[];
}

interface Settled extends Target {
  /** By how much the balance was too high (+) or too low (−). */
  readonly off: number;
  readonly by: readonly LedgerEntry[];
}

/** What the operation's state asks of the balance; null: it is not certain. */
export type Requirement = (operation: Operation, lines: readonly LedgerEntry[]) => number | null;

/** `isWrong`: something is found at the line, with all lines there. */
export function settledTargets(
  books: NaiveBooks,
  replayed: Replayed,
  {
    required,
    isWrong,
  }: { readonly required: Requirement; readonly isWrong: (line: LedgerEntry) => boolean },
): readonly Settled[] {
  const named = correctedTargets(books, replayed, required);
  return targetsOf(books, replayed).flatMap((target): Settled[] => {
    const own = target.steps.filter(({ line }) => !isAdjustment(line));
    const off = offOf(target, required);
    if (off === null) return [];
    const held = heldAgain(own);
    if (off === 0 && held.length > 0)
      return [{ ...target, off: 0, by: held.map(({ line }) => line) }];
    const back = backAgain(target, own);
    if (off === 0 && sumOf(back) !== 0)
      return [{ ...target, off: -sumOf(back), by: back.map(({ line }) => line) }];
    if (off === 0) {
      const late = lateSteps(target, books.asOf);
      return late.length === 0 || late.some(({ line }) => isWrong(line))
        ? []
        : [{ ...target, off: -sumOf(late), by: late.map(({ line }) => line) }];
    }
    const steps = named.get(keyOf(target)) ?? [];
    const isAlone = steps.every(
      (step) => [...named.values()].filter((some) => some.includes(step)).length === 1,
    );
    if (steps.length === 0 || !isAlone || sumOf(steps) !== -off) return [];
    // Reversals and adjustments that are posted for the operation put it right together.
    const ofIt = steps.filter(({ line }) => line.operationReference === target.reference);
    const isCorrected =
      target.operation?.status !== 'REVERSED' && off !== sumOf(back) && sumOf(ofIt) === -off;
    return [
      { ...target, off, by: [...(isCorrected ? back : []), ...steps].map(({ line }) => line) },
    ];
  });
}

/** Of what is off: the lines after it that name it, by `keyOf`. */
export function correctedTargets(
  books: NaiveBooks,
  replayed: Replayed,
  required: Requirement,
): ReadonlyMap<string, readonly Step[]> {
  const off = targetsOf(books, replayed).filter((target) => (offOf(target, required) ?? 0) !== 0);
  return new Map(
    off.map((target) => [
      keyOf(target),
      replayed.steps.filter(
        ({ line }) => mayCorrect(line) && isNamedBy(target, line) && !isItself(target, line),
      ),
    ]),
  );
}

function keyOf({ reference, steps }: Target): string {
  return reference ?? `line ${steps[0]!.line.sequence}`;
}

/**
 * By how much the balance is too high (+) or too low (−), besides adjustments; null: it is not
 * certain.
 */
function offOf({ reference, operation, steps }: Target, required: Requirement): number | null {
  const own = steps.filter(({ line }) => !isAdjustment(line));
  const asked =
    operation === null
      ? 0
      : required(
          operation,
          own.map(({ line }) => line),
        );
  if (asked === null) return null;
  const drifts = steps.reduce((sum, { balanceOff }) => sum + balanceOff, 0);
  return (reference === null ? 0 : sumOf(own)) + drifts - asked;
}

/** The findings that are not at rest. */
export function openOf(
  findings: readonly NaiveFinding[],
  settled: readonly Settled[],
): readonly NaiveFinding[] {
  const places = new Set(
    settled.flatMap(({ steps, by }) =>
      [...steps.map(({ line }) => line), ...by].map((line) => line.sequence),
    ),
  );
  const references = new Set(settled.map(({ reference }) => reference));
  const isTotal = ({ kind }: NaiveFinding) => kind.startsWith('TOTAL_') && settled.length > 0;
  const isForWant = ({ kind }: NaiveFinding) =>
    kind.endsWith('E_NEGATIVE') && settled.some(({ off }) => off < 0);
  const isForHold = ({ kind }: NaiveFinding) =>
    kind === 'RESERVED_NEGATIVE' && settled.some(({ steps }) => heldAgain(steps).length > 0);
  return findings.filter((finding) => {
    const { sequence, operationReference } = finding;
    if (operationReference !== null && references.has(operationReference)) return false;
    return (
      !(sequence !== null && places.has(sequence)) &&
      !isTotal(finding) &&
      !isForWant(finding) &&
      !isForHold(finding)
    );
  });
}

function targetsOf(
  { operations }: NaiveBooks,
  { steps, byOperation }: Replayed,
): readonly Target[] {
  const byReference = new Map(operations.map((operation) => [operation.reference, operation]));
  const references = new Set([...byReference.keys(), ...byOperation.keys()]);
  return [
    ...[...references].map((reference) => ({
      reference,
      operation: byReference.get(reference) ?? null,
      steps: byOperation.get(reference) ?? [],
    })),
    ...steps
      .filter(({ line }) => line.operationReference === null)
      .map((step) => ({ reference: null, operation: null, steps: [step] })),
  ];
}

function isNamedBy(
  { reference, steps }: Target,
  { operationReference, description }: LedgerEntry,
): boolean {
  if (
    reference !== null &&
    (operationReference === reference || description?.includes(reference) === true)
  )
    return true;
  const numbers = [...(description ?? '').matchAll(/(?:#|ligne |line )(\d+)/g)].map(([, number]) =>
    Number(number),
  );
  return steps.some(({ line }) => numbers.includes(line.sequence));
}

/** Holds that were posted while less than nothing was held, where nothing is held with them. */
function heldAgain(own: readonly Step[]): readonly Step[] {
  const heldBefore = own.map((_, i) => own.slice(0, i).reduce((sum, { move }) => sum + move, 0));
  const holds = own.filter(({ line }, i) => line.kind === 'CASHOUT_HOLD' && heldBefore[i]! < 0);
  return own.reduce((sum, { move }) => sum + move, 0) === 0 ? holds : [];
}

/**
 * Reversals of what is not reversed, and those long behind one that went the wrong way: they can
 * only be corrections.
 */
function backAgain({ operation }: Target, own: readonly Step[]): readonly Step[] {
  const reversals = own.filter(({ line }) => isReversal(line));
  // Of an operation that is not served, its reversal may be its own.
  if (operation === null) return [];
  if (operation.status !== 'REVERSED') return reversals;
  const wentOn = wentOnTheSameWay(operation, reversals);
  const later = reversals.findIndex(({ line }, i) => {
    const before = reversals[i - 1]?.line;
    return (
      before !== undefined &&
      line.sequence - before.sequence > 1 &&
      line.createdAt !== before.createdAt
    );
  });
  return wentOn && later >= 0 ? reversals.slice(later) : [];
}

/**
 * Lines that were missing for more than a day after their operation asked for them, and then were
 * posted.
 */
function lateSteps({ operation, steps }: Target, asOf: number): readonly Step[] {
  if (operation === null || !isFinal(operation) || operation.completedAt === null) return [];
  // What is held is not right with them: they put nothing right.
  if (steps.reduce((sum, { move }) => sum + move, 0) !== 0) return [];
  const { status, completedAt, updatedAt } = operation;
  // One instant for both may be that of the success or that of the reversal.
  if (status === 'REVERSED' && completedAt === updatedAt) return [];
  const late = steps.filter(({ line }) => {
    if (isReversal(line))
      return status === 'REVERSED' && line.createdAt > updatedAt + 24 * 60 * MINUTE;
    return (
      !isAdjustment(line) &&
      line.kind !== 'CASHOUT_HOLD' &&
      line.createdAt > completedAt + 24 * 60 * MINUTE
    );
  });
  return late.some(({ line }) => line.createdAt > asOf + CLOCKS_DIFFER) ? [] : late;
}

/** A cash-out is undone by credits; of a cash-in, only the fee is given back by one. */
function wentOnTheSameWay({ type, amount, fees }: Operation, reversals: readonly Step[]): boolean {
  const of = (kind: string) =>
    reversals.filter(({ line }) => line.kind === kind).map(({ line }) => line);
  const [debits, credits] = [
    of('REVERSAL_DEBIT'),
    of('REVERSAL_CREDIT').filter((line) => line.amount !== fees),
  ];
  if (type === 'CASHOUT') return debits.length > 0;
  return (
    credits.some((line) => [amount, amount - fees].includes(line.amount)) ||
    (debits.length === 0 && credits.length > 0)
  );
}

/**
 * A line that is off itself does not put itself right; one of an operation may be posted for it.
 */
function isItself({ reference, steps }: Target, line: LedgerEntry): boolean {
  return reference === null && steps.some((step) => step.line === line);
}

/** Of a reversal, where it is posted for no operation. */
function mayCorrect(line: LedgerEntry): boolean {
  return isAdjustment(line) || (isReversal(line) && line.operationReference === null);
}

function isAdjustment({ kind }: LedgerEntry): boolean {
  return kind.startsWith('ADJUSTMENT_');
}

function isReversal({ kind }: LedgerEntry): boolean {
  return kind.startsWith('REVERSAL_');
}

function sumOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { effect }) => sum + effect, 0);
}
