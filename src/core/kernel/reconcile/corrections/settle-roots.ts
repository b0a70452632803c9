// Settles roots by the corrections in the ledger. Corrections are sums: what a root leaves is its
// item plus every line that corrects it, each once. If nothing is left, the root is settled by
// those lines; else it is open with what is left, whose sign may have turned. A line that fits only
// by its amount and sign is proposed, for a person to confirm.

import type { Amount } from '../../../domain/amount.ts';
import type { Finding, ItemPart } from '../../../domain/finding.ts';
import { formatInstant, type Instant, parseInstant } from '../../../domain/instant.ts';
import { changedSince } from '../../../domain/operators/grounds.ts';
import type { Accepted, ProposedSettlement, StandingDecision } from '../../../domain/settlement.ts';
import { declared, sideOf } from '../../checks/port/kinds.ts';
import { isOff, usesOf } from '../roots/items.ts';
import {
  assignLines,
  beginsAt,
  type Corrections,
  isCorrectable,
  type RootLines,
} from './assign-lines.ts';
import type { CorrectionLine } from './correction-lines.ts';

/** How many lines of one amount are looked at: the last ones. */
const MOST_ALIKE = 50;
const MOST_NAMED = 5;

/**
 * Returns the findings as the corrections leave them. `findings` must be all findings, roots and
 * what follows from them; their order is kept. Findings that followed from a settled root, and are
 * not undone with it, are roots again. A finding about an adjustment that is used as a correction
 * is dropped.
 */
export function settleRoots(
  findings: readonly Finding[],
  corrections: Corrections,
  decisions: readonly StandingDecision[],
): readonly Finding[] {
  const table = assignLines(findings, corrections, decisions);
  const words = Map.groupBy(decisions, ({ fingerprint }) => fingerprint);
  const corrected = findings.map((finding) => {
    const lines = table.get(finding);
    return lines === undefined
      ? finding
      : correct(finding, lines, words.get(finding.fingerprint) ?? []);
  });
  const used = new Set(
    [...table.values()].flatMap(({ own, shared, given }) =>
      [...own, ...shared, ...given].map((line) => line.sequence),
    ),
  );
  const saysNothing = new Set(
    findings.flatMap(({ kind, sequence }) =>
      kind === 'ADJUSTMENT_UNEXPLAINED' ? [Number(sequence)] : [],
    ),
  );
  const open = corrected.filter(
    (one) =>
      isCorrectable(one) &&
      one.settledBy === null &&
      one.item!.balance !== '0' &&
      one.proposedSettlement === null,
  );
  const proposed = proposeLines(open, corrections, { used, saysNothing });
  const settled = corrected.map((finding) => {
    const proposedSettlement = proposed.get(finding);
    return proposedSettlement === undefined ? finding : { ...finding, proposedSettlement };
  });
  return dropExplained(freeOthers(settled, corrections.adjustments.at(-1)?.sequence ?? 0), used);
}

/** Returns the root as its lines leave it. `decisions` are those about this root. */
function correct(
  root: Finding,
  { own, shared, given }: RootLines,
  decisions: readonly StandingDecision[],
): Finding {
  const decision = decisions.find(({ over }) => over === null);
  const twice = correctedBesides(root, own, decisions);
  const left = twice ?? withParts(root, [...own, ...shared]);
  if (given.length > 0 && decision !== undefined && restsOn(left, decision)) {
    const rest = withParts(left, given);
    if (isOff(rest.item)) return rest;
    const { person, reason } = decision;
    return { ...left, settledBy: { by: 'person', ...placeOf(given), person, reason } };
  }
  if (own.length === 0 && shared.length === 0) return root;
  if (twice !== null) return twice;
  if (!isOff(left.item) && isOff(root.item) && shared.length === 0 && isSettledByLines(root))
    return {
      ...root,
      settledBy: { by: 'correction', ...placeOf(own), person: null, reason: null },
    };
  return shared.length === 0
    ? left
    : { ...left, proposedSettlement: { ...placeOf(shared), ambiguous: true } };
}

/**
 * Returns the decisions that settled a root for a reason and without a line, so outside the ledger,
 * as far as no person took them back. A run that ends such a settlement does not take it back; a
 * person who reopens takes back the last settlement. `decisions` must be those about one root,
 * oldest first; so is the result.
 */
export function paidOutside<
  Word extends Pick<StandingDecision, 'terms'> & { readonly action: string },
