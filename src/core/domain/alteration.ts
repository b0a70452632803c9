// Alterations: what one reading served differently from the readings before it, because the service
// changed posted lines, removed some, or inserted some between them. A posted line is never
// modified; a correction is a new inverse entry (direct API, "LedgerEntry").

import type { LedgerEntry } from './ledger-entry.ts';

/**
 * `rewritten`: known lines are served with other content. `inserted`: lines appeared at or below
 * the last known one; if they took the numbers of later lines, those are served under other
 * numbers. `deleted`: known lines are not served any more; later lines may have taken their
 * numbers. `reset`: the ledger ends before its last known line. `fallen`: only the oldest known
 * lines are not served any more, as with a service that serves the last months or lines.
 */
export type LineChange = 'rewritten' | 'deleted' | 'inserted' | 'reset' | 'fallen';

/**
 * A run of altered lines with no unchanged line between them. One alteration is one root finding,
 * at its first line.
 */
export interface Alteration {
  readonly change: LineChange;
  /** Sequence of the first altered, inserted or deleted line. */
  readonly sequence: number;
  /** Sequence of the last altered, inserted or deleted line. */
  readonly lastSequence: number;
  readonly lines: number;
  /** The first line as it was first read; `null` when it was not known. */
  readonly before: LedgerEntry | null;
  /**
   * The first line as it is served now; `null` when it is not served. For `fallen`, the oldest line
   * still served.
   */
  readonly now: LedgerEntry | null;
  /** How far the recorded figures after the last line have moved: new less old, whole units. */
  readonly off: { readonly balance: number; readonly reserved: number };
  /**
   * True for inserted lines whose amounts the figures around them already counted: a lawful late
   * commit, judged with the books.
   */
  readonly fillsGap: boolean;
}

/** The fields of a line, in the order in which a difference is named. */
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

/**
 * Returns the first field in which two lines differ; `null` when they differ in their sequence at
 * most.
 */
export function alteredField(before: LedgerEntry, now: LedgerEntry): LineField | null {
  return LINE_FIELDS.find((field) => before[field] !== now[field]) ?? null;
}

/**
 * A line of a run. `before` is the line as it was first read, `null` for an inserted line; `now` is
 * the line as it is served, `null` for a deleted one.
 */
export type AlteredLine = Pick<Alteration, 'sequence' | 'before' | 'now'>;

export interface RunSurroundings {
  /** Recorded figures after the known line before the run. */
  readonly from: { readonly balance: number; readonly reserved: number };
  /** True when the line of this id is served under a higher sequence. */
  isServedLater(id: string): boolean;
  /** True when the line of this id was read before under a higher sequence. */
  wasReadLater(id: string): boolean;
  readonly fillsGap: boolean;
  /** True when no line is served after the run, or none was known after it. */
  readonly isAtEnd: boolean;
}

/**
 * Splits `some` into runs: rows with no other of the `sequences` between them. `sequences` must
 * ascend. Of several rows with one sequence, only the first is used.
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
 * Describes one run, which must have at least one line, in ascending order. Ids tell inserted lines
 * from deleted ones, because both move the lines after them to other sequences.
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
  // No line was moved up or down, and the ledger differs up to its end: it was cut off before this
  // line, and continued with other lines.
  return isAtEnd && before.createdAt !== now.createdAt ? 'reset' : 'rewritten';
}

function figuresAfter(line: LedgerEntry | null) {
  return line === null ? null : { balance: line.balanceAfter, reserved: line.reservedAfter };
}
