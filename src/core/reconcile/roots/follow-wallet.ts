// A figure of the wallet that is off follows from what it is off by: a drift, an operation's lines, or a row that could not
// be read.

import { declared } from '../../checks/kinds/catalogue.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Causes, FollowRule } from './causes.ts';
import { causeAtDrift, findingOf, type Material } from './material.ts';
import { driftThrough, firstOf } from './places.ts';
import type { Shortfall } from './shortfall.ts';

/** A figure is off by as much as the wallet's own sum. */
export const followIdentity: FollowRule =
  ({ drafts, places }) =>
  (self) => {
    const draft = drafts[self]!;
    if (declared(draft).subject !== 'wallet') return null;
    const causes = declared(draft).follows?.map((kind) => firstOf(kind, places)) ?? [];
    const isAlike = (cause: number | null): boolean =>
      cause !== null && withoutSign(drafts[cause]!.difference!) === withoutSign(draft.difference ?? 0n);
    return causes.find(isAlike) ?? null;
  };

/** A drift that the wallet's figure does not have, or what operations lack, is what it is off by. */
export const followHead: FollowRule = (material, causes) => (self) => {
  const draft = material.drafts[self]!;
  const { subject, effect, figure } = declared(draft);
  if (subject !== 'wallet' || effect !== 'statement') return null;
  const side = figure === '+reserved' ? 'reserved' : 'balance';
  const difference = draft.difference ?? 0n;
  const drift = material.drifts.find((one) => BigInt(one[side]) === -difference);
  if (drift !== undefined) return causeAtDrift(drift.sequence, material);
  const misplaced = leftByMisplaced({ side, difference: -difference }, material, causes);
  if (misplaced !== null) return misplaced;
  const { short } = material;
  const one = short.find((shortfall) => BigInt(shortfall[side]) === difference && difference !== 0n);
  if (one !== undefined) return findingOf(material, one);
  const sum = BigInt(short.reduce((total, shortfall) => total + shortfall[side], 0));
  if (short.length > 1 && sum === difference) return findingOf(material, short[0]!);
  return unreadRow('ledger', material) ?? (side === 'reserved' ? ofOtherLine(material) : null);
};

/** A wallet equals both figures of one line, or it is not that line's: what is off in both is off once. */
function ofOtherLine({ places }: Material): number | null {
  return firstOf('WALLET_BALANCE_MISMATCH', places);
}

/** The root that a line under another's number leaves, whose breaks add up to just what the last line is off by. */
function leftByMisplaced(
  off: { readonly side: 'balance' | 'reserved'; readonly difference: bigint },
  { firstDrifts, misplaced, places }: Material,
  causes: Causes,
): number | null {
  const broken = new Set(misplaced.flatMap(({ breaks }) => breaks));
  const sums = new Map<number, bigint>();
  for (const drift of firstDrifts.filter(({ sequence }) => broken.has(sequence))) {
    const found = driftThrough(drift.sequence, places);
    if (found === undefined) continue;
    const root = causes.rootOf(found);
    sums.set(root, (sums.get(root) ?? 0n) + BigInt(drift[off.side]));
  }
  return [...sums].find(([, sum]) => sum === off.difference)?.[0] ?? null;
}

/** What could not be read may hold the difference: a refused operation row for a total, a refused tail for the head. */
function unreadRow(part: 'operations' | 'ledger', { rejected, places, lastSequence }: Material): number | null {
  const isBehind = (sequence: number | null): boolean => sequence === null || sequence > lastSequence;
  const row = rejected.find((one) => one.part === part && (part === 'operations' || isBehind(one.sequence)));
  return row === undefined ? null : (places.unreadAt.get(row.place) ?? null);
}

/** A total is off by a figure of an operation that is at fault. */
export const followTotals: FollowRule = (material) => (self) => {
  const { drafts, places, short } = material;
  const draft = drafts[self]!;
  if (declared(draft).subject !== 'total') return null;
  const off = new Set([draft.difference ?? 0n, ...draft.differences].map(withoutSign));
  const operation =
    short.find(({ figures }) => figures.some((amount) => off.has(withoutSign(BigInt(amount))))) ??
    (draft.kind === 'TOTAL_COLLECTED_MISMATCH' ? creditedInPart(draft, material) : undefined);
  if (operation !== undefined) return findingOf(material, operation);
  const known = firstOf('OPERATION_UNKNOWN', places) ?? ofOtherMoment(material);
  if (known !== null) return known;
  const stated = drafts.findIndex(
    (one) => one.operationReference !== null && off.has(withoutSign(one.difference ?? 0n)),
  );
  return stated >= 0 ? stated : unreadRow('operations', material);
};

/** A credit in parts may have been counted with its share of the fee, or without. */
function creditedInPart({ difference }: FindingDraft, { drafts, places, short }: Material): Shortfall | undefined {
  const mismatches = places.byKind.get('CREDIT_AMOUNT_MISMATCH') ?? [];
  const partly = new Set(mismatches.map((i) => drafts[i]!.operationReference));
  return short.find(({ reference, balance, fees }) => {
    const surplus = withoutSign(difference ?? 0n) - withoutSign(BigInt(balance));
    return partly.has(reference) && surplus > 0n && surplus <= BigInt(fees);
  });
}

const TOTALS = ['TOTAL_COLLECTED_MISMATCH', 'TOTAL_DISBURSED_MISMATCH', 'TOTAL_FEES_MISMATCH'] as const;

/** Totals that are off together with a balance: the wallet was read at another moment than its ledger. */
function ofOtherMoment({ drafts, places, walletIsOlder }: Material): number | null {
  const balance = firstOf('WALLET_BALANCE_MISMATCH', places);
  if (balance === null) return null;
  const totals = TOTALS.map((kind) => firstOf(kind, places));
  if (walletIsOlder || totals.filter((total) => total !== null).length > 1) return balance;
  const off = totals.map((total) => (total === null ? 0n : (drafts[total]!.difference ?? 0n)));
  const [collected, disbursed, fees] = off as [bigint, bigint, bigint];
  const nets = [collected - disbursed - fees, collected - disbursed + fees];
  return nets.includes(drafts[balance]!.difference!) ? balance : null;
}

/** What is left over at the head is what the last drift of the reserved amount has left. */
export const followLeftover: FollowRule =
  ({ drafts, drifts, places }) =>
  (self) => {
    if (declared(drafts[self]!).effect !== 'leftover') return null;
    const drift = drifts.findLast(({ reserved }) => reserved !== '0');
    return drift === undefined ? null : (driftThrough(drift.sequence, places) ?? null);
  };

function withoutSign(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}
