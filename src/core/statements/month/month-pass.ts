// One passage of a month's lines, from an opening to the end of the ledger: their figures, and on
// the way the openings of this month and of the next. A later passage that begins there skips the
// lines before.

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
  /** Of the month, and of the one after it; null: the pass has not come so far. */
  opening: Opening | null;
  next: Opening | null;
  /**
   * Sequence of the last line of the month so far, and of the first line of another one after it;
   * null: there is none.
   */
  lastInside: number | null;
  until: number | null;
  /** As `Opening.odd`. */
  odd: EarlierLine[] | null;
  lastTaken: number;
}

/** Odd lines that an opening keeps. */
const ODD_KEPT = 5_000;

export interface PassTask {
  readonly operations: MonthOperations;
  readonly from: Opening;
  /** Sequences whose dates the findings ask for, and what they keep from being posted as it is. */
  readonly wanted: readonly number[];
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

/** Takes lines in ascending sequence, from the opening's position on. */
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

/** Call when the ledger has passed. */
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
 * To the sub-accounts of the wallet at those positions that it lies before, and at the month's
 * start.
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
 * Lines whose effect does not follow from the line alone, or of which not the line alone says
 * whether it was applied.
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
 * As of the lines that were taken. Those that wait for their successor belong to what comes.
 * `next`: what comes after them.
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
    // Filled when the operations of its lines are known.
    wallets: opening === null ? wallets.opening : wallets.next,
  };
}

// Lines that stand before an opening, as the replay took them when it passed them: recorded lines
// that were looked up again, and in place of the odd ones among them what the opening has kept.

/** `lines`: by sequence, each below the opening's position; of a shared sequence, any of them. */
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

/** True: only the lines before it say how much of its hold it takes (`kernel/replay/move-of.ts`). */
export function takesFromHold({ kind }: Pick<LedgerEntry, 'kind'>): boolean {
  return kind === 'CASHOUT_DEBIT' || kind === 'CASHOUT_FEE';
}

/** Of a line that takes from no hold. */
function moveOf({ direction, amount }: LedgerEntry): number {
  return direction === 'HOLD' ? amount : direction === 'RELEASE' ? -amount : 0;
}
