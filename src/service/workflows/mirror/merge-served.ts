// Finds known lines that a reading no longer serves, by passing served and stored lines side by
// side in order of sequence. Lines that are served with other content, or between known ones, are
// found when they are saved.

import type { Alteration } from '../../../core/domain/alteration.ts';
import type { Amount } from '../../../core/domain/amount.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { StoredLines } from '../../../io/storage/mirror/read/stored-lines.ts';

/** A run of known lines that are no longer served, without a served line between them. */
export interface GoneLines {
  readonly first: LedgerEntry;
  readonly last: LedgerEntry;
  /** How many lines are gone. */
  readonly lines: number;
  /** The served line before the run; `null` when there is none. */
  readonly before: LedgerEntry | null;
  /** The served line after the run; `null` when there is none. */
  readonly after: LedgerEntry | null;
  /** By how much the recorded figures after the run have risen: served less stored. */
  readonly off: { readonly balance: Amount; readonly reserved: Amount };
}

export interface Merge {
  /**
   * Takes served lines, ascending except for a few that come late. Each call must continue where
   * the call before it ended.
   */
  add(rows: readonly LedgerEntry[]): Promise<void>;
  /**
   * Notes a row that could not be read. With `null` its sequence could not be read either, so it
   * may be any missing line.
   */
  noteRefused(sequence: number | null): void;
  /**
   * Returns the lines that are gone; `null` when a missing line may be one that could not be read.
   * `isAtEnd` says that nothing is served after the added lines.
   */
  end(isAtEnd: boolean): Promise<readonly GoneLines[] | null>;
}

interface MergeState {
  readonly stored: StoredLines;
  readonly head: number;
  /**
   * Known lines up to this sequence were compared; `null` when the first added line decides where
   * to begin.
   */
  upTo: number | null;
  last: LedgerEntry | null;
  open: { readonly before: LedgerEntry | null; readonly stored: LedgerEntry[] } | null;
  readonly gone: { readonly lines: GoneLines; readonly sequences: readonly number[] }[];
  /** Sequences served after a higher one, or in rows that could not be read. */
  readonly late: Set<number>;
  hasNameless: boolean;
}

/**
 * Begins a merge of known lines above the sequence `after` and up to the sequence `head`. With
 * `after` `null` it begins at the first added line.
 */
export function openMerge(
  stored: StoredLines,
  { head, after }: { readonly head: number; readonly after: number | null },
): Merge {
  const state: MergeState = {
    stored,
    head,
    upTo: after,
    last: null,
    open: null,
    gone: [],
    late: new Set(),
    hasNameless: false,
  };
  return {
    add: (rows) => add(state, rows),
    noteRefused(sequence) {
      if (sequence === null) state.hasNameless = true;
      else state.late.add(sequence);
    },
    async end(isAtEnd) {
      if (isAtEnd) await addRest(state);
      if (state.open !== null) close(state, null, null);
      const gone = state.gone.filter(
        ({ sequences }) => !sequences.some((one) => state.late.has(one)),
      );
      return state.hasNameless && gone.length > 0 ? null : gone.map(({ lines }) => lines);
    },
  };
}

async function add(state: MergeState, rows: readonly LedgerEntry[]): Promise<void> {
  const ascending = rows.toSorted((a, b) => a.sequence - b.sequence);
  const [first, last] = [ascending[0], ascending.at(-1)];
  if (first === undefined || last === undefined) return;
  state.upTo ??= first.sequence - 1;
  for (const { sequence } of ascending) if (sequence <= state.upTo) state.late.add(sequence);
  const upTo = Math.min(state.head, last.sequence);
  const known = upTo > state.upTo ? await state.stored.between(state.upTo + 1, upTo) : new Map();
  const served = new Map(ascending.map((row) => [row.sequence, row]));
  const sequences = [...new Set([...known.keys(), ...served.keys()])].sort((a, b) => a - b);
  for (const sequence of sequences) {
    const row = served.get(sequence);
    const stored = known.get(sequence)?.[0] ?? null;
    if (row === undefined) {
      state.open ??= { before: state.last, stored: [] };
      state.open.stored.push(stored!);
    } else if (sequence > state.upTo) {
      if (state.open !== null) close(state, row, stored);
      state.last = row;
    }
  }
  state.upTo = Math.max(state.upTo, upTo);
}

/** Takes all known lines above the last served one as gone, without loading them. */
async function addRest(state: MergeState): Promise<void> {
  const { stored, head, last } = state;
  const next = (state.upTo ?? -1) + 1;
  const unread = [...state.late].filter((sequence) => sequence >= next && sequence <= head);
  // A row that cannot be read still shows that the ledger goes on there, so the lines below it are
  // not at the end.
  state.hasNameless ||= unread.length > 0;
  const from = Math.max(next, ...unread.map((sequence) => sequence + 1));
  if (from > head) return;
  const below = await stored.countBelow(from);
  const lines = (await stored.countBelow(head + 1)) - below;
  const [first] = await stored.at(below);
  const [newest] = [...(await stored.between(head, head)).values()].flat();
  if (first === undefined || newest === undefined || lines === 0) return;
  const open = state.open;
  state.open = null;
  const sequences = open?.stored.map(({ sequence }) => sequence) ?? [];
  const gone = {
    first: open?.stored[0] ?? first,
    last: newest,
    before: open?.before ?? last,
    after: null,
  };
  const off = offOf(gone.before, newest);
  state.gone.push({ lines: { ...gone, lines: lines + sequences.length, off }, sequences });
}

/**
 * Ends a run of missing lines. `after` is the next served line, and `stored` the same line as it
 * was known; each is `null` when there is none.
 */
function close(state: MergeState, after: LedgerEntry | null, stored: LedgerEntry | null): void {
  const { before, stored: run } = state.open!;
  const [first, last] = [run[0]!, run.at(-1)!];
  const isFallen = before === null && after !== null;
  const known = after !== null && stored !== null ? offOf(after, stored) : offOf(before, last);
  // When the oldest lines are dropped, no later figure changes: the first served line still follows
  // from the same figures.
  const off = isFallen ? { balance: 0, reserved: 0 } : known;
  state.gone.push({
    lines: { first, last, lines: run.length, before, after, off },
    sequences: run.map(({ sequence }) => sequence),
  });
  state.open = null;
}

/** Returns the served figures less the known ones. */
function offOf(served: LedgerEntry | null, known: LedgerEntry): GoneLines['off'] {
  return {
    balance: (served?.balanceAfter ?? 0) - known.balanceAfter,
    reserved: (served?.reservedAfter ?? 0) - known.reservedAfter,
  };
}

/** `isReset` says that nothing is served after the last compared line. */
export function alterationOfGone(
  { first, last, lines, before, after, off }: GoneLines,
  isReset: boolean,
): Alteration {
  const isFallen = before === null && after !== null;
  const change = isFallen ? 'fallen' : isReset && after === null ? 'reset' : 'deleted';
  const place = { sequence: first.sequence, lastSequence: last.sequence };
  return {
    change,
    ...place,
    lines,
    before: first,
    now: isFallen ? after : null,
    off,
    fillsGap: false,
  };
}
