// What follows from a root by its money: a wallet figure that is off by its amount, a figure below zero that would not be
// so without it. These links point one way; they never make two faults one.

import type { FindingDraft } from '../domain/finding.ts';
import { isBelowZero, isWalletKind, ultimateRoot } from './clusters.ts';
import { MOST_GAPS, standsAlone } from './draft-index.ts';
import type { LinkMaterial } from './links.ts';
import { driftThrough } from './misplaced.ts';
import type { Shortfall } from './shortfall.ts';

export function followMoney(rootOf: number[], material: LinkMaterial): void {
  const { drafts } = material;
  const before = lookBefore(material);
  drafts.forEach((draft, i) => {
    if (rootOf[i] !== i || (standsAlone(draft) && !isBelowZero(draft.kind))) return;
    const cause = isWalletKind(draft.kind)
      ? causeOfWallet(i, material, rootOf)
      : isBelowZero(draft.kind) || draft.kind === 'HOLD_EXCEEDS_AVAILABLE'
        ? causeOfBelowZero(draft, material, before)
        : null;
    if (cause !== null && ultimateRoot(rootOf, cause) !== i) rootOf[i] = ultimateRoot(rootOf, cause);
  });
}

function causeOfWallet(self: number, material: LinkMaterial, rootOf: readonly number[]): number | null {
  const { drafts, gaps, index } = material;
  const draft = drafts[self]!;
  const difference = draft.difference ?? 0n;
  if (draft.kind === 'OPEN_HOLDS_MISMATCH') return causeOfOpenHolds(material);
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
    if (undone !== undefined) return causeAtGap(undone.sequence, material);
    const left = leftByMisplaced({ side, difference: -difference }, material, rootOf);
    if (left !== null) return left;
    const all = material.foremost;
    const one = all.find((shortfall) => BigInt(shortfall[side]) === difference && difference !== 0n);
    const sum = BigInt(all.reduce((total, shortfall) => total + shortfall[side], 0));
    if (one !== undefined) return indexOf(material, one);
    if (all.length > 1 && sum === difference) return indexOf(material, all[0]!);
  }
  if (draft.kind.startsWith('TOTAL_')) {
    const off = new Set([difference, ...draft.differences].map(absolute));
    const all = material.foremost;
    const one = all.find((shortfall) => shortfall.figures.some((amount) => off.has(absolute(BigInt(amount)))));
    if (one !== undefined) return indexOf(material, one);
    // A credit in parts may have been counted with its share of the fee, or without.
    const inPart =
      draft.kind === 'TOTAL_COLLECTED_MISMATCH'
        ? all.find((shortfall) => countedInPart(shortfall, draft, material))
        : undefined;
    if (inPart !== undefined) return indexOf(material, inPart);
    const [unknown] = index.unknownOperations;
    if (unknown !== undefined) return unknown;
    const stale = staleWallet(material);
    if (stale !== null) return stale;
    const stated = drafts.findIndex(
      (one) => one.operationReference !== null && off.has(absolute(one.difference ?? 0n)),
    );
    if (stated >= 0) return stated;
  }
  const unread = unreadCause(draft, material, rootOf);
  if (unread !== null || draft.kind !== 'WALLET_RESERVED_MISMATCH') return unread;
  // A wallet equals both figures of one line, or it is not that line's: what is off in both is off once.
  const balance = drafts.findIndex(({ kind }) => kind === 'WALLET_BALANCE_MISMATCH');
  return balance < 0 ? null : balance;
}

/** The root that a line under another's number leaves, whose breaks add up to just what the last line is off by. */
function leftByMisplaced(
  { side, difference }: { readonly side: 'balance' | 'reserved'; readonly difference: bigint },
  { gaps, misplaced, index }: LinkMaterial,
  rootOf: readonly number[],
): number | null {
  const places = new Set(misplaced.flatMap(({ breaks }) => breaks));
  const sums = new Map<number, bigint>();
  for (const gap of gaps.slice(0, MOST_GAPS).filter(({ sequence }) => places.has(sequence))) {
    const drift = driftThrough(gap.sequence, index);
    if (drift === undefined) continue;
    const root = ultimateRoot(rootOf, drift);
    sums.set(root, (sums.get(root) ?? 0n) + BigInt(gap[side]));
  }
  return [...sums].find(([, sum]) => sum === difference)?.[0] ?? null;
}

