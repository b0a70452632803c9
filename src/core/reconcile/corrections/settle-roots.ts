// Settles roots by the corrections in the ledger: lines after the fault that undo its item exactly. What names the
// fault settles it; what fits by amount and sign alone is proposed for a person to confirm.

import { nameOfLine, namesFinding, SHORTEST_FINGERPRINT } from '../../checks/across/identities.ts';
import type { Amount } from '../../domain/amount.ts';
import type { Finding, Item, ItemPart } from '../../domain/finding.ts';
import { formatInstant, type Instant, parseInstant } from '../../domain/instant.ts';
import { isAdjustment } from '../../domain/ledger-entry.ts';
import type {
  Accepted,
  DecisionTerms,
  ProposedSettlement,
  SettledBy,
  StandingDecision,
} from '../../domain/settlement.ts';
import { fewThatFit } from '../roots/excess.ts';
import { isOff } from '../roots/items.ts';
import { type CorrectionLine, correctionLineOf } from './correction-lines.ts';
import type { SplitOperation } from './split-corrections.ts';

export interface Corrections {
  /** The newest adjustments, in ledger order; older ones of operations with a finding lie in their tallies. */
  readonly adjustments: readonly CorrectionLine[];
  /** Operations at hand, by reference: every one that has a finding is among them. */
  readonly operations: ReadonlyMap<string, SplitOperation>;
}

/** Of more lines of one amount the last are looked at. */
const MOST_ALIKE = 50;
const MOST_NAMED = 5;

/** `findings`: all of them, roots and what follows from them, in a fixed order. The same come back, in that order. */
export function settleRoots(findings: readonly Finding[], corrections: Corrections): readonly Finding[] {
  const sets = Map.groupBy(findings, ({ fingerprint, causedBy }) => causedBy ?? fingerprint);
  const byName = indexNames(corrections.adjustments);
  const used = new Set<number>();
  const settled = new Map<Finding, SettledBy>();
  const open: Finding[] = [];
  const left = new Map<Finding, Pick<Finding, 'item' | 'itemParts'>>();
  // What is reserved is off as well: no adjustment moves that.
  const halfDone = new Map<Finding, ProposedSettlement>();
  for (const root of findings.filter(isCorrectable)) {
    const set = sets.get(root.fingerprint)!;
    const begins = beginsAt(root, corrections);
    const choose = (some: readonly CorrectionLine[], item = root.item!): readonly CorrectionLine[] | null =>
      undoing(
        some.filter((line) => !used.has(line.sequence) && begins(line)),
        item,
      );
    const reversals = setApartOf(set, corrections);
    const named = naming(set, corrections, byName);
    const chosen = choose(reversals) ?? choose(named);
    if (chosen === null) {
      const inBalance = root.item!.balance === '0' ? null : choose(named, { ...root.item!, reserved: '0' });
      if (inBalance !== null) halfDone.set(root, placeOf(inBalance));
      const part = inBalance === null ? named.filter((line) => !used.has(line.sequence) && begins(line)) : [];
      for (const { sequence } of part) used.add(sequence);
      if (part.length > 0) left.set(root, correctedBy(root, part));
      else open.push(root);
      continue;
    }
    for (const { sequence } of chosen) used.add(sequence);
    settled.set(root, { by: 'correction', ...placeOf(chosen), person: null, reason: null });
  }
  const saysNothing = new Set(
    findings.flatMap(({ kind, sequence }) => (kind === 'ADJUSTMENT_UNEXPLAINED' ? [Number(sequence)] : [])),
  );
  const proposed = proposeLines(
    open.filter(({ item }) => item!.balance !== '0'),
    corrections,
    { used, saysNothing },
  );
  return dropExplained(
    findings.map((finding) => ({
      ...finding,
      ...left.get(finding),
      settledBy: settled.get(finding) ?? null,
      proposedSettlement: halfDone.get(finding) ?? proposed.get(finding) ?? null,
    })),
    used,
  );
}

/** What is left of a root that the lines name and do not undo whole: too little, too much, or the wrong way. */
function correctedBy(
  { item, itemParts }: Finding,
  lines: readonly CorrectionLine[],
): Pick<Finding, 'item' | 'itemParts'> {
  const parts = lines.map(({ sequence, reference, effect, held }): ItemPart => {
    const moved = { balance: String(effect), reserved: String(held) };
    return { of: 'corrected', sequence: String(sequence), operationReference: reference, ...moved };
  });
  const sum = (side: keyof Item): string =>
    parts.reduce((all, part) => all + BigInt(part[side]), BigInt(item![side])).toString();
  return { item: { balance: sum('balance'), reserved: sum('reserved') }, itemParts: [...itemParts, ...parts] };
}