>(decisions: readonly Word[]): readonly Word[] {
  const settled: Word[] = [];
  for (const [i, word] of decisions.entries()) {
    if (word.action === 'settle') settled.push(word);
    if (word.action === 'reopen' && decisions[i - 1]?.action !== 'accept') settled.pop();
  }
  return settled.filter(({ terms }) => terms.lines.length === 0);
}

/**
 * Returns a root that a person had settled for a reason, and that lines have corrected since: the
 * lines are too much, until a person settles that as well. `null` where this is not so.
 */
function correctedBesides(
  root: Finding,
  own: readonly CorrectionLine[],
  decisions: readonly StandingDecision[],
) {
  let [left, since] = [root, own];
  for (const decision of paidOutside(decisions)) {
    const decidedAt = parseInstant(decision.at)!;
    const isSince = ({ createdAt }: CorrectionLine): boolean => createdAt > decidedAt;
    const then = withParts(
      left,
      since.filter((line) => !isSince(line)),
    );
    if (!restsOn(then, decision)) continue;
    since = since.filter(isSince);
    // The settlement covers all that is left, and no line came after it.
    if (since.length === 0) return left === root ? null : then;
    const { balance, reserved } = then.item!;
    const paid = { of: 'corrected', sequence: null, operationReference: null } as const;
    const offs = { balance: String(-BigInt(balance)), reserved: String(-BigInt(reserved)) };
    left = { ...then, item: NOTHING, itemParts: [...then.itemParts, { ...paid, ...offs }] };
  }
  if (left === root) return null;
  const now = withParts(left, since);
  return isOff(now.item) ? now : null;
}

const NOTHING = { balance: '0', reserved: '0' };

/** Returns the root with its item plus the effects of the lines, which become parts of the item. */
function withParts(root: Finding, lines: readonly CorrectionLine[]): Finding {
  if (lines.length === 0) return root;
  const parts = lines.map(({ sequence, reference, effect, held }): ItemPart => {
    const moved = { balance: String(effect), reserved: String(held) };
    return { of: 'corrected', sequence: String(sequence), operationReference: reference, ...moved };
  });
  const itemParts = [...root.itemParts, ...parts];
  const sum = (side: 'balance' | 'reserved'): string =>
    parts.reduce((all, part) => all + BigInt(part[side]), BigInt(root.item![side])).toString();
  const item = { balance: sum('balance'), reserved: sum('reserved') };
  const corrected = itemParts.flatMap(({ of, sequence }) =>
    of === 'corrected' ? (sequence ?? []) : [],
  );
  const figures = { ...root.figures, corrected: { corrected, ...item } };
  return { ...root, item, itemParts, figures };
}

/** Effects of kinds that are about money and nothing else: lines may settle roots of these. */
const SETTLED: ReadonlySet<string> = new Set(
  'drift surplus amount lack below-zero faulty-line'.split(' '),
);
/** Effects of kinds that are settled together with the root that they follow from. */
const GOES_WITH: ReadonlySet<string> = new Set(
  'surplus amount lack below-zero uncovered statement leftover'.split(' '),
);

/**
 * Whether lines that undo the root's money settle it. They do where all of it is of one operation
 * or one line, is in the figure that the root's kind is about, and nothing else is wrong.
 */
export function isSettledByLines(root: Finding): boolean {
  const { effect, figure, unserved, toJustify, staysWrong } = declared(root);
  if (unserved || toJustify || staysWrong || !(SETTLED.has(effect) || figure !== undefined))
    return false;
  const moved = root.itemParts.filter((part) => part.of !== 'corrected' && isOff(part));
  return (
    hasSide(root, root) &&
    new Set(moved.map((part) => part.operationReference ?? part.sequence)).size === 1
  );
}

/** Whether the figure that the finding's kind is about is wrong by the item of the root. */
function hasSide(finding: Finding, { itemParts }: Finding): boolean {
  const side = sideOf(finding);
  return side === null || itemParts.some((part) => part.of !== 'corrected' && part[side] !== '0');
}

/**
 * Makes findings roots again that follow from a root settled by lines, and are not about its money.
 * `last` is the newest adjustment that was read; a person may have settled by a later line.
 */
function freeOthers(findings: readonly Finding[], last: number): readonly Finding[] {
  const isByLines = ({ settledBy }: Finding): boolean =>
    settledBy?.by === 'correction' ||
    settledBy?.lines.some((line) => Number(line) > last) === false;
  const settled = new Map(findings.filter(isByLines).map((one) => [one.fingerprint, one]));
  if (settled.size === 0) return findings;
  return findings.map((finding) => {
    const root = settled.get(finding.causedBy ?? '');
    if (root === undefined || goesWith(finding, root)) return finding;
    return { ...finding, causedBy: null, item: NOTHING };
  });
}

