// Follow rules for figures of the wallet: a figure that is off follows from what it is off by,
// which is a drift, an operation's lines, or a row that could not be read.

import { withoutSign } from '../../../domain/amount.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures } from '../../../domain/finding-kind.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import { countFirst } from '../../../domain/value-in.ts';
import { whatUnreadSays } from '../../checks/notifications/missing-and-reused.ts';
import { declared } from '../../checks/port/kinds.ts';
import { minus, NOTHING_OFF, type Off } from './excess.ts';
import {
  type Causes,
  causeAtDrift,
  type FollowRule,
  findingOf,
  type Material,
} from './material.ts';
import { driftThrough, firstOf } from './places.ts';
import type { Shortfall } from './shortfall.ts';

/** A wallet figure follows from a broken identity of the wallet that is off by the same amount. */
export const followIdentity: FollowRule =
  ({ drafts, places }) =>
  (self) => {
    const draft = drafts[self]!;
    if (declared(draft).subject !== 'wallet') return null;
    const causes = declared(draft).follows?.map((kind) => firstOf(kind, places)) ?? [];
    const isAlike = (cause: number | null): boolean =>
      cause !== null &&
      withoutSign(drafts[cause]!.difference!) === withoutSign(draft.difference ?? 0n);
    return causes.find(isAlike) ?? null;
  };

/**
 * A wallet figure follows from a drift that it does not have, or from what operations lack, where
 * that is just what it is off by.
 */
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
  const one = short.find(
    (shortfall) => BigInt(shortfall[side]) === difference && difference !== 0n,
  );
  if (one !== undefined) return findingOf(material, one);
  const sum = BigInt(short.reduce((total, shortfall) => total + shortfall[side], 0));
  if (short.length > 1 && sum === difference) return findingOf(material, short[0]!);
  // A wallet whose balance and reserved amount are both off is compared with another line than its
  // own: that is one fault.
  const ofOtherLine =
    side === 'reserved' ? firstOf('WALLET_BALANCE_MISMATCH', material.places) : null;
  return unreadRow('ledger', material) ?? ofOtherLine;
};

/**
 * Returns the root that a line under another's number leaves, where the breaks of the chain that it
 * causes add up to what the last line is off by.
 */
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

/**
 * Returns the finding of a row that could not be read and may hold the difference: an operation for
 * a total, a line after the last one for the head of the ledger.
 */
function unreadRow(
  part: 'operations' | 'ledger',
  { rejected, places, lastSequence }: Material,
): number | null {
  const isBehind = (sequence: number | null): boolean =>
    sequence === null || sequence > lastSequence;
  const row = rejected.find(
    (one) => one.part === part && (part === 'operations' || isBehind(one.sequence)),
  );
  return row === undefined ? null : (places.unreadAt.get(row.place) ?? null);
}

/**
 * A total follows from an operation at fault that has a figure of just the amount that it is off
 * by.
 */
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

/**
 * Finds a cash-in that was credited in part. The service may have counted it with its share of the
 * fee, or without.
 */
function creditedInPart(
  { difference }: FindingDraft,
  { drafts, places, short }: Material,
): Shortfall | undefined {
  const mismatches = places.byKind.get('CREDIT_AMOUNT_MISMATCH') ?? [];
  const partly = new Set(mismatches.map((i) => drafts[i]!.operationReference));
  return short.find(({ reference, balance, fees }) => {
    const surplus = withoutSign(difference ?? 0n) - withoutSign(BigInt(balance));
    return partly.has(reference) && surplus > 0n && surplus <= BigInt(fees);
  });
}

const TOTALS = [
  'TOTAL_COLLECTED_MISMATCH',
  'TOTAL_DISBURSED_MISMATCH',
  'TOTAL_FEES_MISMATCH',
] as const;

/**
 * Returns the finding of the balance where totals are off together with it, because the wallet was
 * read at another moment than its ledger.
 */
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

/** An open-holds difference at the head follows from the last drift of the reserved amount. */
export const followLeftover: FollowRule =
  ({ drafts, drifts, places }) =>
  (self) => {
    if (declared(drafts[self]!).effect !== 'leftover') return null;
    const drift = drifts.findLast(({ reserved }) => reserved !== '0');
    return drift === undefined ? null : (driftThrough(drift.sequence, places) ?? null);
  };

// A figure below zero, or a hold of more than is available, follows from the faults before it,
// where without them there would be enough. What its own operation took is its own fault.

export const followBelowZero: FollowRule = (material, causes) => {
  const { drafts } = material;
  const uncovered = firstUncovered(drafts);
  const before = new Map<Side, ReturnType<typeof lookBefore>>();
  let faults: readonly Fault[] | null = null;
  return (self) => {
    const want = wantOf(drafts[self]!);
    if (want === null) return null;
    const { side, by } = want;
    const line = drafts[self]!.sequence!;
    faults ??= faultsOf(material, causes);
    if (!before.has(side)) before.set(side, lookBefore(faults, side));
    const { lowered, loweredBy } = before.get(side)!;
    if (loweredBy(self) > 0n) return null;
    const last = lowered[countUpTo(lowered, line) - 1];
    if (last !== undefined && last.most !== null && last.by >= by) return last.most;
    const isCovered =
      uncovered !== null &&
      drafts[uncovered]!.sequence! < line &&
      by <= BigInt(drafts[uncovered]!.actual!);
    return isCovered && side !== 'reserved' ? uncovered : null;
  };
};

