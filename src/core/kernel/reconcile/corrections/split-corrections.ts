// Separates the lines of an operation that correct a fault of it: reversals, and holds of what was
// released too much. The operation is judged without them, and they settle the fault. The lines of
// a lawful reversal or hold stay with their operation.

import type { Finding, FindingDraft } from '../../../domain/finding.ts';
import { formatInstant } from '../../../domain/instant.ts';
import { isAdjustment, isReversal, signedAmount } from '../../../domain/ledger-entry.ts';
import { hasSettled } from '../../../domain/operation.ts';
import { isKnown, judgeOperation } from '../../checks/judge-operation.ts';
import type { CheckContext } from '../../checks/port/check.ts';
import {
  factsOf,
  postedBalance,
  requiredBalance,
  requiredOf,
} from '../../replay/operation-facts.ts';
import type { PostedLine, TalliedLine, Tally } from '../../replay/tally.ts';
import { demandOf } from '../roots/excess.ts';
import { isOff } from '../roots/items.ts';
import type { Judged } from '../roots/material.ts';
import { lateLines, MOST_LATE } from './correction-lines.ts';

export interface SplitOperation {
  /** The operation, with only the lines that it is judged by. */
  readonly tally: Tally;
  /** The lines that correct the operation, in ledger order; usually none. */
  readonly apart: readonly TalliedLine[];
}

/**
 * Splits the lines of one operation. `driftOf` must return by how much the recorded balance is off
 * at the operation's lines, besides what they moved.
 */
export function splitCorrections(
  tally: Tally,
  context: CheckContext,
  driftOf: (reference: string) => bigint,
): SplitOperation {
  const whole: SplitOperation = { tally, apart: [] };
  // Where the operation is not served, it may have been reversed, so that the reversal is lawful.
  const reversals =
    tally.operation === null ? [] : tally.lines.filter(({ entry }) => isReversal(entry.kind));
  const holds = putBack(tally);
  if (reversals.length + holds.length === 0 || !isKnown(tally, context)) return whole;
  const off = offBy(tally, context) + driftOf(tally.reference);
  if (holds.length > 0) {
    // Where money is off as well, the only hold is the operation's own, unless an adjustment has
    // begun to correct the money.
    const areHolds =
      tally.lines.filter(({ entry }) => entry.kind === 'CASHOUT_HOLD').length > holds.length;
    const isBack = off + adjustedBy(tally) === 0n || areHolds || adjustedBy(tally) !== 0n;
    return isBack && holdsRightly(tally, context) ? without(tally, holds) : whole;
  }
  const isWithoutFault = off === BigInt(sumOf(reversals));
  if (isWithoutFault || (off !== 0n && off + adjustedBy(tally) !== 0n)) return whole;
  if (tally.operation?.status !== 'REVERSED')
    return sumOf(reversals) !== 0 ? without(tally, reversals) : whole;
  return isFaulty(tally, context) ? lateReversals(tally, reversals, context) : whole;
}

/**
 * Returns what the operation's lines moved of the balance beyond what is required. Nothing is
 * required of an operation that is not served.
 */
function offBy({ operation, lines }: Tally, { standing }: CheckContext): bigint {
  const facts = factsOf(lines);
  const required = operation === null ? 0 : requiredBalance(operation, facts, standing);
  return BigInt(postedBalance(facts)) - BigInt(required);
}

/**
 * Returns the holds that only restore what had been released or consumed beyond the hold. A larger
 * hold is the operation's own. So is the only hold of an operation that moved money, wherever it
 * is.
 */
function putBack({ operation, lines }: Tally): readonly TalliedLine[] {
  let held = 0;
  const back = lines.filter(({ entry, heldMove }) => {
    held += heldMove;
    return heldMove > 0 && held <= 0 && entry.kind === 'CASHOUT_HOLD';
  });
  const hasMoved = operation !== null && hasSettled(operation.status);
  return hasMoved &&
    lines.filter(({ entry }) => entry.kind === 'CASHOUT_HOLD').length === back.length
    ? []
    : back;
}

/** Whether the operation holds just what its state asks for. */
function holdsRightly({ operation, lines, held }: Tally, { standing }: CheckContext): boolean {
  return (
    held === (operation === null ? 0 : requiredOf(operation, factsOf(lines), standing).reserved)
  );
}

function adjustedBy({ lines }: Tally): bigint {
  return BigInt(sumOf(lines.filter(({ entry }) => isAdjustment(entry.kind))));
}

function sumOf(lines: readonly TalliedLine[]): number {
  return lines.reduce((sum, { entry }) => sum + signedAmount(entry), 0);
}

function without(tally: Tally, apart: readonly TalliedLine[]): SplitOperation {
  const held = apart.reduce((left, { heldMove }) => left - heldMove, tally.held);
  return {
    tally: { ...tally, held, lines: tally.lines.filter((line) => !apart.includes(line)) },
    apart,
  };
}

/**
 * Whether the operation has a critical fault. Where its money is right all the same, some of its
 * lines are wrong, and others correct them.
 */
function isFaulty(tally: Tally, context: CheckContext): boolean {
  return judgeOperation(tally, context).some(({ severity }) => severity === 'critical');
}

/**
 * Separates the reversal lines that were posted later than the first ones, if something critical is
 * wrong without them.
 */
