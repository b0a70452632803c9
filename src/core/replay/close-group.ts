// Figures below zero, judged where a row of lines of one operation ends: inside it, a debit may stand before the release
// or the credit that covers it. An episode below zero is reported once, at its first line.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { ReplayState } from './replay-state.ts';
import { ANOMALY, type ReplayedLine } from './replayed-line.ts';
import type { PostedLine } from './tally.ts';

/**
 * Notes, after a line was applied, whether the figures stand below zero. Holds that are being settled count as spent. `began`:
 * sequence of the first line of its operation, infinity where it names none. `keep` gives the line as one that may be kept.
 */
export function noteBelowZero(
  state: ReplayState,
  entry: PostedLine,
  began: number,
  { keep }: { readonly keep: () => LedgerEntry },
): void {
  const { group } = state;
  const takes = entry.direction === 'DEBIT' && excuses(entry.kind);
  if (takes || (state.availableBelow && state.belowExcused)) state.correctedUntil = entry.sequence;
  if (entry.balanceAfter >= 0) group.balanceBelowFrom = null;
  else group.balanceBelowFrom ??= keep();
  const available = entry.balanceAfter - entry.reservedAfter + state.settling;
  if (available >= 0) group.availableBelowFrom = null;
  else {
    if (group.availableBelowFrom === null) group.availableThere = available;
    group.availableBelowFrom ??= keep();
    if (excuses(entry.kind) || (state.correctedUntil !== null && began <= state.correctedUntil)) group.excuses = true;
  }
}

/** A correction may lawfully take a wallet below zero. */
function excuses(kind: string): boolean {
  return kind.startsWith('REVERSAL_') || kind.startsWith('ADJUSTMENT_');
}

/** `next`: the row of the tally whose group begins, −1 for a line that names no operation. */
export function closeGroup(
  state: ReplayState,
  next: number,
  context: { readonly onAnomaly: (line: ReplayedLine) => void },
): void {
  const { group } = state;
  const excused = group.excuses || (state.availableBelow && state.belowExcused);
  if (group.balanceBelowFrom !== null && !state.balanceBelow) {
    context.onAnomaly({ ...lineBelowZero(group.balanceBelowFrom, ANOMALY.balanceBelow), excused });
  }
  if (group.availableBelowFrom !== null && !state.availableBelow) {
    const line = lineBelowZero(group.availableBelowFrom, ANOMALY.availableBelow);
    context.onAnomaly({ ...line, excused, availableAfter: BigInt(group.availableThere) });
  }
  state.balanceBelow = group.balanceBelowFrom !== null;
  state.availableBelow = group.availableBelowFrom !== null;
  state.belowExcused = state.availableBelow && excused;
  group.tally = next;
  group.balanceBelowFrom = null;
  group.availableBelowFrom = null;
  group.excuses = false;
}

function lineBelowZero(entry: LedgerEntry, anomaly: number): ReplayedLine {
  const none = {
    balanceDrift: 0n,
    reservedDrift: 0n,
    availableBefore: 0n,
    availableAfter: null,
    others: [],
    leftOut: [],
  };
  return { ...none, entry, before: null, direction: 'DEBIT', effect: 0, anomalies: anomaly, excused: false };
}
