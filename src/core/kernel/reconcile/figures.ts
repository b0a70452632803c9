// The figures of a wallet: as it states them, as its lines and operations make them, and what of
// the difference no finding names.

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
 * How far the recorded figures lie past the last line replayed: 0 in a still reading, and at a cut
 * before it.
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
 * The declared opening, what the lines add to it, and what appeared after the last one replayed.
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
 * Recorded − recomputed − Σ named differences: what nothing explains. Printed even when it is 0.
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

// What the figures of a wallet must be once every open root is put right, in two ways that must
// agree: the recorded figures less the items of the roots, and what operations require with what
// adjustments moved. Refuses books that are not whole.

interface Reported {
  readonly found: readonly Finding[];
  /** What is in the recorded figures rightly, and in no line that was served. */
  readonly unserved: Off;
}

const NEEDED: ReadonlySet<BookPart> = new Set(['ledger', 'operations', 'wallet']);

/** Null when the due figures can be given. */
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
 * What no finding is about is not clean, however little else is wrong. Null when nothing is left.
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

/** Call when `whyNotDue` gives no reason. */
export function dueOf(memory: Memory, conclusion: Conclusion, { found, unserved }: Reported): Due {
  const { balance, reserved } = conclusion.recorded!;
  const items = sumOf(found.filter(isOpen).map(itemOf));
  const due = plus(
    minus({ balance: BigInt(balance), reserved: BigInt(reserved) }, items),
    shiftOf(memory),
  );
  // What is not certain yet, and what was put right, counts as it is recorded.
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
 * At a cut: what was on its way then is due and not yet recorded, and what lines of later dates
 * moved is recorded and not due.
 */
function shiftOf({ cutBooks }: Memory): Off {
  return cutBooks === null ? NOTHING_OFF : minus(offOf(cutBooks.inTransit), offOf(cutBooks.ahead));
}

/** Only what is certain weighs, and only until it is put right. */
function isOpen({ status, settledBy }: Finding): boolean {
  return status === 'confirmed' && settledBy === null;
}

/** Its item before any line corrected a part of it. */
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
 * From the operations alone, and what no operation requires: the opening, adjustments, lines that
 * put a fault right, and lines that came while we read.
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
