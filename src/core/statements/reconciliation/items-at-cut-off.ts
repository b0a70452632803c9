// Compares what the service recorded at a month's cut-off with what it owes. Each root that was
// open then is an item, and the recorded figures less the items are the figures due. What happened
// after the cut-off changes nothing here, because the month stays as it was.

import type { Amount } from '../../domain/amount.ts';
import type { WalletSides } from '../../domain/delivery/delivery-channel.ts';
import type { AuditReport, Finding, ItemPart } from '../../domain/finding.ts';
import { formatInstant, type Instant, parseInstant } from '../../domain/instant.ts';
import type { Accepted } from '../../domain/settlement.ts';
import { KINDS } from '../../kernel/checks/port/kinds.ts';
import { plus, safe, sumOf, sumSides } from '../exact.ts';
import { maskFigures, maskPhoneNumbers } from '../mask-phone-numbers.ts';
import type { CutOffSide } from '../month/cut-off.ts';
import type { MonthFigures, SettlingLine } from '../month/month-figures.ts';
import type { Drift } from '../opening.ts';
import type {
  DatedPart,
  DueSection,
  FoundItem,
  Reconciliation,
  ReconciliationItem,
  ReconciliationSide,
  SuspenseItem,
  TransitItem,
} from '../section-reconciliation.ts';

const ITEMS_KEPT = 500;

/**
 * What a root with money in it leaves in the month: an item, or `over` when it was put right before
 * the month.
 */
export type ItemAtCutOff = 'over' | FoundItem;

/**
 * Returns what each root leaves in the month whose item has a part in the ledger, by fingerprint
 * and in the order of the findings. `atCut` are the confirmed findings of the books at the cut,
 * `now` those of the last reading.
 */
export function itemsAtCutOff(
  figures: MonthFigures,
  { atCut, now }: Readonly<Record<'atCut' | 'now', readonly Finding[]>>,
): ReadonlyMap<string, ItemAtCutOff> {
  const byPrint = new Map(now.map((finding) => [finding.fingerprint, finding]));
  return new Map(
    atCut
      .filter(({ itemParts }) => itemParts.some(({ of }) => of !== 'wallet'))
      .map((finding) => [
        finding.fingerprint,
        itemAtCutOff(figures, finding, byPrint.get(finding.fingerprint) ?? null),
      ]),
  );
}

/**
 * Returns the sum in suspense: of the roots that no line has put right, whatever a person decided
 * about them. `findings` must be the confirmed ones at the cut.
 */
export function suspendedBy(findings: readonly Finding[]): Amount {
  const parts = findings
    .filter(({ settledBy }) => settledBy === null || settledBy.lines.length === 0)
    .flatMap(({ itemParts }) => itemParts)
    .filter(
      ({ of, sequence }) =>
        of === 'posted' || of === 'drift' || (of === 'corrected' && sequence !== null),
    );
  return safe(parts.reduce((sum, { balance }) => sum + BigInt(balance), 0n));
}

export function dueSection(
  { balance, reserved }: Pick<Reconciliation, 'balance' | 'reserved'>,
  {
    found,
    transit,
  }: {
    readonly found: ReadonlyMap<string, ItemAtCutOff>;
    readonly transit: readonly TransitItem[];
  },
  { due }: Pick<AuditReport, 'due'>,
): DueSection {
  const recorded = figuresOf(balance.recorded, reserved.recorded);
  const all: readonly SuspenseItem[] = [
    ...[...found.values()].filter((item) => item !== 'over'),
    ...transit,
  ];
  const open = all.filter(({ state }) => state !== 'settled');
  const shown = all.slice(0, ITEMS_KEPT);
  const others = open.filter((item) => !shown.includes(item));
  const off = sumSides(open);
  return {
    recorded,
    recomputed: figuresOf(balance.recomputed, reserved.recomputed),
    due:
      due === null
        ? null
        : figuresOf(plus(recorded.balance, -off.balance), plus(recorded.reserved, -off.reserved)),
    items: shown,
    others: { count: others.length, ...sumSides(others) },
  };
}

/**
 * Returns the state that a root had at an instant. What a person decided later counts for nothing
 * then.
 */
export function stateAt(finding: Finding, at: Instant): FoundItem['state'] {
  if (finding.settledBy !== null && parseInstant(finding.settledBy.at)! < at) return 'settled';
  return acceptedAt(finding, at) === null ? 'open' : 'accepted';
}

/**
 * Returns the acceptance that was in force at the instant, even if it has ended since; `null` when
 * there was none.
 */
function acceptedAt({ accepted, acceptedBefore = [] }: Finding, at: Instant): Accepted | null {
  const all = accepted === null ? acceptedBefore : [...acceptedBefore, accepted];
  const held = (one: Accepted): boolean =>
    parseInstant(one.at)! < at && (one.until === null || parseInstant(one.until)! >= at);
  return all.findLast(held) ?? null;
}