function countedInPart(shortfall: Shortfall, draft: FindingDraft, { index }: LinkMaterial): boolean {
  const partly = index.creditedOtherwise.has(shortfall.reference);
  const surplus = absolute(draft.difference ?? 0n) - absolute(BigInt(shortfall.balance));
  return partly && draft.kind === 'TOTAL_COLLECTED_MISMATCH' && surplus > 0n && surplus <= BigInt(shortfall.fees);
}

/** Totals that are off together with a balance: the wallet was read at another moment than its ledger. */
function staleWallet({ drafts, walletIsOlder }: LinkMaterial): number | null {
  const balance = drafts.findIndex((draft) => draft.kind === 'WALLET_BALANCE_MISMATCH');
  if (balance < 0) return null;
  const totals = drafts.filter(({ kind }) => kind.startsWith('TOTAL_'));
  if (walletIsOlder || totals.length > 1) return balance;
  const off = (kind: string): bigint => drafts.find((draft) => draft.kind === kind)?.difference ?? 0n;
  const [collected, disbursed, fees] = [
    off('TOTAL_COLLECTED_MISMATCH'),
    off('TOTAL_DISBURSED_MISMATCH'),
    off('TOTAL_FEES_MISMATCH'),
  ];
  const nets = [collected - disbursed - fees, collected - disbursed + fees];
  return nets.includes(drafts[balance]!.difference!) ? balance : null;
}

/** What could not be read may hold the difference: a refused operation row for a total, a refused tail for the head. */
function unreadCause(
  draft: FindingDraft,
  { index, rejected, lastSequence }: LinkMaterial,
  rootOf: readonly number[],
): number | null {
  const part = draft.kind.startsWith('TOTAL_') ? 'operations' : 'ledger';
  const row = rejected.find(
    (one) => one.part === part && (part === 'operations' || one.sequence === null || one.sequence > lastSequence),
  );
  if (row === undefined) return null;
  const cause = index.rejectedAt.get(row.place);
  return cause === undefined ? null : ultimateRoot(rootOf, cause);
}

function causeOfOpenHolds({ gaps, index }: LinkMaterial): number | null {
  const gap = [...gaps].reverse().find((one) => one.reserved !== '0');
  return gap === undefined ? null : (driftThrough(gap.sequence, index) ?? null);
}

/** What stood before each line, for the many figures below zero that one fault may leave. */
interface Before {
  /** The first gaps, in the order of lines, each with the sums up to it and the first culprit up to it, if any. */
  readonly gaps: readonly {
    readonly sequence: number;
    readonly balance: bigint;
    readonly reserved: bigint;
    readonly worst: number | null;
  }[];
  /** Operations that lack money, in their order, as far as each was off before all those in front of it. */
  readonly short: readonly { readonly offFrom: number; readonly shortfall: Shortfall }[];
  /** The first line that names no operation: what it holds or frees is in nobody's tally. */
  readonly orphan: number;
  /** The first hold that was larger than what was available: what it took, later lines lack. */
  readonly uncovered: number | null;
}

