// The figures of a wallet: as it states them, as its lines and operations make them, and the part
// of the difference that no finding names.

import { totalOf } from '../../domain/amount.ts';
import type { Due, Figures, Finding } from '../../domain/finding.ts';
import { signedAmount } from '../../domain/ledger-entry.ts';
import type { Total } from '../../domain/merchant.ts';
import type { BookPart, CodedNote } from '../../domain/snapshot.ts';
import { fittingInterpretations, totalBefore, totalsBy } from '../checks/wallet/wallet.ts';
import { type Conclusion, hasNoRows } from './conclude.ts';
import { offOf } from './cut-books.ts';
import type { Memory } from './memory.ts';
import { minus, NOTHING_OFF, type Off, plus, strayExcesses, sumOf } from './roots/excess.ts';
import { usesOf } from './roots/items.ts';
import { settledSums } from './sums.ts';

/**
 * Returns by how much the recorded figures differ from those of the last line replayed: 0 where
 * nothing moved during the reading. At a cut it is minus what the lines after the head moved,
 * because the recorded figures are those of the head.
 */
function movedOn({ cutBooks }: Memory, { walletCase }: Conclusion): Off {
  if (cutBooks !== null) return minus(NOTHING_OFF, offOf(cutBooks.afterHead));
  const [first] = walletCase?.heads ?? [];
  const at = walletCase?.heads.find(
    ({ balance, reserved }) =>
      balance === walletCase.wallet.balance && reserved === walletCase.wallet.reserved,
  );
  if (first === undefined || at === undefined) return NOTHING_OFF;
  return {
    balance: BigInt(at.balance - first.balance),
    reserved: BigInt(at.reserved - first.reserved),
  };
}

/**
 * Returns the recomputed figure: the declared opening, plus what the lines moved, plus what
 * appeared after the last line replayed.
 */
function recomputedFigure(
  side: 'balance' | 'reserved',
  memory: Memory,
  conclusion: Conclusion,
): bigint {
  const { books, settings } = memory;
  const lines = totalOf(side === 'balance' ? books.replay.recomputed : books.replay.held);
  return BigInt(settings.opening?.[side] ?? 0) + lines + movedOn(memory, conclusion)[side];
}

export function recomputedFigures(memory: Memory, conclusion: Conclusion): Figures {
  const { books, settings } = memory;
  const balance = recomputedFigure('balance', memory, conclusion);
  const reserved = recomputedFigure('reserved', memory, conclusion);
  const sums = settledSums(books.operationSums);
  const total = (one: Total): string | null => {
    const before = totalBefore(settings.opening, one);
    if (!settings.present.operations || before === null) return null;
    const interpretation =
      conclusion.walletCase === null
        ? undefined
        : fittingInterpretations(conclusion.walletCase, one)[0];
    return (before + totalsBy(sums, one)[interpretation ?? 'GROSS']).toString();
  };
  return {
    balance: balance.toString(),
    reserved: reserved.toString(),
    available: (balance - reserved).toString(),
    totalCollected: total('totalCollected'),
    totalDisbursed: total('totalDisbursed'),
    totalFees: total('totalFees'),
  };
}

export function recordedFigures({ wallet, recorded }: Conclusion): Figures {
  const figure = (value: number | undefined): string | null =>
    value === undefined ? null : String(value);
  return {
    balance: figure(recorded?.balance),
    reserved: figure(recorded?.reserved),
    available: figure(recorded?.available),
    totalCollected: figure(wallet?.totalCollected),
    totalDisbursed: figure(wallet?.totalDisbursed),
    totalFees: figure(wallet?.totalFees),
  };
}

/**
 * Returns recorded − recomputed − the sum of named differences: what nothing explains. It is
 * printed even when it is 0. `null` where the recorded figures are not known.
 */
export function remainder(
  memory: Memory,
  conclusion: Conclusion,
  side: 'balance' | 'reserved',
): string | null {
  const { recorded, walletCase } = conclusion;
  if (recorded === null || (walletCase === null && memory.cutBooks === null)) return null;
  const recomputed = recomputedFigure(side, memory, conclusion);
  const named = memory.books.drifts.reduce((sum, drift) => sum + BigInt(drift[side]), 0n);
  const kind = side === 'balance' ? 'WALLET_BALANCE_MISMATCH' : 'WALLET_RESERVED_MISMATCH';
  const ofWallet = conclusion.drafts.find((draft) => draft.kind === kind)?.difference ?? 0n;
  return (BigInt(recorded[side]) - recomputed - named - ofWallet).toString();
}

// What the figures of a wallet must be once every open root is corrected. They are computed in two
// ways, which must agree: the recorded figures less the items of the roots; and what operations
// require, plus what adjustments moved. They are not given for books that are not whole.

