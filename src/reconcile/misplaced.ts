// Lines that stand under another number than their own. Such a line breaks the chain where it stands, and where it is
// missing; but its recorded figures say where it belongs: there they follow, and the next line follows from them.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { follows, type PostedFigures } from '../replay/choose-lines.ts';
import { type Clusters, join } from './clusters.ts';
import { type DraftIndex, MOST_GAPS } from './draft-index.ts';
import type { Drift as Gap } from './drift.ts';

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

/** `leftOut`: lines of a taken number, which the replay did not apply. Both are sought through as far as links are. */
export function findMisplaced(gaps: readonly Gap[], leftOut: readonly LedgerEntry[]): readonly MisplacedLine[] {
  const broken = gaps.slice(0, MOST_GAPS);
  const behind = new Map(broken.map((gap) => [gap.after, gap]));
  const candidates = byFigureBefore(broken, leftOut.slice(0, MOST_GAPS));
  return broken.flatMap((gap) => {
    const next = behind.get(gap.sequence);
    return (candidates.get(gap.before.balance) ?? [])
      .filter((line) => line.sequence !== gap.sequence && follows(gap.before, line))
      .flatMap((line) => {
        const from = { balance: line.balanceAfter, reserved: line.reservedAfter };
        // It belongs between the lines around the gap, or in the place of the line that the gap is at.
        const ends = [gap, next].filter((one) => one !== undefined && one.sequence !== line.sequence);
        const end = ends.find((one) => follows(from, one!.line));
        if (end === undefined) return [];
        const breaks = [gap, end, behind.get(line.sequence)].flatMap((one) =>
          one === undefined ? [] : [one.sequence],
        );
        const { sequence, operationReference } = line;
        const belongs = `by its figures it belongs ${end === gap ? 'before' : 'at'} line ${gap.sequence}`;
        return [{ sequence, operationReference, home: gap.sequence, belongs, breaks: [...breaks, sequence] }];
      });
  });
}

/** Lines that may be misplaced, by the balance that they follow from. */
function byFigureBefore(broken: readonly Gap[], leftOut: readonly LedgerEntry[]): ReadonlyMap<number, Candidate[]> {
  const candidates = new Map<number, Candidate[]>();
  for (const line of [...broken.map((gap) => ({ ...gap.line, sequence: gap.sequence })), ...leftOut]) {
    const rise = line.direction === 'CREDIT' ? line.amount : line.direction === 'DEBIT' ? -line.amount : 0;
    const before = line.balanceAfter - rise;
    const known = candidates.get(before);
    if (known === undefined) candidates.set(before, [line]);
    else known.push(line);
  }
  return candidates;
}

/** What a misplaced line breaks where it stands and where it is missing is one fault, and its operation's findings are of it. */
export function linkMisplaced(clusters: Clusters, misplaced: readonly MisplacedLine[], index: DraftIndex): void {
  for (const { operationReference, home, breaks } of misplaced) {
    const self = driftThrough(home, index);
    if (self === undefined) continue;
    const others = breaks.map((sequence) => driftThrough(sequence, index) ?? index.bySequence.get(sequence));
    if (operationReference !== null) others.push(index.byOperation.get(operationReference));
    for (const other of others) if (other !== undefined) join(clusters, other, self);
  }
}

/** The drift that is told of at a line, or that ends there. */
export function driftThrough(sequence: number, { driftAt, endAt }: DraftIndex): number | undefined {
  return driftAt.get(sequence) ?? endAt.get(sequence);
}
