// From drafts to findings: one fault in the books gives one root, and what follows from it names the root. A wallet total
// that is off by a root's amount, and a figure below zero that would not be so without it, are consequences.

import type { Evidence, Finding, FindingDraft, FindingStatus } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { Gap } from './books.ts';
import { beginClusters, type Clusters, clusterOf, isBelowZero, isWalletKind, rootAmong } from './clusters.ts';
import { fingerprintOf } from './fingerprint.ts';
import { isDrift, type LinkMaterial, liesAt, linkFindings, standsAlone } from './links.ts';
import type { Shortfall } from './shortfall.ts';

export interface RootSettings {
  readonly merchant: string;
  readonly watermark: Instant;
  readonly grace: number;
  readonly clockTolerance: number;
}

/** Findings in the order of the drafts, each with its root. `material.drafts` must be merged. */
export function findRoots(material: LinkMaterial, settings: RootSettings): readonly Finding[] {
  const { drafts } = material;
  const clusters = beginClusters(drafts.length);
  linkFindings(clusters, material);
  const rootOf = rootsOf(clusters, drafts);
  followMoney(rootOf, material);
  followGaps(rootOf, material);
  const fingerprints = drafts.map((draft) => fingerprintOf(settings.merchant, draft));
  return drafts.map((draft, i) => {
    const root = ultimateRoot(rootOf, i);
    const difference = draft.difference ?? (root === i ? driftBehind(i, drafts, rootOf) : null);
    return {
      fingerprint: fingerprints[i]!,
      kind: draft.kind,
      severity: draft.severity,
      status: statusOf(draft, settings),
      sequence: draft.sequence === null ? null : String(draft.sequence),
      operationReference: draft.operationReference,
      expected: draft.expected,
      actual: draft.actual,
      difference: difference === null ? null : difference.toString(),
      message: draft.message,
      evidence: [...draft.evidence, ...gapsBehind(i, drafts, rootOf)],
      causedBy: root === i ? null : fingerprints[root]!,
    };
  });
}

/** What a root without a figure of its own makes off: the drifts that it leaves, or the wallet that has what was not read. */
function driftBehind(root: number, drafts: readonly FindingDraft[], rootOf: readonly number[]): bigint | null {
  const drifts = drafts.filter(
    (draft, i) => draft.difference !== null && isDrift(draft.kind) && ultimateRoot(rootOf, i) === root,
  );
  const balance = drifts.filter((draft) => draft.kind !== 'RESERVED_DRIFT');
  const wallet = drafts.filter(
    (draft, i) => draft.kind === 'WALLET_BALANCE_MISMATCH' && ultimateRoot(rootOf, i) === root,
  );
  const counted = [balance, wallet, drifts].find((some) => some.length > 0) ?? [];
  return counted.length === 0 ? null : counted.reduce((sum, draft) => sum + draft.difference!, 0n);
}

function gapsBehind(root: number, drafts: readonly FindingDraft[], rootOf: readonly number[]): readonly Evidence[] {
  return drafts.flatMap((draft, i) =>
    draft.kind === 'SEQUENCE_GAP' && i !== root && rootOf[i] === root
      ? [{ what: 'gap', sequence: String(draft.sequence), reference: null, note: draft.message } as const]
      : [],
  );
}

/** A harmless jump where an operation lacks a line is evidence of that, and no news of its own. */
function followGaps(rootOf: number[], { drafts, harmlessJumps, shortfalls }: LinkMaterial): void {
  const lacking = [...shortfalls.values()].filter((one) => one.needs.length > 0 && indexOf(drafts, one) !== null);
  if (lacking.length === 0) return;
  for (const jump of harmlessJumps) {
    const self = drafts.findIndex((draft) => draft.kind === 'SEQUENCE_GAP' && draft.sequence === jump.sequence);
    const cause = lacking.find((one) => liesAt(jump, one));
    if (self >= 0 && cause !== undefined) rootOf[self] = ultimateRoot(rootOf, indexOf(drafts, cause)!);
  }
}

