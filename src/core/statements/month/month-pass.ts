// One pass over a month's lines, from an opening to the end of the ledger. It makes the month's
// figures, and on the way the openings of this month and of the next, so that a later pass can
// begin there and skip the lines before.

import {
  directionOf,
  type EntryKind,
  type LedgerEntry,
  signedAmount,
} from '../../domain/ledger-entry.ts';
import { cameLate, statedAt } from '../../domain/period.ts';
import type { SuspensePlan } from '../entries/suspense-plan.ts';
import { followWallet } from '../entries/wallet-accounts.ts';
import { plus } from '../exact.ts';
import {
  beginLineReplay,
  finishLines,
  type LineReplay,
  openTallies,
  replayLine,
  type VisitedLine,
} from '../line-replay.ts';
import type { MonthSettings } from '../month-settings.ts';
import { beginningOf, copyDrifts, type EarlierLine, type Opening, stateLine } from '../opening.ts';
import { beginFigures, type MonthFigures, perpetualOf, takeLine } from './month-figures.ts';
import type { MonthOperations } from './month-operations.ts';

export interface MonthPass {
  readonly figures: MonthFigures;
  readonly replay: LineReplay;
  /** Opening of the month; `null` while the pass has not reached it. */
  opening: Opening | null;
  /** Opening of the month after; `null` while the pass has not reached it. */
  next: Opening | null;
  /** Sequence of the last line of the month so far; `null` when there is none. */
  lastInside: number | null;
  /** Sequence of the first line of another month after `lastInside`; `null` when there is none. */
  until: number | null;
  /** Odd lines so far, as in `Opening.odd`. */
  odd: EarlierLine[] | null;
  lastTaken: number;
}

/** Most odd lines that an opening keeps. */
const ODD_KEPT = 5_000;

export interface PassTask {
  readonly operations: MonthOperations;
  readonly from: Opening;
  /** Sequences of lines whose dates findings ask for. */
  readonly wanted: readonly number[];
  /** Says which lines findings keep from being posted as they are. */
  readonly plan: SuspensePlan;
}

export function beginPass({ operations, from, wanted, plan }: PassTask): MonthPass {
  const figures = beginFigures(operations, { from, wanted, plan });
  const pass: MonthPass = {
    figures,
    replay: beginLineReplay(operations.settings, from, (line) => {
      noteOdd(pass, line);
      takeLine(figures, line);
      takeWallet(pass, line);
    }),
    opening: null,
    next: null,
    lastInside: null,
    until: null,
    odd: from.odd === null ? null : [...from.odd],
    lastTaken: Number.NaN,
  };
  return pass;
}

/** Must be called with lines in ascending sequence, from the opening's position on. */
export function passLines(pass: MonthPass, entries: readonly LedgerEntry[]): void {
  const { settings } = pass.figures;
  const { bounds } = settings;
  for (const entry of entries) {
    const at = statedAt(entry, settings);
    if (at >= bounds.end && entry.createdAt < bounds.end && cameLate(entry, settings)) {
      pass.figures.lateCount += 1;
      if (entry.createdAt >= bounds.start) pass.figures.late.push(entry.sequence);
    }
    if (at >= bounds.start) {
      pass.opening ??= sealOpening(pass, entry);
      if (at >= bounds.end) pass.next ??= sealOpening(pass, entry);
    }
    if (at >= bounds.start && at < bounds.end) {
      pass.lastInside = entry.sequence;
      pass.until = null;
    } else if (
      pass.until === null &&
      pass.lastInside !== null &&
      entry.sequence > pass.lastInside
    ) {
      pass.until = entry.sequence;
    }
    replayLine(pass.replay, entry);
  }
}

/** Completes the pass. Must be called when all lines have been passed. */
export function endPass(
  pass: MonthPass,
): MonthPass & { readonly opening: Opening; readonly next: Opening } {
  pass.opening ??= sealOpening(pass, null);
  pass.next ??= sealOpening(pass, null);
  const { opening, next } = pass;
  finishLines(pass.replay);
  return Object.assign(pass, { opening, next });
}

/**
 * Adds a line to the balances of the wallet's sub-accounts: to those of each opening that the pass
 * has not reached, and to those of the month's start if the line is dated before it.
 */