function lateReversals(
  tally: Tally,
  reversals: readonly TalliedLine[],
  context: CheckContext,
): SplitOperation {
  const { clockTolerance } = context;
  const end = reversals.findIndex(
    ({ entry }, i) => i > 0 && !isPostedWith(reversals[i - 1]!.entry, entry, clockTolerance),
  );
  const late = end < 0 ? [] : reversals.slice(end);
  const way = without(tally, late);
  const [first] = late;
  if (first === undefined || sumOf(late) === 0) return { tally, apart: [] };
  const faults = judgeOperation(way.tally, context).filter(
    ({ severity }) => severity === 'critical',
  );
  // A reversal line before the fault does not correct it, and stays with the operation.
  const areBefore = faults.every(
    ({ sequence }) => sequence === null || sequence < first.entry.sequence,
  );
  return faults.length > 0 && areBefore ? way : { tally, apart: [] };
}

/**
 * Whether both lines were posted together: at one instant, or under consecutive numbers within the
 * clock tolerance. Consecutive numbers alone do not show it, because in a quiet wallet the next
 * line may come weeks later.
 */
function isPostedWith(before: PostedLine, next: PostedLine, tolerance: number): boolean {
  const within = next.sequence > before.sequence + 1 ? 0 : tolerance;
  return Math.abs(next.createdAt - before.createdAt) <= within;
}

// Roots that late lines corrected. Nothing is wrong with their operations any more, but the fault
// must stay known, because the month in which it was open was stated with it. Not counted: what was
// never more than a delay, and operations whose money is not right.

/**
 * Returns the operations with late lines, by reference: the settled ones, and of those at hand the
 * ones whose money is right.
 */
export function lateOperations(
  settled: ReadonlyMap<string, Tally>,
  atHand: ReadonlyMap<string, SplitOperation>,
  context: CheckContext,
): ReadonlyMap<string, Tally> {
  // A line with an impossible date did not come late, nor did one dated beyond a clock that is
  // behind.
  const latest = context.watermark + context.clockTolerance;
  const isPossible = (tally: Tally): boolean =>
    lateLines(tally).every(({ entry }) => entry.createdAt <= latest);
  const right = [...atHand.values()].filter(
    ({ tally, apart }) =>
      apart.length === 0 && lateLines(tally).length > 0 && isRight(tally, context),
  );
  const all = [...settled.values(), ...right.map(({ tally }) => tally)];
  if (all.length > MOST_LATE) return new Map();
  return new Map(all.filter(isPossible).map((tally) => [tally.reference, tally]));
}

/**
 * Whether the operation can be judged, its money is right with all its lines, and no late line is
 * wrong itself, because a wrong line corrects nothing.
 */
function isRight(tally: Tally, context: CheckContext): boolean {
  if (
    !isKnown(tally, context) ||
    demandOf([tally], context.standing, () => true).excesses.length > 0
  )
    return false;
  const late = new Set(lateLines(tally).map(({ entry }) => entry.sequence));
  return !judgeOperation(tally, context).some(
    ({ sequence }) => sequence !== null && late.has(sequence),
  );
}

/**
 * Returns the operations as they were before their late lines came, as input for the search for
 * roots.
 */
export function judgedBefore(late: ReadonlyMap<string, Tally>, context: CheckContext): Judged {
  const wholes = [...late.values()];
  const tallies = wholes.map(withoutLate);
  const { standing } = context;
  return {
    drafts: wholes.flatMap((tally) => putRight(tally, context)),
    tallies,
    standing,
    excesses: demandOf(tallies, standing, () => true).excesses,
    drifts: [],
    alterations: [],
    harmlessJumps: [],
    leftOut: [],
    rejected: [],
    orphans: new Map(),
    firstSequence: null,
    lastSequence: 0,
    walletIsOlder: false,
  };
}

/**
 * Returns what would have been found of the operation before its late lines came, and is not found
 * now.
 */
function putRight(tally: Tally, context: CheckContext): readonly FindingDraft[] {
  const still = new Set(judgeOperation(tally, context).map(({ kind }) => kind));
  return judgeOperation(withoutLate(tally), context).filter(({ kind }) => !still.has(kind));
}

function withoutLate(tally: Tally): Tally {
  const late = lateLines(tally);
  const lines = tally.lines.filter((line) => !late.includes(line));
  return { ...tally, lines, held: lines.reduce((held, { heldMove }) => held + heldMove, 0) };
}

/** Returns the roots with money in them, settled by the late lines, and what follows from them. */
export function settleLate(
  findings: readonly Finding[],
  late: ReadonlyMap<string, Tally>,
): readonly Finding[] {
  const roots = findings.filter(({ item, status }) => status === 'confirmed' && isOff(item));
  const settled = new Map(roots.map((root) => [root.fingerprint, settledBy(root, late)]));
  return findings.flatMap(
    (finding) =>
      settled.get(finding.fingerprint) ?? (settled.has(finding.causedBy ?? '') ? finding : []),
  );
}

function settledBy(root: Finding, late: ReadonlyMap<string, Tally>): Finding {
  const lines = lateLines(late.get(root.operationReference!)!).map(({ entry }) => entry);
  const at = formatInstant(Math.max(...lines.map(({ createdAt }) => createdAt)));
  const sequences = lines.map(({ sequence }) => String(sequence));
  return {
    ...root,
    settledBy: { by: 'correction', lines: sequences, at, person: null, reason: null },
  };
}
