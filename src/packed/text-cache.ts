// Turns bytes into texts that do not hold on to the buffer they came from, and gives one and the same text for equal bytes
// seen shortly before: kinds, currencies and the references that neighbouring lines share.

import { MASKS } from '../domain/text-hash.ts';
import type { ByteSpan } from './byte-span.ts';

/**
 * A table of recent texts; a newer one takes the place of an older one with the same hash, so it never grows. The bytes
 * of text `slot` stand in `view` from `slot * LONGEST` on.
 */
export interface TextCache {
  readonly view: DataView;
  readonly lengths: Uint8Array;
  readonly texts: string[];
}

const SIZE = 2_048;
const LONGEST = 48;

/** `known` are texts that will surely be met, so that they are the very texts that the rest of the program compares with. */
export function createTextCache(known: readonly string[]): TextCache {
  const cache: TextCache = {
    view: new DataView(new ArrayBuffer(SIZE * LONGEST)),
    lengths: new Uint8Array(SIZE),
    texts: new Array<string>(SIZE).fill(''),
  };
  for (const text of known) {
    const bytes = Buffer.from(new TextEncoder().encode(`${text}    `).buffer);
    const span = { bytes, view: new DataView(bytes.buffer) };
    keepText(cache, { slot: slotOf(span.view, 0, text.length), span, start: 0, length: text.length, text });
  }
  return cache;
}

/** A text that is probably unlike its neighbours. `isAscii` must be true only when every byte is below 0x80. */
export function ownText(bytes: Buffer, start: number, end: number, isAscii: boolean): string {
  return bytes.toString(isAscii ? 'latin1' : 'utf8', start, end);
}

/** As `ownText`, for a text that has probably been met before. At least four bytes from its start on must be readable. */
export function sharedText(cache: TextCache, span: ByteSpan, start: number, end: number, isAscii: boolean): string {
  const length = end - start;
  if (length > LONGEST || length === 0) return ownText(span.bytes, start, end, isAscii);
  const slot = slotOf(span.view, start, length);
  if (cache.lengths[slot] === length && holds(cache.view, slot * LONGEST, span.view, start, length)) {
    return cache.texts[slot]!;
  }
  const text = ownText(span.bytes, start, end, isAscii);
  keepText(cache, { slot, span, start, length, text });
  return text;
}

function slotOf(view: DataView, start: number, length: number): number {
  return hashEnds(view, start, length) & (SIZE - 1);
}

/**
 * Of the first four bytes and the last four: references differ in their last, kinds in their length or their first. At
 * least four bytes from `start` on must be readable.
 */
export function hashEnds(view: DataView, start: number, length: number): number {
  const first = length < 4 ? view.getInt32(start, true) & MASKS[length]! : view.getInt32(start, true);
  const last = length < 4 ? first : view.getInt32(start + length - 4, true);
  const hash = Math.imul(first ^ Math.imul(last, 0x9e3779b1), 0x85ebca6b) ^ length;
  return hash ^ (hash >>> 15);
}

/** True when the `length` bytes at `known` and at `start` are equal; from both on at least four must be readable. */
export function holds(cache: DataView, known: number, view: DataView, start: number, length: number): boolean {
  if (length < 4) return ((cache.getInt32(known, true) ^ view.getInt32(start, true)) & MASKS[length]!) === 0;
  const last = length - 4;
  for (let at = 0; at < last; at += 4) {
    if (cache.getInt32(known + at, true) !== view.getInt32(start + at, true)) return false;
  }
  return cache.getInt32(known + last, true) === view.getInt32(start + last, true);
}

interface Kept {
  readonly slot: number;
  readonly span: ByteSpan;
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

function keepText(cache: TextCache, { slot, span, start, length, text }: Kept): void {
  const first = slot * LONGEST;
  for (let i = 0; i < length; i += 1) cache.view.setUint8(first + i, span.bytes[start + i]!);
  cache.lengths[slot] = length;
  cache.texts[slot] = text;
}
