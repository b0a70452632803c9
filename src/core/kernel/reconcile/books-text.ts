// Writes books as text for a checkpoint, and reads them back exactly. Maps, sets and bigints are
// marked; everything else is plain JSON.

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
 * Books with more operations at work and faults in lines than this are not carried whole, because
 * their text would take longer than a replay.
 */
const MOST_CARRIED = 50_000;

export function areCarried({ replay, lineDrafts, drifts }: Books): boolean {
  return replay.tallies.count + lineDrafts.length + drifts.length <= MOST_CARRIED;
}

/** Writes, for books that are not carried whole, only what a later reading asks for again. */
export function writeOpen({ open, operationSums }: Pick<Books, 'open' | 'operationSums'>): string {
  return JSON.stringify({ open, operationSums: { reversedCount: operationSums.reversedCount } });
}

type CarriedBooks = Omit<Books, 'replay'> & { readonly replay?: CarriedReplay };

/**
 * Reads the books of a text, which must come from this engine version. `hashOf` must be the
 * function that made the hashes of the rows to come. `null` for a text of `writeOpen`, from which
 * no session can go on.
 */
export function readBooks(text: string, hashOf: HashOf): Books | null {
  const { replay, ...books } = revive(JSON.parse(text)) as CarriedBooks;
  return replay === undefined ? null : { ...books, replay: replayOf(replay, hashOf) };
}

/**
 * Reads only what a later reading asks for again. It works for a text of another engine version
 * too.
 */
export function readOpen(text: string): {
  readonly open: readonly OpenOperation[];
  readonly reversedCount: number;
} {
  const { open, operationSums } = JSON.parse(text) as Pick<Books, 'open' | 'operationSums'>;
  return { open, reversedCount: operationSums.reversedCount };
}

/**
 * Restores marked values in place. A reviver function would make JSON.parse ten times as slow,
 * because it is called for every value.
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
