// Books as text, for a checkpoint: exact both ways. Maps, sets and bigints are marked; everything else is plain JSON.

import type { Books } from './books.ts';

const MARK = '\u0000';

export function writeBooks(books: Books): string {
  return JSON.stringify(books, (_, value: unknown) => {
    if (typeof value === 'bigint') return { [MARK]: 'bigint', of: value.toString() };
    if (value instanceof Map) return { [MARK]: 'map', of: [...value] };
    if (value instanceof Set) return { [MARK]: 'set', of: [...value] };
    return value;
  });
}

/** The text must come from `writeBooks` of the same engine version. */
export function readBooks(text: string): Books {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(MARK in value)) return value;
    const { [MARK]: kind, of } = value as { [MARK]: string; of: never };
    return kind === 'bigint' ? BigInt(of) : kind === 'map' ? new Map(of) : new Set(of);
  }) as Books;
}