function figuresOf(balance: Amount, reserved: Amount): WalletSides {
  return { balance, reserved, available: plus(balance, -reserved) };
}

function itemAtCutOff(figures: MonthFigures, finding: Finding, now: Finding | null): ItemAtCutOff {
  const { start, end } = figures.settings.bounds;
  const arisen = finding.itemParts.flatMap((part) => datedParts(figures, part));
  const linesOf = (sequences: readonly string[]) =>
    sequences.flatMap((line) => figures.settling.get(Number(line)) ?? []);
  const lines = linesOf(finding.settledBy?.lines ?? []);
  const inPart = linesOf(
    finding.itemParts.flatMap(({ of, sequence }) => (of === 'corrected' ? (sequence ?? []) : [])),
  );
  const settledAt = lastOf(finding, lines);
  if (settledAt < start) return 'over';
  const isSettled = settledAt < end;
  const accepted = acceptedAt(finding, end);
  const state = isSettled ? 'settled' : accepted === null ? 'open' : 'accepted';
  // Lines that put an amount right in part are taken off.
  const done = lines.filter((line) => line.at < (isSettled ? start : end));
  const parts = [
    ...arisen,
    ...done.map((one) => ({ ...one, of: 'settled' as const, operationReference: null })),
  ];
  const dates = parts.flatMap(({ at }) => at ?? []);
  const at = dates.length === 0 ? null : Math.min(...dates);
  const { fingerprint, kind, sequence, operationReference, message } = finding;
  return {
    fingerprint,
    kind,
    ...(KINDS[kind].toJustify === true ? { toJustify: true } : {}),
    sequence: sequence === null ? null : Number(sequence),
    operationReference,
    at,
    isCarried: at !== null && at < start,
    ...sumSides(parts),
    parts,
    state,
    settledBy: settledIn(figures, finding, [...lines, ...inPart]),
    ...knownSince({ ...(now ?? finding), accepted: accepted ?? finding.accepted }, isSettled),
    // A root that was put right since, or that is found otherwise now, must not be asked for again.
    proposal: now?.proposal ?? [],
    message: maskPhoneNumbers(message),
    figures: maskFigures(finding.figures),
  };
}

/**
 * Returns who accepted the item, what put it right since the cut-off, and a line that may have put
 * it right.
 */
function knownSince(
  { accepted, settledBy, proposedSettlement }: Finding,
  isSettled: boolean,
): Pick<FoundItem, 'acceptedBy' | 'settledSince' | 'candidate'> {
  const masked = <Said extends { readonly reason: string | null }>(said: Said): Said => ({
    ...said,
    reason: said.reason === null ? null : maskPhoneNumbers(said.reason),
  });
  return {
    ...(accepted === null || isSettled ? {} : { acceptedBy: masked(accepted) }),
    ...(settledBy === null || isSettled ? {} : { settledSince: masked(settledBy) }),
    ...(proposedSettlement == null || isSettled ? {} : { candidate: proposedSettlement }),
  };
}

/**
 * Returns when the last of the settling lines was stated; infinity when the finding is not settled.
 */
function lastOf({ settledBy }: Finding, lines: readonly SettlingLine[]): Instant {
  if (settledBy === null) return Number.POSITIVE_INFINITY;
  if (lines.length === 0) return parseInstant(settledBy.at)!;
  return Math.max(...lines.map(({ at }) => at));
}

const BY_CORRECTION = { by: 'correction', person: null, reason: null } as const;

/**
 * Returns what settled the item, by its lines in the month where it has lines; `null` when nothing
 * did.
 */
function settledIn(
  { settings }: MonthFigures,
  { settledBy }: Finding,
  lines: readonly SettlingLine[],
): SuspenseItem['settledBy'] {
  const { start, end } = settings.bounds;
  if (lines.length === 0)
    return settledBy !== null && parseInstant(settledBy.at)! < end ? settledBy : null;
  const inside = lines.filter(({ at }) => at >= start && at < end);
  if (inside.length === 0) return null;
  const last = formatInstant(Math.max(...inside.map(({ at }) => at)));
  return {
    ...(settledBy ?? BY_CORRECTION),
    lines: inside.map(({ sequence }) => String(sequence)),
    at: last,
  };
}

/**
 * Returns the part with its dates. The balance and the reserved amount are parts of their own,
 * because they may arise at different times.
 */
function datedParts(figures: MonthFigures, part: ItemPart): readonly DatedPart[] {
  const { operationReference } = part;
  if (part.of === 'wallet') return [];
  const of = part.of === 'corrected' ? 'settled' : part.of;
  const sequence = part.sequence === null ? null : Number(part.sequence);
  const [balance, reserved] = [safe(BigInt(part.balance)), safe(BigInt(part.reserved))];
  const sides = [
    { balance, reserved: 0, at: instantOf(figures, part, false) },
    { balance: 0, reserved, at: instantOf(figures, part, reserved > 0) },
  ].filter((side) => side.balance !== 0 || side.reserved !== 0);
  return sides.map((side) => ({ of, sequence, operationReference, ...side }));
}

