// The rows of a list on their way out: known ones are dropped, the newest are held back for a while so that a row that
// was committed late, or served twice, still finds its place. Holds a bounded number of rows, whatever the list's length.

import type { Batch, RejectedRow } from '../../domain/reading.ts';
import type { ListKind, ServedRow } from './paged-list.ts';

/** Rows held back while a walk goes on, and keys remembered of rows that were let go. */
const HELD_BACK = 1_000;
export const REMEMBERED = 4_000;

export interface SettlingWindow<Row> {
  /** Takes rows in ascending order and answers how many of them were not known. */
  accept(rows: readonly ServedRow<Row>[]): number;
  knows(row: ServedRow<Row>): boolean;
  /** The rows that have settled, ascending in rank, each once. `all`: the walk has ended. */
  release(which: 'settled' | 'all'): Batch<Row>;
}

interface Held<Row> {
  readonly key: string;
  readonly rank: number;
  row: Row | null;
  readonly refused: RejectedRow | null;
}

export interface WindowOptions<Row> {
  readonly kind: ListKind<Row>;
  /** True when `candidate` is a newer version of the held row with the same key. */
  readonly isNewer: (candidate: Row, held: Row) => boolean;
  /** Called with the rank of a row, unknown so far, that belongs before rows already let go. It is not kept. */
  readonly onLate: (rank: number) => void;
}

export function openWindow<Row>(options: WindowOptions<Row>): SettlingWindow<Row> {
  const held: Held<Row>[] = [];
  const known = new Map<string, Held<Row>>();
  const letGo: { readonly key: string; readonly rank: number }[] = [];
  let newestLetGo = Number.NEGATIVE_INFINITY;
  let newestForgotten = Number.NEGATIVE_INFINITY;

  function acceptRow(row: ServedRow<Row>): boolean {
    const rank = row.rank!;
    const before = known.get(row.key);
    if (before !== undefined) {
      if (before.row !== null && options.isNewer(row.row!, before.row)) before.row = row.row;
      return false;
    }
    if (rank <= newestForgotten) return false;
    if (rank < newestLetGo) {
      options.onLate(rank);
      return false;
    }
    hold({ key: row.key, rank, row: row.row, refused: null });
    return true;
  }

  function acceptRefused(row: ServedRow<Row>, after: { readonly rank: number | null; readonly nth: number }): boolean {
    if (known.has(row.key)) return false;
    const rank = after.rank ?? held[0]?.rank ?? newestLetGo;
    hold({ key: row.key, rank, row: null, refused: { ...row.refused!, place: placeOf(options.kind, row, after) } });
    return true;
  }

  function hold(row: Held<Row>): void {
    let at = held.length;
    while (at > 0 && held[at - 1]!.rank > row.rank) at -= 1;
    held.splice(at, 0, row);
    known.set(row.key, row);
  }

  function forget(): void {
    for (const { key, rank } of letGo.splice(0, Math.max(0, letGo.length - REMEMBERED))) {
      known.delete(key);
      newestForgotten = Math.max(newestForgotten, rank);
    }
  }

  return {
    accept(rows) {
      let fresh = 0;
      let rank: number | null = null;
      let nth = 0;
      for (const row of rows) {
        if (row.rank === null) nth += 1;
        else [rank, nth] = [row.rank, 0];
        if (row.rank === null ? acceptRefused(row, { rank, nth }) : acceptRow(row)) fresh += 1;
      }
      return fresh;
    },
    knows: (row) => known.has(row.key),
    release(which) {
      const settled = held.splice(0, which === 'all' ? held.length : Math.max(0, held.length - HELD_BACK));
      for (const row of settled) {
        newestLetGo = Math.max(newestLetGo, row.rank);
        letGo.push({ key: row.key, rank: row.rank });
      }
      const batch = {
        rows: settled.flatMap((row) => (row.row === null ? [] : [row.row])),
        rejected: settled.flatMap((row) => (row.refused === null ? [] : [row.refused])),
      };
      forget();
      return batch;
    },
  };
}

/** A place that is the same in the next reading: the row's own name, or its neighbour's; an offset only for want of both. */
function placeOf<Row>(
  kind: ListKind<Row>,
  row: ServedRow<Row>,
  after: { readonly rank: number | null; readonly nth: number },
): string {
  const refused = row.refused!;
  if (refused.sequence !== null) return `GET ${kind.path} sequence ${refused.sequence}`;
  if (refused.part === 'operations' && refused.reference !== null) return `GET ${kind.path} ${refused.reference}`;
  if (after.rank === null) return refused.place;
  return `GET ${kind.path} after ${kind.nameRank(after.rank)}${after.nth > 1 ? `, row ${after.nth}` : ''}`;
}
