// What one reading served otherwise than the readings before it: the service changed lines that it
// had posted, removed some, or put some in between. A posted line is never modified; a correction
// is a new inverse entry (direct API, "LedgerEntry").

import type { LedgerEntry } from './ledger-entry.ts';

/**
 * `rewritten`: known lines are served with other content. `inserted`: lines appeared at or below
 * the last known one; where they took the numbers of later lines, those are served under other
 * numbers. `deleted`: known lines are not served any more; later lines may have taken their
 * numbers. `reset`: the ledger ends before its last known line. `fallen`: the oldest known lines
 * are not served any more, and those after them are: a service that serves the last months or
 * lines.
 */
export type LineChange = 'rewritten' | 'deleted' | 'inserted' | 'reset' | 'fallen';

/**
 * A run of lines without an unchanged one between them. One alteration is one root finding, at its
 * first line.
 */
export interface Alteration {
  readonly change: LineChange;
  /** The first line that is altered, and the last; of lines inserted or deleted, too. */
  readonly sequence: number;
  readonly lastSequence: number;
  /** Number of lines altered. */
  readonly lines: number;
  /**
   * The first line as it was first read, and as it is served; null: it was not, or is not. `now` of
   * `fallen`: the oldest served.
   */
  readonly before: LedgerEntry | null;
  readonly now: LedgerEntry | null;
  /**
   * By how much the recorded figures after the last line have risen (+) or fallen (−): new less
   * old; whole units.
   */
  readonly off: { readonly balance: number; readonly reserved: number };
  /**
   * Inserted lines that the figures around them lacked: a lawful late commit, which is judged with
   * the books.
   */
  readonly fillsGap: boolean;
}

/** What a line says, in the order in which a difference is named. */
const LINE_FIELDS = [
  'amount',
  'direction',
  'kind',
  'operationReference',
  'balanceAfter',
  'reservedAfter',
  'currency',
  'createdAt',
  'description',
  'id',
] as const satisfies readonly (keyof LedgerEntry)[];
export type LineField = (typeof LINE_FIELDS)[number];

/** Null: they are alike but for their number. */
export function alteredField(before: LedgerEntry, now: LedgerEntry): LineField | null {
  return LINE_FIELDS.find((field) => before[field] !== now[field]) ?? null;
}

/** A line of a run, as it was first read and as it is served now; of neither or one it is null. */
export type AlteredLine = Pick<Alteration, 'sequence' | 'before' | 'now'>;

export interface RunSurroundings {
  /** Recorded figures after the known line before it. */
  readonly from: { readonly balance: number; readonly reserved: number };
  /** The line of this id is served, or was read before, under a higher sequence. */
  isServedLater(id: string): boolean;
  wasReadLater(id: string): boolean;
  readonly fillsGap: boolean;
  /** The ledger is not served beyond the run, or was not known beyond it. */
  readonly isAtEnd: boolean;
}

/**
 * Runs of `some` without another of the sequences between them, which ascend. Of several under one
 * the first counts.
 */
export function runsIn<One extends Pick<AlteredLine, 'sequence'>>(
  some: readonly One[],
  sequences: Iterable<number>,
): readonly (readonly One[])[] {
  const bySequence = Map.groupBy(some, ({ sequence }) => sequence);
  const runs: One[][] = [];
  let isOpen = false;
  for (const sequence of new Set(sequences)) {
    const [one] = bySequence.get(sequence) ?? [];
    if (one !== undefined && isOpen) runs.at(-1)!.push(one);
    else if (one !== undefined) runs.push([one]);
    isOpen = one !== undefined;
  }
  return runs;
}

/**
 * `run`: at least one line, in their order. The ids tell its change: lines that were put in or
 * removed move the others.
 */
export function alterationOf(run: readonly AlteredLine[], around: RunSurroundings): Alteration {
  const [first, last] = [run[0]!, run.at(-1)!];
  const { before, now } = first;
  const { balance, reserved } = around.from;
  const old = figuresAfter(last.before) ?? { balance, reserved };
  const current = figuresAfter(last.now) ?? old;
  return {
    change: changeOf(first, around),
    sequence: first.sequence,
    lastSequence: last.sequence,
    lines: run.length,
    before,
    now,
    off: { balance: current.balance - old.balance, reserved: current.reserved - old.reserved },
    fillsGap: around.fillsGap,
  };
}

function changeOf(
  { before, now }: AlteredLine,
  { isServedLater, wasReadLater, isAtEnd }: RunSurroundings,
): LineChange {
  if (before === null) return 'inserted';
  if (now === null) return 'deleted';
  if (before.id === now.id) return 'rewritten';
  if (isServedLater(before.id)) return 'inserted';
  if (wasReadLater(now.id)) return 'deleted';
  // Nothing of the old line is left, up to the end: the ledger ended before it, and went on with
  // others.
  return isAtEnd && before.createdAt !== now.createdAt ? 'reset' : 'rewritten';
}

function figuresAfter(line: LedgerEntry | null) {
  return line === null ? null : { balance: line.balanceAfter, reserved: line.reservedAfter };
}
