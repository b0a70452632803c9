// The figures of a wallet: as it states them, as its lines and operations make them, and what of the difference no finding
// names.

import { fittingInterpretations, type Total, totalsBy } from '../checks/wallet/wallet.ts';
import { totalOf } from '../domain/amount.ts';
import type { Figures } from '../domain/finding.ts';
import type { Conclusion } from './conclude.ts';
import { NOTHING_OFF, type Off } from './due/excess.ts';
import type { Memory } from './memory.ts';
import { settledSums } from './sums.ts';

/** How far the head that the wallet was found at lies past the last line replayed; 0 in a still reading. */
export function movedOn({ walletCase }: Conclusion): Off {
  const [first] = walletCase?.heads ?? [];
  const at = walletCase?.heads.find(
    ({ balance, reserved }) => balance === walletCase.wallet.balance && reserved === walletCase.wallet.reserved,
  );
  if (first === undefined || at === undefined) return NOTHING_OFF;
  return { balance: BigInt(at.balance - first.balance), reserved: BigInt(at.reserved - first.reserved) };
}

/** The declared opening, what the lines add to it, and what appeared after the last one replayed. */
function recomputedFigure(side: 'balance' | 'reserved', { books, settings }: Memory, conclusion: Conclusion): bigint {
  const lines = totalOf(side === 'balance' ? books.replay.recomputed : books.replay.held);
  return BigInt(settings.opening?.[side] ?? 0) + lines + movedOn(conclusion)[side];
}

export function recomputedFigures(memory: Memory, conclusion: Conclusion): Figures {
  const { books, settings } = memory;
  const balance = recomputedFigure('balance', memory, conclusion);
  const reserved = recomputedFigure('reserved', memory, conclusion);
  const sums = settledSums(books.operationSums);
  const total = (one: Total): string | null => {
    if (!settings.holds.operations) return null;
    const interpretation =
      conclusion.walletCase === null ? undefined : fittingInterpretations(conclusion.walletCase, one)[0];
    return totalsBy(sums, one)[interpretation ?? 'GROSS'].toString();
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

export function recordedFigures({ wallet }: Conclusion): Figures {
  const figure = (value: number | undefined): string | null => (value === undefined ? null : String(value));
  return {
    balance: figure(wallet?.balance),
    reserved: figure(wallet?.reserved),
    available: figure(wallet?.available),
    totalCollected: figure(wallet?.totalCollected),
    totalDisbursed: figure(wallet?.totalDisbursed),
    totalFees: figure(wallet?.totalFees),
  };
}

/** Recorded − recomputed − Σ named differences: what nothing explains. Printed even when it is 0. */
export function remainder(memory: Memory, conclusion: Conclusion, side: 'balance' | 'reserved'): string | null {
  const { wallet, walletCase } = conclusion;
  if (wallet === null || walletCase === null) return null;
  const recomputed = recomputedFigure(side, memory, conclusion);
  const named = memory.books.drifts.reduce((sum, drift) => sum + BigInt(drift[side]), 0n);
  const kind = side === 'balance' ? 'WALLET_BALANCE_MISMATCH' : 'WALLET_RESERVED_MISMATCH';
  const ofWallet = conclusion.drafts.find((draft) => draft.kind === kind)?.difference ?? 0n;
  return (BigInt(wallet[side]) - recomputed - named - ofWallet).toString();
}
