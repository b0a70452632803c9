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
  /** The bytes from `from` to `to` as one string, every byte a character: texts are cut out of it. */
  joint: string;
  from: number;
  to: number;
}

/**
 * To make a string of bytes costs ten times as much as to cut one out of another. But a text that was cut out keeps alive
 * what it was cut out of, so those of a few rows are made together, and no more than about a thousand bytes.
 */
const JOINT_ROWS = 16;
const LONGEST_JOINT = 8_192;

export function createUnpacker(form: RowForm, slab: Slab, cache: TextCache): Unpacker {
  return { form, slab, cache, texts: new Array<string | null>(SLAB_TEXTS).fill(null), joint: '', from: 0, to: 0 };
}

/** What was unpacked before stays as it is. */
export function openTexts(unpacker: Unpacker, slab: Slab): void {
  Object.assign(unpacker, { slab, joint: '', from: 0, to: 0 });
  unpacker.texts.fill(null);
}

/** To be called before each row is unpacked, in their order; `rows` are all that the slab has. */
export function joinTexts(unpacker: Unpacker, row: number, rows: number): void {
  if (row % JOINT_ROWS !== 0) return;
  const { slab } = unpacker;
  const next = row + JOINT_ROWS;
  const from = startOfRow(unpacker, row);
  const to = next < rows ? startOfRow(unpacker, next) : from;
  const length = to - from;
  unpacker.from = from;
  unpacker.to = length > 0 && length <= LONGEST_JOINT ? to : from;
  unpacker.joint = ownText(slab.bytes, from, unpacker.to, true);
}

/** The first text of a row is new with it. */
function startOfRow({ slab, form }: Unpacker, row: number): number {
  const first = slab.words[row * form.words]!;
  return slab.ends[first === RAW_ROW ? slab.words[row * form.words + 1]! : first]! >> 1;
}

/** A text that its row probably shares with none. */
export function ownTextOf({ slab, joint, from, to }: Unpacker, text: number): string {
  const start = slab.ends[text]! >> 1;
  const mark = slab.ends[text + 1]!;
  const end = mark >> 1;
  const isAscii = (mark & 1) === 0;
  if (isAscii && start >= from && end <= to) return joint.substring(start - from, end - from);
  return ownText(slab.bytes, start, end, isAscii);
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

/**
 * The reference of an operation, made by itself: it is looked up and compared, and to compare what was cut out of a longer
 * text takes longer than to make it.
 */
export function referenceOf(unpacker: Unpacker, text: number): string {
  const known = unpacker.texts[text]!;
  if (known !== null) return known;
  const { slab } = unpacker;
  const end = slab.ends[text + 1]!;
  const made = ownText(slab.bytes, slab.ends[text]! >> 1, end >> 1, (end & 1) === 0);
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