/** Money is off, and in the ledger: no line moves what the wallet states by itself. */
function isCorrectable({ item, itemParts }: Finding): boolean {
  return isOff(item) && itemParts.every(({ of }) => of !== 'wallet');
}

/** By name, and fingerprints by their first digits. */
type ByName = ReadonlyMap<string, readonly CorrectionLine[]>;

function indexNames(lines: readonly CorrectionLine[]): ByName {
  const named = lines.flatMap((line) => {
    const names = line.names.flatMap((one) => [one, one.slice(0, SHORTEST_FINGERPRINT)]);
    const own = line.reference === null ? [] : [line.reference.toLowerCase()];
    return [...new Set([...names, ...own])].map((name) => ({ name, line }));
  });
  const byName = Map.groupBy(named, ({ name }) => name);
  return new Map([...byName].map(([name, some]) => [name, some.map(({ line }) => line)]));
}

/** Reversals that put operations of the set right: without them these were judged. */
function setApartOf(set: readonly Finding[], { operations }: Corrections): readonly CorrectionLine[] {
  const references = new Set(set.map(({ operationReference }) => operationReference).filter((one) => one !== null));
  return [...references].flatMap((reference) =>
    (operations.get(reference)?.apart ?? []).map((line) => correctionLineOf(line, reference)),
  );
}

