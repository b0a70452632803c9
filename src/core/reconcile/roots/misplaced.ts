// Lines that stand under another number than their own. Such a line breaks the chain where it stands, and where it is
// missing; but its recorded figures say where it belongs: there they follow, and the next line follows from them.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { follows, type PostedFigures } from '../../replay/choose-lines.ts';
import type { Drift } from '../../replay/drift.ts';

export interface MisplacedLine {
  /** Where it stands. */
  readonly sequence: number;
  readonly operationReference: string | null;
  /** The line that has its place, or stands behind the hole that it left. */
  readonly home: number;
  /** Where by its figures it belongs, in words. */
  readonly belongs: string;
  /** Every line at which the chain is broken for it. */
  readonly breaks: readonly number[];
}

type Candidate = PostedFigures & Pick<LedgerEntry, 'sequence' | 'operationReference'>;

/** `broken`: drifts in the order of lines. `leftOut`: lines of a taken number, which the replay did not apply. */
export function findMisplaced(broken: readonly Drift[], leftOut: readonly LedgerEntry[]): readonly MisplacedLine[] {
  const behind = new Map(broken.map((drift) => [drift.after, drift]));
  const candidates = byFigureBefore(broken, leftOut);
  return broken.flatMap((drift) => {
    const next = behind.get(drift.sequence);
    return (candidates.get(drift.before.balance) ?? [])
      .filter((line) => line.sequence !== drift.sequence && follows(drift.before, line))
      .flatMap((line) => {
        const from = { balance: line.balanceAfter, reserved: line.reservedAfter };
        // It belongs between the lines around the drift, or in the place of the line that the drift is at.
        const ends = [drift, next].filter((one) => one !== undefined && one.sequence !== line.sequence);
        const end = ends.find((one) => follows(from, one!.line));
        if (end === undefined) return [];
        const breaks = [drift, end, behind.get(line.sequence)].flatMap((one) =>
          one === undefined ? [] : [one.sequence],
        );
        const { sequence, operationReference } = line;
        const belongs = `by its figures it belongs ${end === drift ? 'before' : 'at'} line ${drift.sequence}`;
        return [{ sequence, operationReference, home: drift.sequence, belongs, breaks: [...breaks, sequence] }];
      });
  });
}

/** Lines that may be misplaced, by the balance that they follow from. */
function byFigureBefore(broken: readonly Drift[], leftOut: readonly LedgerEntry[]): ReadonlyMap<number, Candidate[]> {
  const candidates = new Map<number, Candidate[]>();
  for (const line of [...broken.map((drift) => ({ ...drift.line, sequence: drift.sequence })), ...leftOut]) {
    const rise = line.direction === 'CREDIT' ? line.amount : line.direction === 'DEBIT' ? -line.amount : 0;
    const before = line.balanceAfter - rise;
    const known = candidates.get(before);
    if (known === undefined) candidates.set(before, [line]);
    else known.push(line);
  }
  return candidates;
}
