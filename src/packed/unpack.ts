// Unpacks rows out of a slab, on the thread that takes them in. The texts it gives do not hold on to the slab.

import { NO_TEXT, type RowForm, SLAB_TEXTS, type Slab } from './slab.ts';
import { ownText, sharedText, type TextCache } from './text-cache.ts';

export interface Unpacker {
  readonly form: RowForm;
  /** Words that rows of every slab share. */
  readonly words: TextCache;
  /** Null until one is opened; it has so many rows. */
  slab: Slab | null;
  rows: number;
  /** The texts of this slab that were asked for so far, by number; of those that rows share. */
  readonly texts: (string | null)[];
  /** The bytes from `from` to `to` as one string, every byte a character: texts are cut out of it. */
  joint: string;
  from: number;
  to: number;
  /** The first row that is not in it. */
  joinedUntil: number;
}

/** Rows taken before they are handed on: so few that they are still young when they have been judged. */
export const PIECE = 128;

/**
 * To make a string of bytes costs ten times as much as to cut one out of another. But a text that was cut out keeps alive
 * what it was cut out of, so those of a few rows are made together, and no more than some thousand bytes.
 */
const JOINT_ROWS = 16;
const LONGEST_JOINT = 8_192;

export function createUnpacker(form: RowForm, words: TextCache): Unpacker {
  const texts = new Array<string | null>(SLAB_TEXTS).fill(null);
  return { form, words, slab: null, rows: 0, texts, joint: '', from: 0, to: 0, joinedUntil: 0 };
}

/** What was unpacked before stays as it is. */
export function openRows(unpacker: Unpacker, slab: Slab, rows: number): void {
  Object.assign(unpacker, { slab, rows, joint: '', from: 0, to: 0, joinedUntil: 0 });
  unpacker.texts.fill(null);
}

/** Makes the texts of this row and the next few, unless they are made; those of the last rows are made one by one. */
export function joinTexts(unpacker: Unpacker, row: number): void {
  if (row < unpacker.joinedUntil) return;
  const next = row + JOINT_ROWS;
  const from = startOfRow(unpacker, row);
  const to = next < unpacker.rows ? startOfRow(unpacker, next) : from;
  unpacker.from = from;
  unpacker.to = to - from <= LONGEST_JOINT ? to : from;
  unpacker.joint = ownText(unpacker.slab!.bytes, from, unpacker.to, true);
  unpacker.joinedUntil = next;
}

/** The first text of a row is new with it. */
function startOfRow({ slab, form }: Unpacker, row: number): number {
  const { words, ends } = slab!;
  const first = words[row * form.words]!;
  return ends[first]! >> 1;
}

/**
 * The same number, small where it is: whatever comes out of a table of doubles is one, and a field that has once been
 * given a double takes an object for each number that follows.
 */
export function smallOf(number: number): number {
  const small = number | 0;
  return small === number ? small : number;
}

/** A text that its row probably shares with none. */
export function ownTextOf(unpacker: Unpacker, text: number): string {
  const { joint, from, to } = unpacker;
  const { ends } = unpacker.slab!;
  const start = ends[text]! >> 1;
  const mark = ends[text + 1]!;
  const end = mark >> 1;
  const isJoined = (mark & 1) === 0 && start >= from && end <= to;
  return isJoined ? joint.substring(start - from, end - from) : madeAlone(unpacker, text);
}

export function optionalTextOf(unpacker: Unpacker, text: number): string | null {
  return text === NO_TEXT ? null : ownTextOf(unpacker, text);
}

/** A text that its row shares with neighbours, if with any. */
export function sharedTextOf(unpacker: Unpacker, text: number): string | null {
  if (text === NO_TEXT) return null;
  return unpacker.texts[text] ?? keep(unpacker, text, ownTextOf(unpacker, text));
}

/**
 * The reference of an operation, made by itself: it is looked up and compared, and to compare what was cut out of a longer
 * text takes longer than to make it.
 */
export function referenceOf(unpacker: Unpacker, text: number): string {
  return unpacker.texts[text] ?? keep(unpacker, text, madeAlone(unpacker, text));
}

/** A word of few: the same string in every slab. */
export function wordOf(unpacker: Unpacker, text: number): string {
  const known = unpacker.texts[text]!;
  if (known !== null) return known;
  const slab = unpacker.slab!;
  const mark = slab.ends[text + 1]!;
  const made = sharedText(unpacker.words, slab, slab.ends[text]! >> 1, mark >> 1, (mark & 1) === 0);
  return keep(unpacker, text, made);
}

function madeAlone({ slab }: Unpacker, text: number): string {
  const { bytes, ends } = slab!;
  const mark = ends[text + 1]!;
  return ownText(bytes, ends[text]! >> 1, mark >> 1, (mark & 1) === 0);
}

function keep({ texts }: Unpacker, text: number, made: string): string {
  texts[text] = made;
  return made;
}
