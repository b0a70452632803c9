// Sets the lines of an operation apart that put a fault of it right, reversals, and holds of what
// was released too much: it is judged without them, and they settle the fault. Refuses to touch a
// lawful reversal or hold, whose lines stay with their operation.

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
  /** The operation with the lines that it is judged by. */
  readonly tally: Tally;
  /** Lines that put right what is wrong without them, in ledger order; mostly none. */
  readonly apart: readonly TalliedLine[];
}

/**
 * `driftOf`: by how much the recorded balance is off at lines of the operation, besides what they
 * moved.
 */
export function splitCorrections(
  tally: Tally,
  context: CheckContext,
  driftOf: (reference: string) => bigint,
): SplitOperation {
  const whole: SplitOperation = { tally, apart: [] };
  // Of an operation that is not served, its reversal may be its own.
  const reversals =
    tally.operation === null ? [] : tally.lines.filter(({ entry }) => isReversal(entry.kind));
  const holds = putBack(tally);
  if (reversals.length + holds.length === 0 || !isKnown(tally, context)) return whole;
  const off = offBy(tally, context) + driftOf(tally.reference);
  if (holds.length > 0) {
    // Where money is off as well, its only hold is its own, unless an adjustment has begun to put
    // that right.
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
 * What its lines moved beyond what is required of it; of one that is not served, all that they
 * moved.
 */
function offBy({ operation, lines }: Tally, { standing }: CheckContext): bigint {
  const facts = factsOf(lines);
  const required = operation === null ? 0 : requiredBalance(operation, facts, standing);
  return BigInt(postedBalance(facts)) - BigInt(required);
}

/**
 * Holds of what had been released, or consumed, beyond what was held, and of no more: a larger one
 * is the operation's own. So is the only one of an operation that moved money, wherever it is.
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

/** What is held for it is what its state asks for. */
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
 * Where the money is right all the same, some of its lines are wrong, and others put them right.
 */
function isFaulty(tally: Tally, context: CheckContext): boolean {
  return judgeOperation(tally, context).some(({ severity }) => severity === 'critical');
}

/** What was posted of the reversal later than its first lines, if something is wrong without it. */
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
  // What came before the fault does not put it right, and counts with the operation.
  const areBefore = faults.every(
    ({ sequence }) => sequence === null || sequence < first.entry.sequence,
  );
  return faults.length > 0 && areBefore ? way : { tally, apart: [] };
}

/** Where nothing else moved the wallet, the next number may come weeks later. */
function isPostedWith(before: PostedLine, next: PostedLine, tolerance: number): boolean {
  const within = next.sequence > before.sequence + 1 ? 0 : tolerance;
  return Math.abs(next.createdAt - before.createdAt) <= within;
}

// Roots that late lines put right. Nothing is wrong with their operations any more, and what was
// wrong stays known: the month in which it was open was stated so. Refuses to count what was never
// more than a delay, and an operation whose money is not right.

/**
 * Operations with late lines, by reference: those that were settled, and of those at hand the ones
 * whose money is right.
 */
export function lateOperations(
  settled: ReadonlyMap<string, Tally>,
  atHand: ReadonlyMap<string, SplitOperation>,
  context: CheckContext,
): ReadonlyMap<string, Tally> {
  // An impossible time is no delay, nor is one beyond a clock that is behind.
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
 * Known, the money is right with all its lines, and no late line is wrong itself: such a one puts
 * nothing right.
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

/** The operations as they were before their late lines came: what roots are sought among. */
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

/** What was found of it until its late lines came. */
function putRight(tally: Tally, context: CheckContext): readonly FindingDraft[] {
  const still = new Set(judgeOperation(tally, context).map(({ kind }) => kind));
  return judgeOperation(withoutLate(tally), context).filter(({ kind }) => !still.has(kind));
}

function withoutLate(tally: Tally): Tally {
  const late = lateLines(tally);
  const lines = tally.lines.filter((line) => !late.includes(line));
  return { ...tally, lines, held: lines.reduce((held, { heldMove }) => held + heldMove, 0) };
}

/**
 * Of the findings of those operations, the roots with money in them, settled by the late lines, and
 * what follows from them.
 */
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