/**
 * Whether the finding is settled together with its root. A notification of an operation that was
 * never served is as unknown as the operation, so it is.
 */
function goesWith(finding: Finding, root: Finding): boolean {
  const { effect, figure, subject, staysWrong } = declared(finding);
  if (
    finding.severity === 'info' ||
    (subject === 'notification' && root.kind === 'OPERATION_UNKNOWN')
  )
    return true;
  if (staysWrong || !(GOES_WITH.has(effect) || figure !== undefined)) return false;
  return subject !== 'operation' || hasSide(finding, root);
}

function placeOf(lines: readonly CorrectionLine[]): ProposedSettlement {
  return {
    lines: lines.map(({ sequence }) => String(sequence)),
    at: formatInstant(Math.max(...lines.map(({ createdAt }) => createdAt))),
  };
}

/**
 * Proposes adjustments without an operation that undo the balance of a root, alone or two together.
 * If there are several ways, or a line fits several roots, the proposal is `ambiguous`.
 */
function proposeLines(
  open: readonly Finding[],
  corrections: Corrections,
  {
    used,
    saysNothing,
  }: { readonly used: ReadonlySet<number>; readonly saysNothing: ReadonlySet<number> },
): ReadonlyMap<Finding, ProposedSettlement> {
  const free = corrections.adjustments.filter(
    ({ sequence, reference, isReversal }) =>
      reference === null && isReversal === undefined && !used.has(sequence),
  );
  const byEffect = Map.groupBy(free, ({ effect }) => effect);
  const bySign = Map.groupBy(free, ({ effect }) => Math.sign(effect));
  const fitting = open.map((root) => {
    const begins = beginsAt(root, corrections);
    const effect = -Number(root.item!.balance);
    const alike = (byEffect.get(effect) ?? []).slice(-MOST_ALIKE).filter(begins);
    if (alike.length > 0) return [root, alike.map((line) => [line])] as const;
    const parts = (bySign.get(Math.sign(effect)) ?? []).slice(-MOST_ALIKE).filter(begins);
    return [root, pairsOf(parts, effect, saysNothing)] as const;
  });
  const timesOffered = new Map<number, number>();
  for (const { sequence } of fitting.flatMap(([, ways]) => ways.flat())) {
    timesOffered.set(sequence, (timesOffered.get(sequence) ?? 0) + 1);
  }
  const proposed = (ways: readonly (readonly CorrectionLine[])[]): ProposedSettlement => {
    const isOwn =
      ways.length === 1 && ways[0]!.every(({ sequence }) => timesOffered.get(sequence) === 1);
    const lines = [...new Set(ways.flat())];
    return { ...placeOf(lines.slice(0, MOST_NAMED)), ...(isOwn ? {} : { ambiguous: true }) };
  };
  return new Map(
    fitting.flatMap(([root, ways]) => (ways.length === 0 ? [] : [[root, proposed(ways)] as const])),
  );
}

/**
 * Returns the pairs of lines that sum to the effect: two equal halves, or two lines that nothing
 * explains. Other pairs may well sum to it by chance, because each line has a reason of its own.
 */
function pairsOf(
  lines: readonly CorrectionLine[],
  effect: Amount,
  saysNothing: ReadonlySet<number>,
): readonly (readonly CorrectionLine[])[] {
  const fits = (a: CorrectionLine, b: CorrectionLine): boolean =>
    a.effect + b.effect === effect &&
    (a.effect === b.effect || (saysNothing.has(a.sequence) && saysNothing.has(b.sequence)));
  return lines.flatMap((a, i) => lines.slice(i + 1).flatMap((b) => (fits(a, b) ? [[a, b]] : [])));
}

/**
 * Drops the findings about lines that correct a root: an adjustment is explained by the root, and a
 * reversal needs no reference.
 */
function dropExplained(
  findings: readonly Finding[],
  used: ReadonlySet<number>,
): readonly Finding[] {
  const isExplained = ({ kind, sequence }: Finding): boolean =>
    (kind === 'ADJUSTMENT_UNEXPLAINED' || kind === 'REFERENCE_MISSING') &&
    used.has(Number(sequence));
  const dropped = new Set(findings.filter(isExplained).map(({ fingerprint }) => fingerprint));
  if (dropped.size === 0) return findings;
  return findings
    .filter(({ fingerprint }) => !dropped.has(fingerprint))
    .map((finding) =>
      dropped.has(finding.causedBy ?? '')
        ? { ...finding, causedBy: null, item: { balance: '0', reserved: '0' } }
        : finding,
    );
}

