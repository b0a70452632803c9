// Builds the état de rapprochement: what was recorded at the cut-off, each named difference with its finding, and what was
// recomputed, to a remainder that is printed also when it is 0.

import type { Amount } from '../../domain/amount.ts';
import type { Finding } from '../../domain/finding.ts';
import { plus, sumOf } from '../exact.ts';
import { maskFigures, maskPhoneNumbers } from '../mask-phone-numbers.ts';
import type { MonthFigures } from '../month-figures.ts';
import type { CutOffSide } from './cut-off.ts';
import type { Drift } from './drifts.ts';
import type { ReconciliationItem, ReconciliationSide } from './section-reconciliation.ts';

/** Findings that explain a drift of one side, those that stand first explain first. */
const KINDS = {
  balance: [
    'OPENING_BALANCE_UNEXPLAINED',
    'LINES_MISSING',
    'SEQUENCE_DUPLICATE',
    'BALANCE_DRIFT',
    'AMOUNT_NOT_POSITIVE',
    'KIND_DIRECTION_MISMATCH',
  ],
  reserved: [
    'OPENING_BALANCE_UNEXPLAINED',
    'LINES_MISSING',
    'SEQUENCE_DUPLICATE',
    'RESERVED_DRIFT',
    'OPEN_HOLDS_MISMATCH',
    'KIND_DIRECTION_MISMATCH',
  ],
} as const;

/** `findings`: confirmed ones. */
export function reconcileSide(
  side: 'balance' | 'reserved',
  figures: MonthFigures,
  findings: readonly Finding[],
): ReconciliationSide {
  const { cutOff, before, inside, settings } = figures;
  const followed: CutOffSide = cutOff[side];
  const names = nameDrifts(followed.drifts.rows, findings, KINDS[side]);
  const recomputed = plus(before[side], inside[side]);
  const { recorded, crossing } = followed;
  const named = followed.drifts.rows.filter((drift) => names.has(drift));
  const earlier = named.filter((drift) => drift.at < settings.bounds.start);
  const items = named.filter((drift) => drift.at >= settings.bounds.start);
  const carriedForward = { count: earlier.length, amount: sumOf(earlier, (drift) => drift.amount) };
  const itemSum = sumOf(items, (drift) => drift.amount);
  const others = othersOf(followed, findings, KINDS[side]);
  const explained = plus(plus(carriedForward.amount, itemSum), others.amount);
  return {
    recordedAtHead: recorded,
    headSequence: cutOff.headSequence,
    crossing,
    recorded,
    carriedForward,
    items: items.map((drift) => itemOf(drift, names.get(drift)!, findings)),
    others,
    remainder: plus(plus(plus(recorded, -crossing), -explained), -recomputed),
    recomputed,
  };
}

/** Beyond the drifts kept one by one; named as long as some confirmed finding names drifts of this side at all. */
function othersOf(
  { drifts }: CutOffSide,
  findings: readonly Finding[],
  kinds: readonly string[],
): { readonly count: number; readonly amount: Amount } {
  const count = drifts.count - drifts.rows.length;
  if (count === 0 || !findings.some((finding) => kinds.includes(finding.kind))) return { count: 0, amount: 0 };
  return { count, amount: plus(drifts.amount, -sumOf(drifts.rows, (drift) => drift.amount)) };
}

/** The finding that stands at each drift's line, or names that line among its evidence (the end of one undone later). */
function nameDrifts(
  drifts: readonly Drift[],
  findings: readonly Finding[],
  kinds: readonly string[],
): ReadonlyMap<Drift, Finding> {
  const sequences = new Set(drifts.map((drift) => String(drift.sequence)));
  const byLine = new Map<string, Finding>();
  const rank = (finding: Finding): number => kinds.indexOf(finding.kind);
  for (const finding of findings) {
    if (rank(finding) < 0) continue;
    const lines = finding.evidence.filter(({ what }) => what === 'line').map(({ sequence }) => sequence);
    for (const sequence of new Set([finding.sequence, ...lines])) {
      if (sequence === null || !sequences.has(sequence)) continue;
      const known = byLine.get(sequence);
      if (known === undefined || isCloser({ finding, known, sequence, rank })) byLine.set(sequence, finding);
    }
  }
  // A reserved amount carried in by the first line is found where the open holds are summed, and has no line.
  const carriedIn = findings.find((finding) => finding.kind === 'OPEN_HOLDS_MISMATCH' && rank(finding) >= 0);
  return new Map(
    drifts.flatMap((drift) => {
      const finding = byLine.get(String(drift.sequence)) ?? (drift.isFirst ? carriedIn : undefined);
      return finding === undefined ? [] : [[drift, finding] as const];
    }),
  );
}

/** A finding at the line itself is closer than one that names the line only as evidence. */
function isCloser(of: {
  readonly finding: Finding;
  readonly known: Finding;
  readonly sequence: string;
  readonly rank: (finding: Finding) => number;
}): boolean {
  const { finding, known, sequence, rank } = of;
  const [at, knownAt] = [finding.sequence === sequence, known.sequence === sequence];
  return at === knownAt ? rank(finding) < rank(known) : at;
}

function itemOf(drift: Drift, finding: Finding, findings: readonly Finding[]): ReconciliationItem {
  const root = findings.find((one) => one.fingerprint === finding.causedBy) ?? finding;
  return {
    sequence: drift.sequence,
    at: drift.at,
    amount: drift.amount,
    findingKind: finding.kind,
    fingerprint: finding.fingerprint,
    rootKind: root.kind,
    rootFingerprint: root.fingerprint,
    operationReference: finding.operationReference ?? root.operationReference,
    message: maskPhoneNumbers(finding.message),
    figures: maskFigures(finding.figures),
  };
}
