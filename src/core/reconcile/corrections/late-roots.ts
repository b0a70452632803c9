// Roots that late lines put right. Nothing is wrong with their operations any more, and what was wrong stays known: the month in
// which it was open was stated so. Refuses to count what was never more than a delay, and an operation whose money is not right.

import type { CheckContext } from '../../checks/check.ts';
import type { Finding, FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import type { Tally } from '../../replay/tally.ts';
import { demandOf } from '../due/excess.ts';
import { isKnown, judgeOperation } from '../judge-operation.ts';
import type { Judged } from '../roots/material.ts';
import { lateLines, MOST_LATE } from './late-lines.ts';
import type { SetApart } from './set-apart.ts';

/** Operations with late lines, by reference: those that were settled, and of those at hand the ones whose money is right. */
export function lateOperations(
  settled: ReadonlyMap<string, Tally>,
  atHand: ReadonlyMap<string, SetApart>,
  context: CheckContext,
): ReadonlyMap<string, Tally> {
  // An impossible time is no delay, nor is one beyond a clock that is behind.
  const latest = context.watermark + context.clockTolerance;
  const isPossible = (tally: Tally): boolean => lateLines(tally).every(({ entry }) => entry.createdAt <= latest);
  const right = [...atHand.values()].filter(
    ({ tally, apart }) => apart.length === 0 && lateLines(tally).length > 0 && isRight(tally, context),
  );
  const all = [...settled.values(), ...right.map(({ tally }) => tally)];
  if (all.length > MOST_LATE) return new Map();
  return new Map(all.filter(isPossible).map((tally) => [tally.reference, tally]));
}

/** Known, the money is right with all its lines, and no late line is wrong itself: such a one puts nothing right. */
function isRight(tally: Tally, context: CheckContext): boolean {
  if (!isKnown(tally, context) || demandOf([tally], context.standing, () => true).excesses.length > 0) return false;
  const late = new Set(lateLines(tally).map(({ entry }) => entry.sequence));
  return !judgeOperation(tally, context).some(({ sequence }) => sequence !== null && late.has(sequence));
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
    harmlessJumps: [],
    leftOut: [],
    rejected: [],
    orphans: new Map(),
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

/** Of the findings of those operations, the roots with money in them, settled by the late lines, and what follows from them. */
export function settleLate(findings: readonly Finding[], late: ReadonlyMap<string, Tally>): readonly Finding[] {
  const roots = findings.filter(
    ({ item, status }) => status === 'confirmed' && item !== null && (item.balance !== '0' || item.reserved !== '0'),
  );
  const settled = new Map(roots.map((root) => [root.fingerprint, settledBy(root, late)]));
  return findings.flatMap(
    (finding) => settled.get(finding.fingerprint) ?? (settled.has(finding.causedBy ?? '') ? finding : []),
  );
}

function settledBy(root: Finding, late: ReadonlyMap<string, Tally>): Finding {
  const lines = lateLines(late.get(root.operationReference!)!).map(({ entry }) => entry);
  const at = formatInstant(Math.max(...lines.map(({ createdAt }) => createdAt)));
  const sequences = lines.map(({ sequence }) => String(sequence));
  return { ...root, settledBy: { by: 'correction', lines: sequences, at, person: null, reason: null } };
}