type Side = 'balance' | 'reserved' | 'available';

/**
 * Returns which figure is too low, and by how much; `null` where the finding is of another sort.
 */
function wantOf(draft: FindingDraft): { readonly side: Side; readonly by: bigint } | null {
  const { effect } = declared(draft);
  if (effect === 'uncovered') return { side: 'available', by: draft.difference ?? 0n };
  if (effect !== 'below-zero') return null;
  const figures = draft.figures as Partial<Record<Side, bigint | number>>;
  const side = (['balance', 'available', 'reserved'] as const).find(
    (one) => figures[one] !== undefined,
  )!;
  return { side, by: -BigInt(figures[side]!) };
}

/**
 * Something that makes the recorded figures too high (+) or too low (−) from a line on, and the
 * root of its finding.
 */
interface Fault {
  readonly from: number;
  readonly root: number;
  readonly off: Off;
}

/**
 * Returns, in the order of lines: drifts, what lines moved beyond what is required, and what an
 * operation took for a while and gave back.
 */
function faultsOf(material: Material, causes: Causes): readonly Fault[] {
  const { drafts, drifts, excesses, places, short } = material;
  const faults: Fault[] = [];
  const add = (self: number | null | undefined, from: number, off: Off): void => {
    if (self !== null && self !== undefined) faults.push({ from, root: causes.rootOf(self), off });
  };
  for (const { sequence, balance, reserved } of drifts) {
    const self = driftThrough(sequence, places) ?? causeAtDrift(sequence, material);
    add(self, sequence, { balance: BigInt(balance), reserved: BigInt(reserved) });
  }
  const posted = new Map(
    short.map((one) => [one.reference, one.posted.map(({ sequence }) => sequence)]),
  );
  const atFault = firstFaults(drafts);
  const wanting = wantingIn(drafts);
  const lackedFrom = new Map(
    short.map(({ reference, instants }) => [reference, instants[1] ?? Number.NEGATIVE_INFINITY]),
  );
  for (const { reference, sequence, ...off } of excesses) {
    const self =
      reference === null ? places.bySequence.get(sequence!) : places.byOperation.get(reference);
    const known = sequence ?? atFault.get(reference) ?? posted.get(reference!)?.[0];
    // An operation without lines lacks them from its completion on.
    const first =
      known ??
      wanting[countUpTo(wanting, lackedFrom.get(reference!)! - 1)]?.line ??
      Number.POSITIVE_INFINITY;
    add(self, first, off);
  }
  const isOffAtLast = new Set(excesses.map(({ reference }) => reference));
  drafts.forEach((draft, self) => {
    const { operationReference: reference, sequence, difference } = draft;
    if (sequence === null || !takesMore(draft) || isOffAtLast.has(reference)) return;
    const reserved = declared(draft).figure === '+reserved' ? difference! : 0n;
    const taken = { balance: reserved - difference!, reserved };
    add(self, sequence, taken);
    add(
      self,
      posted.get(reference!)?.at(-1) ?? Number.POSITIVE_INFINITY,
      minus(NOTHING_OFF, taken),
    );
  });
  return faults.sort((a, b) => a.from - b.from);
}

/**
 * Returns for each operation the first line at which a fault is reported, other than a figure below
 * zero.
 */
function firstFaults(drafts: readonly FindingDraft[]): ReadonlyMap<string | null, number> {
  const faults = new Map<string | null, number>();
  for (const draft of drafts) {
    const { sequence, operationReference } = draft;
    if (operationReference === null || sequence === null || wantOf(draft) !== null) continue;
    faults.set(operationReference, Math.min(sequence, faults.get(operationReference) ?? sequence));
  }
  return faults;
}

function takesMore(draft: FindingDraft): boolean {
  const { subject, figure } = declared(draft);
  const lowersAvailable = figure === '+reserved' || figure === '-balance';
  return subject === 'operation' && lowersAvailable && (draft.difference ?? 0n) > 0n;
}

/**
 * Adds up how much faults lower one figure. `lowered` has, after each fault, the sum so far and
 * `most`, the root that has lowered it most (`null`: none has). `loweredBy` returns the sum of one
 * root over all faults.
 */
function lookBefore(faults: readonly Fault[], side: Side) {
  const roots = new Map<number, bigint>();
  const loweredBy = (root: number | null): bigint => (root === null ? 0n : (roots.get(root) ?? 0n));
  let [by, most] = [0n, null as number | null];
  const lowered = faults.map(({ from, root, off }) => {
    const more = side === 'available' ? off.reserved - off.balance : -off[side];
    by += more;
    roots.set(root, loweredBy(root) + more);
    if (root === most && more < 0n)
      for (const other of roots.keys()) if (loweredBy(other) > loweredBy(most)) most = other;
    if (loweredBy(root) > loweredBy(most)) most = root;
    return { from, by, most };
  });
  return { lowered, loweredBy };
}

