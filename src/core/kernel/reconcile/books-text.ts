// Books as text, for a checkpoint: exact both ways. Maps, sets and bigints are marked; everything
// else is plain JSON.

import type { OpenOperation } from '../../domain/operation.ts';
import type { HashOf } from '../../domain/rows/name.ts';
import { type CarriedReplay, carriedReplay, replayOf } from '../replay/replay-state.ts';
import type { Books } from './books.ts';

const MARK = '\u0000';

export function writeBooks(books: Books): string {
  return JSON.stringify({ ...books, replay: carriedReplay(books.replay) }, (_, value: unknown) => {
    if (typeof value === 'bigint') return { [MARK]: 'bigint', of: value.toString() };
    if (value instanceof Map) return { [MARK]: 'map', of: [...value] };
    if (value instanceof Set) return { [MARK]: 'set', of: [...value] };
    return value;
  });
}

/**
 * What is written of books with more operations at work and faults in lines: larger texts take
 * longer than a replay.
 */
const MOST_CARRIED = 50_000;

export function areCarried({ replay, lineDrafts, drifts }: Books): boolean {
  return replay.tallies.count + lineDrafts.length + drifts.length <= MOST_CARRIED;
}

/** Of books that are not carried whole: what a later reading asks for again. */
export function writeOpen({ open, operationSums }: Pick<Books, 'open' | 'operationSums'>): string {
  return JSON.stringify({ open, operationSums: { reversedCount: operationSums.reversedCount } });
}

type CarriedBooks = Omit<Books, 'replay'> & { readonly replay?: CarriedReplay };

/**
 * The text must come from this engine version. `hashOf`: as of the rows that the books will take.
 * Null: of `writeOpen`, which is nothing to go on from.
 */
export function readBooks(text: string, hashOf: HashOf): Books | null {
  const { replay, ...books } = revive(JSON.parse(text)) as CarriedBooks;
  return replay === undefined ? null : { ...books, replay: replayOf(replay, hashOf) };
}

/**
 * What a later reading asks for again, without making books of the text, which another version may
 * have written.
 */
export function readOpen(text: string): {
  readonly open: readonly OpenOperation[];
  readonly reversedCount: number;
} {
  const { open, operationSums } = JSON.parse(text) as Pick<Books, 'open' | 'operationSums'>;
  return { open, reversedCount: operationSums.reversedCount };
}

/**
 * What is marked, made again in place; JSON.parse would take ten times as long to call a function
 * for every value.
 */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) {
    const part = parts[key];
    if (typeof part !== 'object' || part === null) continue;
    const revived = revive(part);
    if (revived !== part) parts[key] = revived;
  }
  if (!(MARK in parts)) return value;
  const { [MARK]: kind, of } = parts as { [MARK]: string; of: never };
  return kind === 'bigint' ? BigInt(of) : kind === 'map' ? new Map(of) : new Set(of);
}