/** Lines that name an operation, a line or a finding of the set, in ledger order. */
function naming(set: readonly Finding[], { operations }: Corrections, byName: ByName): readonly CorrectionLine[] {
  const found = new Map<number, CorrectionLine>();
  const take = (line: CorrectionLine): void => void (found.has(line.sequence) || found.set(line.sequence, line));
  for (const { fingerprint, sequence, operationReference } of set) {
    for (const line of byName.get(fingerprint.slice(0, SHORTEST_FINGERPRINT)) ?? []) {
      if (namesFinding(line.names, fingerprint)) take(line);
    }
    if (sequence !== null) for (const line of byName.get(nameOfLine(sequence)) ?? []) take(line);
    if (operationReference === null) continue;
    for (const line of byName.get(operationReference.toLowerCase()) ?? []) {
      if (line.reference === operationReference || line.names.includes(operationReference.toLowerCase())) take(line);
    }
    const own = operations.get(operationReference);
    for (const line of own?.apart ?? []) take(correctionLineOf(line, operationReference));
    for (const line of own?.tally.lines ?? []) {
      if (isAdjustment(line.entry.kind)) take(correctionLineOf(line, operationReference));
    }
  }
  return [...found.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Whether a line comes after the fault: behind its line, or since its operation was made. */
function beginsAt(
  { sequence, operationReference }: Finding,
  { operations }: Corrections,
): (line: CorrectionLine) => boolean {
  if (sequence !== null) return (line) => line.sequence > Number(sequence);
  const tally = operationReference === null ? undefined : operations.get(operationReference)?.tally;
  const since = tally?.operation?.createdAt ?? Number.NEGATIVE_INFINITY;
  return (line) => line.createdAt >= since;
}

/** All of them, else the first one, else two or three that together undo exactly the item; null: none do. */
function undoing(lines: readonly CorrectionLine[], { balance, reserved }: Item): readonly CorrectionLine[] | null {
  if (lines.length === 0) return null;
  const fits = (some: readonly CorrectionLine[]): boolean =>
    some.reduce((sum, { effect }) => sum + BigInt(effect), BigInt(balance)) === 0n &&
    some.reduce((sum, { held }) => sum + BigInt(held), BigInt(reserved)) === 0n;
  if (fits(lines)) return lines;
  const one = lines.find((line) => fits([line]));
  return one === undefined ? fewThatFit(lines, fits) : [one];
}

function placeOf(lines: readonly CorrectionLine[]): ProposedSettlement {
  return {
    lines: lines.map(({ sequence }) => String(sequence)),
    at: formatInstant(Math.max(...lines.map(({ createdAt }) => createdAt))),
  };
}

/**
 * Adjustments of no operation that undo the balance of a root, alone or two together; more than one, or one that fits several roots,
 * are `ambiguous`.
 */
function proposeLines(
  open: readonly Finding[],
  corrections: Corrections,
  { used, saysNothing }: { readonly used: ReadonlySet<number>; readonly saysNothing: ReadonlySet<number> },
): ReadonlyMap<Finding, ProposedSettlement> {
  const free = corrections.adjustments.filter(({ sequence, reference }) => reference === null && !used.has(sequence));
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
    const isOwn = ways.length === 1 && ways[0]!.every(({ sequence }) => timesOffered.get(sequence) === 1);
    const lines = [...new Set(ways.flat())];
    return { ...placeOf(lines.slice(0, MOST_NAMED)), ...(isOwn ? {} : { ambiguous: true }) };
  };
  return new Map(fitting.flatMap(([root, ways]) => (ways.length === 0 ? [] : [[root, proposed(ways)] as const])));
}

/** Two halves, or two lines without a word that sum to the effect: with a reason of their own two others may well do so by chance. */
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

/** An adjustment that settles a root is explained by it. */
function dropExplained(findings: readonly Finding[], used: ReadonlySet<number>): readonly Finding[] {
  const isExplained = ({ kind, sequence }: Finding): boolean =>
    kind === 'ADJUSTMENT_UNEXPLAINED' && used.has(Number(sequence));
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

// Applies what people have decided about roots: settled, accepted, or open in spite of a correction. A decision holds as long
// as what it rests on is as it was; else the root is open again by itself. An acceptance that is over stays with the root, for the
// months that ended while it held.

type Grounds = Pick<DecisionTerms, 'balance' | 'reserved' | 'difference' | 'evidence'>;

/** `asOf`: an acceptance that has expired by then holds no more. Roots that a correction has settled stay so, unless refused. */
export function applyDecisions(
  findings: readonly Finding[],
  decisions: readonly StandingDecision[],
  asOf: Instant,
): readonly Finding[] {
  if (decisions.length === 0) return findings;
  const known = Map.groupBy(decisions, ({ fingerprint }) => fingerprint);
  const decided = findings.map((finding) => {
    const own = finding.item === null ? [] : (known.get(finding.fingerprint) ?? []);
    const last = own.find(({ over }) => over === null);
    const now = last === undefined ? finding : decide(finding, last, asOf);
    const acceptances = own.filter((one) => one.action === 'accept' && restsOn(finding, one));
    const before = acceptances.filter((one) => one !== last || now.accepted === null).map(acceptedBy);
    return before.length === 0 ? now : { ...now, acceptedBefore: before };
  });
  const lines = decided.flatMap(({ settledBy }) => (settledBy?.by === 'person' ? settledBy.lines : []));
  return dropExplained(decided, new Set(lines.map(Number)));
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
  if (action === 'accept') return { ...finding, accepted: acceptedBy(decision) };
  const dates = terms.lines.map((line) => line.at).sort();
  const settledBy = { by: 'person', lines, at: dates.at(-1) ?? at, person, reason } as const;
  return { ...finding, settledBy, proposedSettlement: null };
}

function restsOn(finding: Finding, { terms, linesStand }: StandingDecision): boolean {
  const grounds = groundsOf(finding);
  if (!linesStand || grounds.evidence.join() !== terms.evidence.join()) return false;
  if (terms.limit !== null) return amountOf(grounds) <= BigInt(terms.limit);
  return (['balance', 'reserved', 'difference'] as const).every((figure) => grounds[figure] === terms[figure]);
}

/** Until its own end, or a later word before that. */
function acceptedBy({ person, reason, at, over, terms: { limit, until } }: StandingDecision): Accepted {
  const isCut = over !== null && (until === null || parseInstant(over)! < parseInstant(until)!);
  return { person, reason, at, limit, until: isCut ? over : until };
}

/** What a decision about the finding rests on, besides lines. */
export function groundsOf({ item, difference, evidence }: Finding): Grounds {
  return {
    balance: item?.balance ?? '0',
    reserved: item?.reserved ?? '0',
    difference,
    evidence: evidence.map(({ what, sequence, reference }) => [what, sequence ?? '', reference ?? ''].join(':')).sort(),
  };
}

/** The most that is off of any figure, without sign; whole units. */
export function amountOf({ balance, reserved, difference }: Grounds): bigint {
  const sizes = [balance, reserved, difference ?? '0'].map((text) => BigInt(text.replace('-', '')));
  return sizes.reduce((most, size) => (size > most ? size : most));
}