/**
 * Returns how many of `sorted` are at `most` or before. A binary search, because one fault may
 * leave a hundred thousand figures below zero.
 */
function countUpTo(sorted: readonly { readonly from: number }[], most: number): number {
  return countFirst(sorted, ({ from }) => from <= most);
}

/** Returns the lines at which there is too little, ordered by their dates. */
function wantingIn(drafts: readonly FindingDraft[]) {
  const wanting = drafts.flatMap((draft) =>
    wantOf(draft) === null
      ? []
      : [{ from: draft.newestEvidence ?? Number.POSITIVE_INFINITY, line: draft.sequence! }],
  );
  return wanting.sort((a, b) => a.from - b.from);
}

function firstUncovered(drafts: readonly FindingDraft[]): number | null {
  const uncovered = drafts.keys().filter((i) => declared(drafts[i]!).effect === 'uncovered');
  return [...uncovered].sort((a, b) => drafts[a]!.sequence! - drafts[b]!.sequence!)[0] ?? null;
}

// Follow rules for notifications: a notification that names another operation, or that could not be
// read, may be the very one that is missing, or that explains an adjustment.

/**
 * A missing notification follows from the notification that seems to be it under another
 * operation's reference. It does not follow from other faults of that operation.
 */
export const followMisnamed: FollowRule =
  ({ drafts, statuses }, causes) =>
  (self) => {
    const { namedBy } = drafts[self]!;
    if (namedBy === null) return null;
    const cause = drafts.findIndex(
      (one, at) =>
        at !== self &&
        one.operationReference === namedBy &&
        declared(one).subject === 'notification' &&
        causes.isRoot(at) &&
        statuses[at] === 'confirmed',
    );
    return cause < 0 ? null : cause;
  };

/**
 * A missing notification follows from a notification that could not be read. Unread rows that show
 * which operation they name are left out, because they can be no other operation's notification.
 */
export const followUnread: FollowRule = ({ drafts, rejected, places }) => {
  const rows = rejected
    .filter(({ part }) => part === 'events')
    .map((row) => ({ row, says: whatUnreadSays(row) }))
    .filter(({ says }) => !says.namesOperation);
  const ofOperation = foremostOf(
    rows.filter(({ says }) => says.about !== 'wallet').map(({ row }) => row),
  );
  const ofWallet = foremostOf(
    rows.filter(({ says }) => says.about !== 'operation').map(({ row }) => row),
  );
  return (self) => {
    const { kind, sequence } = drafts[self]!;
    // The missing notification of an adjustment is placed at its line, that of an operation is not.
    const isOfWallet =
      kind === 'ADJUSTMENT_UNEXPLAINED' || (kind === 'EVENT_MISSING' && sequence !== null);
    const row = isOfWallet ? ofWallet : kind === 'EVENT_MISSING' ? ofOperation : undefined;
    return row === undefined ? null : (places.unreadAt.get(row.place) ?? null);
  };
};

/**
 * Returns the row to follow from, whatever the order in which rows came: the end of a damaged file,
 * which has nothing left to show, else the first by its place.
 */
function foremostOf(rows: readonly RejectedRow[]): RejectedRow | undefined {
  const inOrder = [...rows].sort((a, b) => (a.place < b.place ? -1 : 1));
  return inOrder.find(({ raw }) => raw === '') ?? inOrder[0];
}

// Follow rule for a rewritten line: the lines after it are served again too, with the figures that
// follow from it.

type Contents = FindingFigures['SEQUENCE_DUPLICATE'];

/**
 * A number under which one line was served with two figures follows from the nearest such number
 * before it, where the figures of both differ by the same amounts.
 */
export const followRewritten: FollowRule = ({ drafts, places }) => {
  const shared = (places.byKind.get('SEQUENCE_DUPLICATE') ?? []).toSorted(
    (a, b) => drafts[a]!.sequence! - drafts[b]!.sequence!,
  );
  const causes = new Map<number, number>();
  shared.forEach((self, i) => {
    const before = shared[i - 1];
    if (
      before === undefined ||
      !contentsOf(drafts[self]!).others.every(({ of }) => of === 'figures')
    )
      return;
    if (shiftOf(drafts[self]!) === shiftOf(drafts[before]!)) causes.set(self, before);
  });
  return (self) => causes.get(self) ?? null;
};

/**
 * Returns the differences between the contents of a shared number, as text. They are the same
 * whichever content the replay has followed.
 */
function shiftOf(draft: FindingDraft): string {
  const after = [{ balance: 0, reserved: 0 }, ...contentsOf(draft).others].map(
    ({ balance, reserved }) => ({
      balance: Number(balance),
      reserved: Number(reserved),
    }),
  );
  const [lowest, ...others] = after.sort(
    (a, b) => a.balance - b.balance || a.reserved - b.reserved,
  );
  return others
    .map((one) => `${one.balance - lowest!.balance}/${one.reserved - lowest!.reserved}`)
    .join(' ');
}

function contentsOf({ figures }: FindingDraft): Contents {
  return figures as Contents;
}
