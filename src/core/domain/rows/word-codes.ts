// Gives words their codes: known words are found in a small hash table of their bytes, others are
// added to the batch's own words. This is called for each word of each row, so it makes no text.

import { ASCII, type ColumnBatch, FIRST_OWN_WORD, lengthOf } from './column-batch.ts';
import { LAST_BYTES } from './hash-bytes.ts';
import type { RowTable } from './row-table.ts';

/** The tables from which words of one batch at a time get their codes. */
export interface WordCodes {
  /** Codes of the known words, by slot of their bytes (`placeOf`); 0 in a free slot. */
  readonly places: Uint16Array;
  /** Bytes of the known words, `WIDTH` bytes for each code: the word, then a quote. */
  readonly view: DataView;
  readonly lengths: Uint8Array;
  /** The batch's own words by slot: n + 1 for its nth word, 0 in a free slot. */
  readonly own: Uint16Array;
  /**
   * Codes of words that were met lately in this batch, guessed before they are looked up
   * (`compile-shape.ts`); 0 where there is no guess.
   */
  readonly guesses: Uint16Array;
}

/** Bytes for each known word. A word longer than WIDTH − 4 bytes is treated as unknown. */
const WIDTH = 48;
const PLACES = 1_024;
export const GUESSES = 256;
const QUOTE = 0x22;

export function createWordCodes({ knownWords }: RowTable<unknown>): WordCodes {
  const view = new DataView(new ArrayBuffer(knownWords.length * WIDTH));
  const codes: WordCodes = {
    places: new Uint16Array(PLACES),
    view,
    lengths: new Uint8Array(knownWords.length),
    own: new Uint16Array(PLACES),
    guesses: new Uint16Array(GUESSES),
  };
  knownWords.forEach((word, code) => {
    if (word === null) return;
    const bytes = Buffer.from(word);
    if (bytes.length > WIDTH - 4) return;
    bytes.forEach((byte, i) => {
      view.setUint8(code * WIDTH + i, byte);
    });
    view.setUint8(code * WIDTH + bytes.length, QUOTE);
    codes.lengths[code] = bytes.length;
    let place = placeOf(view, code * WIDTH, bytes.length);
    while (codes.places[place] !== 0) place = (place + 1) & (PLACES - 1);
    codes.places[place] = code;
  });
  return codes;
}

/** Returns the code of a known word, or 0. Three bytes after the word must be readable. */
export function codeOfKnown(
  codes: WordCodes,
  view: DataView,
  start: number,
  length: number,
): number {
  let place = placeOf(view, start, length);
  for (;;) {
    const code = codes.places[place]!;
    if (code === 0) return 0;
    if (codes.lengths[code] === length && sameBytes(codes.view, code * WIDTH, view, start, length))
      return code;
    place = (place + 1) & (PLACES - 1);
  }
}

/** Must be called whenever a new batch is begun. */
export function forgetOwnWords({ own, guesses }: WordCodes): void {
  own.fill(0);
  guesses.fill(0);
}

/**
 * Returns the length of the word with this code when the bytes at `start` are the word followed by
 * a quote, else −1. Code 0 has no word.
 */
export function lengthOfQuoted(
  batch: ColumnBatch<unknown>,
  codes: WordCodes,
  code: number,
  start: number,
): number {
  const { view, ownWords } = batch;
  const own = 2 * (code - FIRST_OWN_WORD);
  const length = own < 0 ? codes.lengths[code]! : lengthOf(ownWords[own + 1]!);
  const isThere =
    own < 0
      ? sameBytes(codes.view, code * WIDTH, view, start, length + 1)
      : sameBytes(view, ownWords[own]!, view, start, length + 1);
  return isThere ? length : -1;
}

/**
 * Returns the code of any word whose bytes stand in the batch, and adds an unknown word to the
 * batch. An unknown word may get a second code in a batch, which is rare, but never the code of
 * another word. The caller must have checked with `hasRoom` that the batch has room for one more
 * word.
 */
export function codeOfWord(
  batch: ColumnBatch<unknown>,
  codes: WordCodes,
  start: number,
  mark: number,
): number {
  const { view, ownWords } = batch;
  const length = lengthOf(mark);
  if ((mark & 3) === ASCII) {
    const known = codeOfKnown(codes, view, start, length);
    if (known !== 0) return known;
  }
  const place = placeOf(view, start, length);
  const met = codes.own[place]! - 1;
  if (
    met >= 0 &&
    ownWords[2 * met + 1] === mark &&
    sameBytes(view, ownWords[2 * met]!, view, start, length)
  ) {
    return FIRST_OWN_WORD + met;
  }
  const own = batch.ownWordCount++;
  ownWords[2 * own] = start;
  ownWords[2 * own + 1] = mark;
  codes.own[place] = own + 1;
  return FIRST_OWN_WORD + own;
}

/**
 * Chooses a slot from the first four bytes and the last four, because words mostly differ in
 * length, beginning or end.
 */
function placeOf(view: DataView, start: number, length: number): number {
  const first =
    length < 4 ? view.getInt32(start, true) & LAST_BYTES[length]! : view.getInt32(start, true);
  const last = length < 4 ? first : view.getInt32(start + length - 4, true);
  const hash = Math.imul(first ^ Math.imul(last, 0x9e3779b1), 0x85ebca6b) ^ length;
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/**
 * True when the `length` bytes at `from` and at `start` are equal. At least four bytes must be
 * readable from each.
 */
export function sameBytes(
  known: DataView,
  from: number,
  view: DataView,
  start: number,
  length: number,
): boolean {
  if (length < 4)
    return ((known.getInt32(from, true) ^ view.getInt32(start, true)) & LAST_BYTES[length]!) === 0;
  const last = length - 4;
  for (let at = 0; at < last; at += 4) {
    if (known.getInt32(from + at, true) !== view.getInt32(start + at, true)) return false;
  }
  return known.getInt32(from + last, true) === view.getInt32(start + last, true);
}
