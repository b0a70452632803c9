// Buffers the newest rows of a list before they are passed on, so that a row that was committed
// late, or served twice, still finds its place, and drops rows that are known. Holds a bounded
// number of rows, whatever the list's length.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../port/source.ts';
import type { AheadList, ListKind, PagedList, ServedPage, ServedRow } from './served-page.ts';

/** The number of newest rows that stay buffered while the list is being read. */
const BUFFERED = 1_000;
/** How many keys of released rows are remembered. */
export const REMEMBERED = 4_000;

export interface SettlingWindow<Row> {
  /** Takes rows in ascending order, and returns how many of them were not known. */
  accept(rows: readonly ServedRow<Row>[]): number;
  knows(row: ServedRow<Row>): boolean;
  /**
   * Returns rows in ascending rank, each once: the `settled` ones, which are the oldest beyond the
   * buffer, or `all` once the list has been read to its end.
   */
  release(which: 'settled' | 'all'): Batch<Row>;
}

interface Buffered<Row> {
  readonly key: string;
  readonly rank: number;
  row: Row | null;
  readonly refused: RejectedRow | null;
}

export interface WindowOptions<Row> {
  readonly kind: ListKind<Row>;
  /** True when `candidate` is a newer version of the buffered row with the same key. */
  readonly isNewer: (candidate: Row, buffered: Row) => boolean;
  /**
   * Called with the rank of an unknown row that belongs before rows already released. The row is
   * dropped.
   */
  readonly onLate: (rank: number) => void;
}

/** The state of a window: `buffered` ascends in rank, `released` is in the order of release. */
interface State<Row> {
  readonly options: WindowOptions<Row>;
  readonly buffered: Buffered<Row>[];
  readonly known: Map<string, Buffered<Row>>;
  readonly released: { readonly key: string; readonly rank: number }[];
  newestReleased: number;
  newestForgotten: number;
  /** Numbers refused rows of one name, which follow each other, so that their places differ. */
  lastRefused: { readonly name: string; readonly times: number };
}

export function openWindow<Row>(options: WindowOptions<Row>): SettlingWindow<Row> {
  const state: State<Row> = {
    options,
    buffered: [],
    known: new Map(),
    released: [],
    newestReleased: Number.NEGATIVE_INFINITY,
    newestForgotten: Number.NEGATIVE_INFINITY,
    lastRefused: { name: '', times: 0 },
  };
  return {
    accept: (rows) => accept(state, rows),
    knows: (row) => state.known.has(row.key),
    release: (which) => release(state, which),
  };
}

/**
 * Returns the failure of a reading that met a row after its place had been passed: the rows can no
 * longer be delivered in order.
 */
export function movedWhileReading<Row>(list: PagedList<Row>, rank: number): SourceFailed {
  return new SourceFailed(
    'MOVED_WHILE_READING',
    `${list.request} of ${list.merchant} served ${list.kind.nameRank(rank)} after rows far newer than it: it was inserted late, or the list is not in order; read it again.`,
  );
}

function accept<Row>(state: State<Row>, rows: readonly ServedRow<Row>[]): number {
  let fresh = 0;
  let after: number | null = null;
  for (const row of rows) {
    if (row.rank === null ? acceptRefused(state, row, after) : acceptRow(state, row, row.rank))
      fresh += 1;
    after = row.rank ?? after;
  }
  return fresh;
}

function acceptRow<Row>(state: State<Row>, row: ServedRow<Row>, rank: number): boolean {
  const before = state.known.get(row.key);
  if (before !== undefined) {
    if (before.row !== null && state.options.isNewer(row.row!, before.row)) before.row = row.row;
    return false;
  }
  if (rank <= state.newestForgotten) return false;
  if (rank < state.newestReleased) {
    state.options.onLate(rank);
    return false;
  }
  buffer(state, { key: row.key, rank, row: row.row, refused: null });
  return true;
}

/** `after` is the rank of the readable row before it, where there is one. */
function acceptRefused<Row>(state: State<Row>, row: ServedRow<Row>, after: number | null): boolean {
  if (state.known.has(row.key)) return false;
  const rank = after ?? state.buffered[0]?.rank ?? state.newestReleased;
  const name = placeOf(state.options.kind, row, after);
  const times = name === state.lastRefused.name ? state.lastRefused.times + 1 : 1;
  state.lastRefused = { name, times };
  const place = times === 1 ? name : `${name}, row ${times}`;
  buffer(state, { key: row.key, rank, row: null, refused: { ...row.refused!, place } });
  return true;
}

function buffer<Row>(state: State<Row>, row: Buffered<Row>): void {
  let at = state.buffered.length;
  while (at > 0 && state.buffered[at - 1]!.rank > row.rank) at -= 1;
  state.buffered.splice(at, 0, row);
  state.known.set(row.key, row);
}

function release<Row>(state: State<Row>, which: 'settled' | 'all'): Batch<Row> {
  const leaving =
    which === 'all' ? state.buffered.length : Math.max(0, state.buffered.length - BUFFERED);
  const settled = state.buffered.splice(0, leaving);
  for (const row of settled) {
    state.newestReleased = Math.max(state.newestReleased, row.rank);
    state.released.push({ key: row.key, rank: row.rank });
  }
  for (const { key, rank } of state.released.splice(
    0,
    Math.max(0, state.released.length - REMEMBERED),
  )) {
    state.known.delete(key);
    state.newestForgotten = Math.max(state.newestForgotten, rank);
  }
  return {
    rows: settled.flatMap((row) => (row.row === null ? [] : [row.row])),
    rejected: settled.flatMap((row) => (row.refused === null ? [] : [row.refused])),
  };
}

/**
 * Returns a place that is the same in the next reading: the row's own name, or its neighbour's; the
 * offset only when neither is known.
 */
function placeOf<Row>(kind: ListKind<Row>, row: ServedRow<Row>, after: number | null): string {
  const refused = row.refused!;
  if (refused.sequence !== null) return `GET ${kind.path} sequence ${refused.sequence}`;
  if (refused.part === 'operations' && refused.reference !== null)
    return `GET ${kind.path} ${refused.reference}`;
  return after === null ? refused.place : `GET ${kind.path} after ${kind.nameRank(after)}`;
}

export interface Walk<Row> {
  readonly list: AheadList<Row>;
  readonly window: SettlingWindow<Row>;
  /** The page at offset 0 if it was read already, else `null`. */
  readonly first: ServedPage<Row> | null;
  /**
   * Rows up to this rank are known, and the walk must begin at or below it. `null`: begin at the
   * first row.
   */
  readonly floor: number | null;
  /**
   * The rank at which the list ended when it was last read to its end; `null` when that is not
   * known.
   */
  readonly newest: number | null;
  /** `longestPage` is the number of rows of the longest page that the list ever served. */
  readonly memory: { readonly longestPage: number };
  /** Offset of the first row above the floor, as far as the caller knows; never trusted. */
  readonly hint: number;
  /** The service's clock when the reading began: rows created later need not be followed. */
  readonly begunAt: Instant;
}
