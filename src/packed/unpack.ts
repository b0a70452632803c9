// Unpacks rows out of a slab, on the thread that takes them in. The texts it gives do not hold on to the slab.

import { NO_TEXT, RAW_ROW, type RowForm, SLAB_TEXTS, type Slab } from './slab.ts';
import { ownText, sharedText, type TextCache } from './text-cache.ts';

export interface Unpacker {
  readonly form: RowForm;
  slab: Slab;
  /** Words that rows of every slab share. */
  readonly cache: TextCache;
  /** The texts of this slab that were asked for so far, by number; of those that rows share. */
  readonly texts: (string | null)[];
}

export function createUnpacker(form: RowForm, slab: Slab, cache: TextCache): Unpacker {
  return { form, slab, cache, texts: new Array<string | null>(SLAB_TEXTS).fill(null) };
}

/** What was unpacked before stays as it is. */
export function openTexts(unpacker: Unpacker, slab: Slab): void {
  unpacker.slab = slab;
  unpacker.texts.fill(null);
}

/** A text that its row probably shares with none. */
export function ownTextOf({ slab }: Unpacker, text: number): string {
  const end = slab.ends[text + 1]!;
  return ownText(slab.bytes, slab.ends[text]! >> 1, end >> 1, (end & 1) === 0);
}

export function optionalTextOf(unpacker: Unpacker, text: number): string | null {
  return text === NO_TEXT ? null : ownTextOf(unpacker, text);
}

/** A text that its row shares with neighbours, if with any. */
export function sharedTextOf(unpacker: Unpacker, text: number): string | null {
  if (text === NO_TEXT) return null;
  const known = unpacker.texts[text]!;
  if (known !== null) return known;
  const made = ownTextOf(unpacker, text);
  unpacker.texts[text] = made;
  return made;
}

/** A word of few: the same string in every slab. */
export function wordOf(unpacker: Unpacker, text: number): string {
  const known = unpacker.texts[text]!;
  if (known !== null) return known;
  const { slab } = unpacker;
  const end = slab.ends[text + 1]!;
  const made = sharedText(unpacker.cache, slab, slab.ends[text]! >> 1, end >> 1, (end & 1) === 0);
  unpacker.texts[text] = made;
  return made;
}

/** The bytes of a row that was not packed; null when it was. Good as long as the slab is. */
export function rawRowOf({ slab, form }: Unpacker, row: number): Buffer | null {
  const first = row * form.words;
  if (slab.words[first] !== RAW_ROW) return null;
  const text = slab.words[first + 1]!;
  return slab.bytes.subarray(slab.ends[text]! >> 1, slab.ends[text + 1]! >> 1);
}
