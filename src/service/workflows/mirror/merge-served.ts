// Finds known lines that a reading no longer serves: what is served and what is stored, both by
// sequence, side by side. Lines that are served otherwise, or between known ones, are found when
// they are saved.

import type { Alteration } from '../../../core/domain/alteration.ts';
import type { Amount } from '../../../core/domain/amount.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { StoredLines } from '../../../io/storage/mirror/read/stored-lines.ts';

/** Known lines that are not served, with no served line between them. */
export interface GoneLines {
  readonly first: LedgerEntry;
  readonly last: LedgerEntry;
  readonly lines: number;
  /** The served lines around them; null: none is served there. */
  readonly before: LedgerEntry | null;
  readonly after: LedgerEntry | null;
  /** By how much the recorded figures after them have risen: served less stored. */
  readonly off: { readonly balance: Amount; readonly reserved: Amount };
}

export interface Merge {
  /**
   * Lines as served, ascending but for a few that come late; each call from the last line of the
   * one before on.
   */
  add(rows: readonly LedgerEntry[]): Promise<void>;
  /**
   * A row could not be read; null: neither could its sequence, and it may be any line that is
   * missing.
   */
  noteRefused(sequence: number | null): void;
  /**
   * Null: lines are missing that may be served unreadable. `isAtEnd`: nothing is served after the
   * rows that were added.
   */
  end(isAtEnd: boolean): Promise<readonly GoneLines[] | null>;
}

interface MergeState {
  readonly stored: StoredLines;
  readonly head: number;
  /** Known lines up to this one were compared; null: the first line that is added begins. */
  upTo: number | null;
  last: LedgerEntry | null;
  open: { readonly before: LedgerEntry | null; readonly stored: LedgerEntry[] } | null;
  readonly gone: { readonly lines: GoneLines; readonly sequences: readonly number[] }[];
  /** Served after lines of a higher sequence, or unreadable. */
  readonly late: Set<number>;
  hasNameless: boolean;
}

/**
 * `head`: known lines up to this one are compared. `after`: those above this one; null: from the
 * first line added on.
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

/** Of a ledger that ends early, all known lines above are gone, however many there are. */
async function addRest(state: MergeState): Promise<void> {
  const { stored, head, last } = state;
  const next = (state.upTo ?? -1) + 1;
  const unread = [...state.late].filter((sequence) => sequence >= next && sequence <= head);
  // A line that is there, and cannot be read, is served after those that are missing below it.
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

/** `after`: the next line served; `stored`: the same line as it was known, where it was. */
function close(state: MergeState, after: LedgerEntry | null, stored: LedgerEntry | null): void {
  const { before, stored: run } = state.open!;
  const [first, last] = [run[0]!, run.at(-1)!];
  const isFallen = before === null && after !== null;
  const known = after !== null && stored !== null ? offOf(after, stored) : offOf(before, last);
  // What the first line that is served goes on from is known: the lines before it take nothing with
  // them.
  const off = isFallen ? { balance: 0, reserved: 0 } : known;
  state.gone.push({
    lines: { first, last, lines: run.length, before, after, off },
    sequences: run.map(({ sequence }) => sequence),
  });
  state.open = null;
}

/** Figures served less figures known. */
function offOf(served: LedgerEntry | null, known: LedgerEntry): GoneLines['off'] {
  return {
    balance: (served?.balanceAfter ?? 0) - known.balanceAfter,
    reserved: (served?.reservedAfter ?? 0) - known.reservedAfter,
  };
}

/** `isReset`: nothing is served after the last line that was compared. */
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