/** For each draft the index of its root; a root points at itself. */
function rootsOf(clusters: Clusters, drafts: readonly FindingDraft[]): number[] {
  const members = new Map<number, number[]>();
  drafts.forEach((_, i) => {
    const cluster = clusterOf(clusters, i);
    const known = members.get(cluster);
    if (known === undefined) members.set(cluster, [i]);
    else known.push(i);
  });
  const rootOf = drafts.map((_, i) => i);
  for (const some of members.values()) {
    const root = rootAmong(drafts, some);
    for (const member of some) rootOf[member] = root;
  }
  return rootOf;
}

function ultimateRoot(rootOf: readonly number[], member: number): number {
  let root = member;
  for (let steps = 0; rootOf[root] !== root && steps < rootOf.length; steps++) root = rootOf[root]!;
  return root;
}

/** Confirmed unless some evidence is younger than the watermark less grace; an impossible time proves nothing. */
function statusOf({ newestEvidence: newest }: FindingDraft, settings: RootSettings): FindingStatus {
  if (newest === null || newest > settings.watermark + settings.clockTolerance) return 'confirmed';
  return newest <= settings.watermark - settings.grace ? 'confirmed' : 'provisional';
}

function followMoney(rootOf: number[], material: LinkMaterial): void {
  const { drafts } = material;
  drafts.forEach((draft, i) => {
    if (rootOf[i] !== i || standsAlone(draft)) return;
    const cause = isWalletKind(draft.kind)
      ? causeOfWallet(i, material, rootOf)
      : isBelowZero(draft.kind) || draft.kind === 'HOLD_EXCEEDS_AVAILABLE'
        ? causeOfBelowZero(draft, material)
        : null;
    if (cause !== null && ultimateRoot(rootOf, cause) !== i) rootOf[i] = ultimateRoot(rootOf, cause);
  });
}

function causeOfWallet(self: number, material: LinkMaterial, rootOf: readonly number[]): number | null {
  const { drafts, gaps, shortfalls } = material;
  const draft = drafts[self]!;
  const difference = draft.difference ?? 0n;
  if (draft.kind === 'OPEN_HOLDS_MISMATCH') return causeOfOpenHolds(drafts, gaps);
  if (draft.kind !== 'WALLET_IDENTITY_BROKEN') {
    const identity = drafts.findIndex(
      (one) =>
        one.kind === 'WALLET_IDENTITY_BROKEN' &&
        draft.kind.startsWith('WALLET_') &&
        absolute(one.difference!) === absolute(difference),
    );
    if (identity >= 0) return identity;
  }
  const side = draft.kind === 'WALLET_RESERVED_MISMATCH' ? 'reserved' : 'balance';
  if (draft.kind.startsWith('WALLET_')) {
    const undone = gaps.find((gap) => BigInt(gap[side]) === -difference);
    if (undone !== undefined) return indexAt(drafts, undone.sequence);
    const all = [...shortfalls.values()];
    const one = all.find((shortfall) => BigInt(shortfall[side]) === difference && difference !== 0n);
    const sum = BigInt(all.reduce((total, shortfall) => total + shortfall[side], 0));
    if (one !== undefined) return indexOf(drafts, one);
    if (all.length > 1 && sum === difference) return indexOf(drafts, all[0]!);
  }
  if (draft.kind.startsWith('TOTAL_')) {
    const off = new Set([difference, ...draft.differences].map(absolute));
    const all = [...shortfalls.values()].filter((shortfall) => indexOf(drafts, shortfall) !== null);
    const one = all.find((shortfall) => shortfall.figures.some((amount) => off.has(absolute(BigInt(amount)))));
    if (one !== undefined) return indexOf(drafts, one);
    // A credit in parts may have been counted with its share of the fee, or without.
    const inPart = all.find((shortfall) => countedInPart(shortfall, draft, drafts));
    if (inPart !== undefined) return indexOf(drafts, inPart);
    const unknown = drafts.findIndex((other) => other.kind === 'OPERATION_UNKNOWN');
    if (unknown >= 0) return unknown;
    const stale = staleWallet(material);
    if (stale !== null) return stale;
  }
  return unreadCause(draft, material, rootOf);
}