interface Reported {
  readonly found: readonly Finding[];
  /** What the recorded figures rightly include though no line that was served moved it. */
  readonly unserved: Off;
}

const NEEDED: ReadonlySet<BookPart> = new Set(['ledger', 'operations', 'wallet']);

/** Returns a note on why the due figures cannot be given; `null` when they can. */
export function whyNotDue(memory: Memory, { recorded, hasNotBegun }: Conclusion): CodedNote | null {
  const { books, settings } = memory;
  const isRefused =
    books.rejectedCount > books.rejected.size ||
    [...books.rejected.values()].some(({ part }) => NEEDED.has(part));
  const isEmpty = hasNoRows(memory) && !hasNotBegun;
  const { ledger, operations } = settings.present;
  if (recorded !== null && ledger && operations && !isRefused && !isEmpty) return null;
  return { what: 'due', code: 'DUE_UNKNOWN' };
}

/**
 * Returns a note where a difference is left that no finding explains: then the books are not clean,
 * even without any finding. `null` when nothing is left.
 */
export function unexplainedNote({ unexplained }: Due): CodedNote | null {
  const { balance, reserved } = unexplained;
  if (balance === '0' && reserved === '0') return null;
  return {
    what: 'unexplained',
    incomplete: true,
    code: 'UNEXPLAINED',
    figures: { balance, reserved },
  };
}

/** Returns the due figures. Call only where `whyNotDue` returns `null`. */
export function dueOf(memory: Memory, conclusion: Conclusion, { found, unserved }: Reported): Due {
  const { balance, reserved } = conclusion.recorded!;
  const items = sumOf(found.filter(isOpen).map(itemOf));
  const due = plus(
    minus({ balance: BigInt(balance), reserved: BigInt(reserved) }, items),
    shiftOf(memory),
  );
  // Roots that are provisional, or were corrected, are not subtracted from the recorded figures. So
  // their items are part of the due figures, and must not count as unexplained.
  const uncounted = minus(sumOf(found.flatMap(foundOf)), items);
  const correcting = usesOf(found);
  const strays = memory.books.strays.filter(({ sequence }) => correcting.has(String(sequence)));
  const kept = [unserved, uncounted, ...strayExcesses(strays)];
  const rest = minus(due, kept.reduce(plus, requiredOf(memory, conclusion)));
  return {
    balance: due.balance.toString(),
    reserved: due.reserved.toString(),
    available: (due.balance - due.reserved).toString(),
    unexplained: { balance: rest.balance.toString(), reserved: rest.reserved.toString() },
  };
}

/**
 * Returns the shift of the due figures at a cut: what was on its way then is due and not yet
 * recorded; what lines of later dates moved is recorded and not due.
 */
function shiftOf({ cutBooks }: Memory): Off {
  return cutBooks === null ? NOTHING_OFF : minus(offOf(cutBooks.inTransit), offOf(cutBooks.ahead));
}

/** Whether the root's item is subtracted: the root is confirmed, and not settled. */
function isOpen({ status, settledBy }: Finding): boolean {
  return status === 'confirmed' && settledBy === null;
}

/**
 * Returns the item of the root as it was before any line corrected a part of it, as parts to sum.
 */
function foundOf(finding: Finding): readonly Off[] {
  const corrected = finding.itemParts.filter(({ of }) => of === 'corrected');
  return [
    itemOf(finding),
    ...corrected.map(({ balance, reserved }) => ({
      balance: -BigInt(balance),
      reserved: -BigInt(reserved),
    })),
  ];
}

function itemOf({ item }: Finding): Off {
  return item === null
    ? NOTHING_OFF
    : { balance: BigInt(item.balance), reserved: BigInt(item.reserved) };
}

/**
 * Returns what the balance and the reserved amount must be by the operations, plus what no
 * operation requires: the opening, adjustments, lines that corrected a fault, and lines that came
 * while we read.
 */
function requiredOf(memory: Memory, conclusion: Conclusion): Off {
  const { books, settings } = memory;
  const { adjusted, requiredBalance } = books;
  const apart = [...conclusion.operations.values()].flatMap((one) => one.apart);
  return sumOf([
    {
      balance: BigInt(settings.opening?.balance ?? 0),
      reserved: BigInt(settings.opening?.reserved ?? 0),
    },
    { balance: totalOf(requiredBalance), reserved: 0n },
    conclusion.demand.required,
    { balance: totalOf(adjusted.balance), reserved: totalOf(adjusted.reserved) },
    ...apart.map(({ entry, heldMove }) => ({
      balance: BigInt(signedAmount(entry)),
      reserved: BigInt(heldMove),
    })),
    memory.cutBooks === null ? movedOn(memory, conclusion) : NOTHING_OFF,
  ]);
}