function takeWallet({ figures, opening, next }: MonthPass, line: VisitedLine): void {
  const { wallets, settings, operations, journal } = figures;
  const into = [
    ...(opening === null ? [wallets.opening] : []),
    ...(next === null ? [wallets.next] : []),
    ...(line.entry.createdAt < settings.bounds.start ? [wallets.start] : []),
  ];
  const note = operations.notes.get(line.entry.operationReference ?? '') ?? null;
  followWallet(journal, wallets.waiting, { ...line, note, into });
}

/**
 * Keeps a line whose effect does not follow from the line alone, or that shares its sequence, so
 * that the line alone does not say whether it was applied.
 */
function noteOdd(pass: MonthPass, { entry, effect, move, dated, odd }: VisitedLine): void {
  const isShared = pass.lastTaken === entry.sequence || (odd !== null && odd.others.length > 0);
  pass.lastTaken = entry.sequence;
  if (
    pass.next !== null ||
    pass.odd === null ||
    (!isShared && directionOf(entry.kind as EntryKind) === entry.direction)
  )
    return;
  if (pass.odd.length < ODD_KEPT)
    pass.odd.push({
      entry: { ...entry, description: null },
      effect: plus(effect, 0),
      move: plus(move, 0),
      ...(dated === undefined ? {} : { dated }),
    });
  else pass.odd = null;
}

/**
 * Makes an opening after the lines that were taken. Lines that wait for their successor come after
 * the opening. `next` is the line that comes now; `null` at the end of the ledger.
 */
function sealOpening(
  { figures, replay, odd, opening }: MonthPass,
  next: LedgerEntry | null,
): Opening {
  const { state } = replay;
  const position = state.waiting[0]?.sequence ?? next?.sequence ?? null;
  if (state.last === null || position === null) return beginningOf(figures.settings);
  const { before, inside, cutOff, holds, settings, wallets } = figures;
  const declared =
    settings.opening === null || settings.opening.reserved === 0 ? null : holds.get(null);
  return {
    position,
    last: { ...state.last },
    tallies: openTallies(replay),
    before: {
      ...perpetualOf(figures),
      entries: before.entries + inside.entries,
      balance: plus(before.balance, inside.balance),
      reserved: plus(before.reserved, inside.reserved),
    },
    drifts: {
      balance: copyDrifts(cutOff.balance.drifts),
      reserved: copyDrifts(cutOff.reserved.drifts),
    },
    holds: [...holds].map(([reference, hold]) => ({
      reference,
      ...hold,
      since: hold === declared && hold.sequence === 0 ? null : hold.since,
    })),
    odd: odd === null ? null : [...odd],
    // `placeWaiting` completes these balances when the operations of the waiting lines are known.
    wallets: opening === null ? wallets.opening : wallets.next,
  };
}

// Gives the lines that stand before an opening, as the replay took them. They are looked up again
// among the recorded lines, except the odd lines, which the opening has kept.

/**
 * Must be called with lines by sequence, each below the opening's position. Of lines that share a
 * sequence, one is enough.
 */
export function earlierLines(
  { odd }: Opening,
  lines: readonly LedgerEntry[],
  dating: Pick<MonthSettings, 'closed' | 'moved'>,
): readonly EarlierLine[] {
  const kept = Map.groupBy(odd ?? [], ({ entry }) => entry.sequence);
  return lines.flatMap((entry, i): readonly EarlierLine[] => {
    const known = kept.get(entry.sequence);
    if (known === undefined)
      return [{ ...stateLine(entry, dating), effect: signedAmount(entry), move: moveOf(entry) }];
    return lines[i - 1]?.sequence === entry.sequence ? [] : known;
  });
}

/**
 * Returns whether only the lines before this one say how much of its operation's hold it takes
 * (`kernel/replay/move-of.ts`).
 */
export function takesFromHold({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return kind === 'CASHOUT_DEBIT' || kind === 'CASHOUT_FEE';
}

/** Returns the signed effect on the reserved amount of a line that takes from no hold. */
function moveOf({ direction, amount }: LedgerEntry): number {
  return direction === 'HOLD' ? amount : direction === 'RELEASE' ? -amount : 0;
}