// Applies what people have decided about roots: settled, accepted, or open in spite of a
// correction. A decision holds as long as what it rests on is unchanged; after that the root is
// open again by itself. An acceptance that is over stays on record with the root, for the months
// that ended while it held.

/**
 * Applies the decisions. An acceptance that has expired by `asOf` does not hold any more. `cutAt`
 * is the instant of the cut for findings at a cut, else `null`. Roots that a correction has settled
 * stay settled, unless a person refused it.
 */
export function applyDecisions(
  findings: readonly Finding[],
  decisions: readonly StandingDecision[],
  asOf: Instant,
  cutAt: Instant | null = null,
): readonly Finding[] {
  if (decisions.length === 0) return findings;
  const known = Map.groupBy(decisions, ({ fingerprint }) => fingerprint);
  const uses = usesOf(findings);
  // A line that is counted already, for this root or another, settles nothing a second time.
  const isSpent = ({ action, terms }: StandingDecision): boolean =>
    action === 'settle' && terms.lines.some(({ sequence }) => uses.has(sequence));
  const decided = findings.map((finding) => {
    const own = finding.item === null ? [] : (known.get(finding.fingerprint) ?? []);
    const last = own.find(({ over }) => over === null);
    const today = last === undefined || isSpent(last) ? finding : decide(finding, last, asOf);
    const isOpen = finding.settledBy === null && today.settledBy === null;
    const stood = isOpen && cutAt !== null ? settlementAt(own, cutAt) : undefined;
    const then = stood === undefined || isSpent(stood) ? today : decide(finding, stood, asOf);
    const now = then.settledBy === null ? today : then;
    const acceptances = own.filter((one) => one.action === 'accept' && restsOn(finding, one));
    const before = acceptances
      .filter((one) => one !== last || now.accepted === null)
      .map(acceptedBy);
    return before.length === 0 ? now : { ...now, acceptedBefore: before };
  });
  const lines = decided.flatMap(({ settledBy }) =>
    settledBy?.by === 'person' ? settledBy.lines : [],
  );
  return dropExplained(decided, new Set(lines.map(Number)));
}

/**
 * Returns the settlement that held at `at`, and that a run has ended since. A settlement that a
 * person took back never held.
 */
function settlementAt(own: readonly StandingDecision[], at: Instant): StandingDecision | undefined {
  const next = own.findIndex((word) => parseInstant(word.at)! >= at);
  const last = own.at(next === -1 ? -1 : next - 1);
  if (
    next === 0 ||
    last?.action !== 'settle' ||
    last.over === null ||
    parseInstant(last.over)! < at
  )
    return undefined;
  return next !== -1 && own[next]!.action === 'reopen' ? undefined : last;
}

function decide(finding: Finding, decision: StandingDecision, asOf: Instant): Finding {
  const { action, person, reason, at, terms } = decision;
  const lines = terms.lines.map(({ sequence }) => sequence);
  if (finding.settledBy !== null) {
    const isRefused = action === 'reopen' && lines.join() === finding.settledBy.lines.join();
    return isRefused ? { ...finding, settledBy: null } : finding;
  }
  const isOver = terms.until !== null && asOf >= parseInstant(terms.until)!;
  if (action === 'reopen' || isOver || !restsOn(finding, decision)) return finding;
  const severity = declared(finding).goesOn === true ? 'info' : finding.severity;
  if (action === 'accept') return { ...finding, severity, accepted: acceptedBy(decision) };
  const dates = terms.lines.map((line) => line.at).sort();
  const settledBy = { by: 'person', lines, at: dates.at(-1) ?? at, person, reason } as const;
  return { ...finding, settledBy, proposedSettlement: null };
}

function restsOn(finding: Finding, decision: StandingDecision): boolean {
  return changedSince(finding, decision) === null;
}

/**
 * Returns the acceptance of a decision. It lasts until its own end, or until a later decision
 * before that.
 */
function acceptedBy({
  person,
  reason,
  at,
  over,
  terms: { limit, until },
}: StandingDecision): Accepted {
  const isCut = over !== null && (until === null || parseInstant(over)! < parseInstant(until)!);
  return { person, reason, at, limit, until: isCut ? over : until };
}