function lookBefore({ gaps, foremost, drafts, orphans }: LinkMaterial): Before {
  let [balance, reserved, worst] = [0n, 0n, null as number | null];
  const sums = gaps.slice(0, MOST_GAPS).map((gap) => {
    balance += BigInt(gap.balance);
    reserved += BigInt(gap.reserved);
    if (worst === null && (BigInt(gap.balance) < 0n || gap.reserved !== '0')) worst = gap.sequence;
    return { sequence: gap.sequence, balance, reserved, worst };
  });
  const short: Before['short'][number][] = [];
  let earliest = Number.POSITIVE_INFINITY;
  const faults = faultsOf(drafts);
  for (const shortfall of foremost) {
    const fault = faults.get(shortfall.reference);
    if (shortfall.balance <= 0 && shortfall.reserved === 0 && fault?.tookMore !== true) continue;
    const firstPosted = shortfall.posted[0]?.sequence ?? Number.NEGATIVE_INFINITY;
    const offFrom = fault?.sequence ?? firstPosted;
    if (offFrom >= earliest) continue;
    earliest = offFrom;
    short.push({ offFrom, shortfall });
  }
  return { gaps: sums, short, orphan: Math.min(...orphans.keys()), uncovered: firstUncovered(drafts) };
}

const TAKES = /^(HOLD|DEBIT|FEE)_(AMOUNT|DUPLICATED|WITHOUT)/;

/** Of each operation: the first line that is at fault, and whether one held or took more than was due. */
function faultsOf(drafts: readonly FindingDraft[]): ReadonlyMap<string, { sequence: number; tookMore: boolean }> {
  const faults = new Map<string, { sequence: number; tookMore: boolean }>();
  for (const { kind, sequence, operationReference, difference } of drafts) {
    if (operationReference === null || sequence === null || isBelowZero(kind) || kind === 'HOLD_EXCEEDS_AVAILABLE')
      continue;
    const known = faults.get(operationReference);
    const tookMore = (TAKES.test(kind) && (difference ?? 0n) > 0n) || known?.tookMore === true;
    faults.set(operationReference, { sequence: Math.min(sequence, known?.sequence ?? sequence), tookMore });
  }
  return faults;
}

/** A drift, or an operation's fault, without which the figure would not have been below zero (or the hold too large). */
function causeOfBelowZero(draft: FindingDraft, material: LinkMaterial, before: Before): number | null {
  const last = before.gaps.findLast((gap) => gap.sequence <= draft.sequence!);
  if (last !== undefined && (last.balance < 0n || last.reserved !== 0n) && last.worst !== null) {
    return causeAtGap(last.worst, material);
  }
  const short = before.short.find(({ offFrom }) => offFrom <= draft.sequence!);
  if (short !== undefined) return indexOf(material, short.shortfall);
  if (before.orphan < draft.sequence!) return material.index.bySequence.get(before.orphan) ?? null;
  const { uncovered } = before;
  return uncovered !== null && isForWantOf(material.drafts[uncovered]!, draft) ? uncovered : null;
}

function firstUncovered(drafts: readonly FindingDraft[]): number | null {
  let first: number | null = null;
  drafts.forEach(({ kind, sequence }, i) => {
    if (kind === 'HOLD_EXCEEDS_AVAILABLE' && (first === null || sequence! < drafts[first]!.sequence!)) first = i;
  });
  return first;
}

/** Had the service refused the hold that was too large, the later line would have found all that it took. */
function isForWantOf(uncovered: FindingDraft, { sequence, difference }: FindingDraft): boolean {
  return uncovered.sequence! < sequence! && (difference ?? 0n) <= BigInt(uncovered.actual!);
}

/** What is found where the figures leave the chain. */
function causeAtGap(sequence: number, material: LinkMaterial): number | null {
  const { drafts, index } = material;
  if (!isReservedAtOpening(sequence, material)) return index.bySequence.get(sequence) ?? null;
  const open = drafts.findIndex(({ kind }) => kind === 'OPEN_HOLDS_MISMATCH');
  return open < 0 ? null : open;
}

/** Reserved before the first line, and nothing else: `mergeDrafts` leaves it to the open holds, unless it was undone. */
function isReservedAtOpening(sequence: number, { gaps, index }: LinkMaterial): boolean {
  const gap = gaps.find((one) => one.sequence === sequence)!;
  return gap.after === null && gap.balance === '0' && !index.driftAt.has(sequence);
}

function indexOf({ index }: LinkMaterial, { reference }: Shortfall): number | null {
  return index.byOperation.get(reference) ?? null;
}

function absolute(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
