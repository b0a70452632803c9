// Books as text, for a checkpoint: exact both ways. Maps, sets and bigints are marked; everything else is plain JSON.

import { type CarriedReplay, carriedReplay, replayOf } from '../replay/replay-state.ts';
import type { HashOf } from '../rows/name.ts';
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

type CarriedBooks = Omit<Books, 'replay'> & { readonly replay: CarriedReplay };

/** The text must come from `writeBooks` of the same engine version. `hashOf`: as of the rows that the books will take. */
export function readBooks(text: string, hashOf: HashOf): Books {
  const { replay, ...books } = revive(JSON.parse(text)) as CarriedBooks;
  return { ...books, replay: replayOf(replay, hashOf) };
}

/** References of the operations that the books hold, sorted, without making books of the text. */
export function readOpenReferences(text: string): readonly string[] {
  const { replay } = JSON.parse(text) as { replay: { tallies: { [MARK]: 'map'; of: [reference: string][] } } };
  return replay.tallies.of.map(([reference]) => reference).sort();
}

/** What is marked, made again in place; JSON.parse would take ten times as long to call a function for every value. */
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