/**
 * Returns the date of the line, or else of the operation. For money that is still held it is the
 * later of the two, because the money is held rightly until the operation has ended.
 */
function instantOf(
  { wanted, operations }: MonthFigures,
  { sequence, operationReference }: ItemPart,
  isHeld: boolean,
): Instant | null {
  const line = sequence === null ? null : (wanted.get(Number(sequence)) ?? null);
  const operation =
    operationReference === null ? null : (operations.wanted.get(operationReference) ?? null);
  if (line === null || operation === null) return line ?? operation;
  return isHeld ? Math.max(line, operation) : line;
}

// Builds the état de rapprochement: what was recorded at the cut-off, each named difference with
// its finding, and what was recomputed, to a remainder that is printed also when it is 0.

/** Kinds of findings that explain drifts on both sides. */
const OF_BOTH = ['OPENING_BALANCE_UNEXPLAINED', 'LINES_MISSING', 'SEQUENCE_DUPLICATE'];
/**
 * Kinds of findings that explain drifts on each side. Where several explain a drift, the first of
 * these kinds does.
 */
const MISMATCH_KINDS = {
  balance: [...OF_BOTH, 'BALANCE_DRIFT', 'AMOUNT_NOT_POSITIVE', 'KIND_DIRECTION_MISMATCH'],
  reserved: [...OF_BOTH, 'RESERVED_DRIFT', 'OPEN_HOLDS_MISMATCH', 'KIND_DIRECTION_MISMATCH'],
} as const;

/** Reconciles one side of the wallet. `findings` must be the confirmed ones. */
export function reconcileSide(
  side: 'balance' | 'reserved',
  figures: MonthFigures,
  findings: readonly Finding[],
): ReconciliationSide {
  const { cutOff, before, inside, settings } = figures;
  const followed: CutOffSide = cutOff[side];
  const names = nameDrifts(followed.drifts.rows, findings, MISMATCH_KINDS[side]);
  const recomputed = plus(before[side], inside[side]);
  const { recorded, crossing } = followed;
  const named = followed.drifts.rows.filter((drift) => names.has(drift));
  const earlier = named.filter((drift) => drift.at < settings.bounds.start);
  const items = named.filter((drift) => drift.at >= settings.bounds.start);
  const carriedForward = { count: earlier.length, amount: sumOf(earlier, (drift) => drift.amount) };
  const itemSum = sumOf(items, (drift) => drift.amount);
  const others = othersOf(followed, findings, MISMATCH_KINDS[side]);
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

/**
 * Sums the drifts beyond those kept one by one. They count as named if some confirmed finding names
 * drifts of this side at all.
 */
function othersOf(
  { drifts }: CutOffSide,
  findings: readonly Finding[],
  kinds: readonly string[],
): { readonly count: number; readonly amount: Amount } {
  const count = drifts.count - drifts.rows.length;
  if (count === 0 || !findings.some((finding) => kinds.includes(finding.kind)))
    return { count: 0, amount: 0 };
  return { count, amount: plus(drifts.amount, -sumOf(drifts.rows, (drift) => drift.amount)) };
}

/**
 * Returns the finding that names each drift: it is at the drift's line, or has that line among its
 * evidence (the end of a drift that is undone later).
 */
function nameDrifts(
  drifts: readonly Drift[],
  findings: readonly Finding[],
  kinds: readonly string[],
): ReadonlyMap<Drift, Finding> {
  const sequences = new Set(drifts.map((drift) => String(drift.sequence)));
  const byLine = new Map<string, Finding>();
  const rank = (finding: Finding): number => kinds.indexOf(finding.kind);
  // A finding at the line itself is closer than any that names the line only as evidence.
  const distance = (finding: Finding, line: string): number =>
    rank(finding) + (finding.sequence === line ? 0 : kinds.length);
  for (const finding of findings) {
    if (rank(finding) < 0) continue;
    const lines = finding.evidence
      .filter(({ what }) => what === 'line')
      .map(({ sequence }) => sequence);
    for (const sequence of new Set([finding.sequence, ...lines])) {
      if (sequence === null || !sequences.has(sequence)) continue;
      const known = byLine.get(sequence);
      if (known === undefined || distance(finding, sequence) < distance(known, sequence))
        byLine.set(sequence, finding);
    }
  }
  // A reserved amount that the first line carries in has no finding at its line. It is found where
  // the open holds are summed.
  const carriedIn = findings.find(
    (finding) => finding.kind === 'OPEN_HOLDS_MISMATCH' && rank(finding) >= 0,
  );
  return new Map(
    drifts.flatMap((drift) => {
      const finding = byLine.get(String(drift.sequence)) ?? (drift.isFirst ? carriedIn : undefined);
      return finding === undefined ? [] : [[drift, finding] as const];
    }),
  );
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