function countedInPart(shortfall: Shortfall, draft: FindingDraft, drafts: readonly FindingDraft[]): boolean {
  const partly = drafts.some(
    (one) => one.kind === 'CREDIT_AMOUNT_MISMATCH' && one.operationReference === shortfall.reference,
  );
  const surplus = absolute(draft.difference ?? 0n) - absolute(BigInt(shortfall.balance));
  return partly && draft.kind === 'TOTAL_COLLECTED_MISMATCH' && surplus > 0n && surplus <= BigInt(shortfall.fees);
}

/** Totals that are off together with a balance: the wallet was read at another moment than its ledger. */
function staleWallet({ drafts, walletIsOlder }: LinkMaterial): number | null {
  const balance = drafts.findIndex((draft) => draft.kind === 'WALLET_BALANCE_MISMATCH');
  if (balance < 0) return null;
  if (walletIsOlder) return balance;
  const off = (kind: string): bigint => drafts.find((draft) => draft.kind === kind)?.difference ?? 0n;
  const [collected, disbursed, fees] = [
    off('TOTAL_COLLECTED_MISMATCH'),
    off('TOTAL_DISBURSED_MISMATCH'),
    off('TOTAL_FEES_MISMATCH'),
  ];
  const nets = [collected - disbursed, collected - disbursed - fees, collected - disbursed + fees];
  return nets.includes(drafts[balance]!.difference!) ? balance : null;
}

/** What could not be read may hold the difference: a refused operation row for a total, a refused tail for the head. */
function unreadCause(
  draft: FindingDraft,
  { drafts, rejected, lastSequence }: LinkMaterial,
  rootOf: readonly number[],
): number | null {
  const part = draft.kind.startsWith('TOTAL_') ? 'operations' : 'ledger';
  const row = rejected.find(
    (one) => one.part === part && (part === 'operations' || one.sequence === null || one.sequence > lastSequence),
  );
  if (row === undefined) return null;
  const cause = drafts.findIndex(
    (one) => one.kind === 'INPUT_REJECTED' && one.evidence[0]?.note?.startsWith(`${row.place}:`),
  );
  return cause < 0 ? null : ultimateRoot(rootOf, cause);
}

function causeOfOpenHolds(drafts: readonly FindingDraft[], gaps: readonly Gap[]): number | null {
  const gap = [...gaps].reverse().find((one) => one.reserved !== '0');
  if (gap === undefined) return null;
  const drift = drafts.findIndex((draft) => draft.sequence === gap.sequence && isDrift(draft.kind));
  return drift < 0 ? null : drift;
}

/** A drift, or an operation's fault, without which the figure would not have been below zero (or the hold too large). */
function causeOfBelowZero(draft: FindingDraft, { drafts, gaps, shortfalls }: LinkMaterial): number | null {
  const before = gaps.filter((gap) => gap.sequence <= draft.sequence!);
  const balance = before.reduce((sum, gap) => sum + BigInt(gap.balance), 0n);
  const reserved = before.reduce((sum, gap) => sum + BigInt(gap.reserved), 0n);
  if (balance < 0n || reserved !== 0n) {
    const worst = before.find((gap) => BigInt(gap.balance) < 0n || gap.reserved !== '0');
    if (worst !== undefined) return indexAt(drafts, worst.sequence);
  }
  const short = [...shortfalls.values()].find(
    (one) =>
      (one.balance > 0 || one.reserved !== 0) &&
      one.posted.every((line) => line.sequence <= draft.sequence!) &&
      indexOf(drafts, one) !== null,
  );
  return short === undefined ? null : indexOf(drafts, short);
}

function indexAt(drafts: readonly FindingDraft[], sequence: number): number | null {
  const index = drafts.findIndex((draft) => draft.sequence === sequence && !standsAlone(draft));
  return index < 0 ? null : index;
}

function indexOf(drafts: readonly FindingDraft[], { reference }: Shortfall): number | null {
  const index = drafts.findIndex((draft) => draft.operationReference === reference && !standsAlone(draft));
  return index < 0 ? null : index;
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
