// Packs rows into a slab, on the thread that reads them. Texts that neighbouring rows share are packed once.

import { hashAscii, MASKS } from '../domain/text-hash.ts';
import type { ByteSpan } from './byte-span.ts';
import { LONGEST_PACKED, type RowForm, SLAB_ROWS, SLAB_TEXTS, type Slab } from './slab.ts';
import { hashEnds, holds } from './text-cache.ts';

export interface Packer {
  readonly form: RowForm;
  slab: Slab;
  /** Rows, texts and bytes of texts in the slab so far. */
  rows: number;
  texts: number;
  used: number;
  /** The text last packed under each hash; −1: none in this slab. */
  readonly recent: Int32Array;
}

const RECENT = 8_192;

export function createPacker(form: RowForm, slab: Slab): Packer {
  const packer: Packer = { form, slab, rows: 0, texts: 0, used: 0, recent: new Int32Array(RECENT) };
  beginSlab(packer, slab);
  return packer;
}

export function beginSlab(packer: Packer, slab: Slab): void {
  Object.assign(packer, { slab, rows: 0, texts: 0, used: 0 });
  packer.recent.fill(-1);
}

/** Whether one more row fits, whose texts take up to `bytes`. An empty slab has room for `LONGEST_PACKED`. */
export function hasRoom({ form, rows, texts, used }: Packer, bytes: number): boolean {
  return rows < SLAB_ROWS && texts + form.words <= SLAB_TEXTS && used + bytes <= LONGEST_PACKED;
}

/** Gives the text's number. */
export function packText(packer: Packer, span: ByteSpan, start: number, end: number): number {
  const { slab, used } = packer;
  const length = end - start;
  // Four bytes at a time, of which the last may belong to what follows.
  if (end + 3 > span.bytes.length) return packBytes(packer, span, start, end);
  let bits = 0;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word = span.view.getInt32(start + at, true);
    bits |= word;
    slab.view.setInt32(used + at, word, true);
  }
  if (at < length) {
    const word = span.view.getInt32(start + at, true);
    bits |= word & MASKS[length - at]!;
    slab.view.setInt32(used + at, word, true);
  }
  return endText(packer, length, (bits & 0x80808080) === 0);
}

function packBytes(packer: Packer, { bytes }: ByteSpan, start: number, end: number): number {
  bytes.copy(packer.slab.bytes, packer.used, start, end);
  let bits = 0;
  for (let at = start; at < end; at += 1) bits |= bytes[at]!;
  return endText(packer, end - start, bits < 0x80);
}

/** The `hashText` of a packed text, or NaN where it is not ASCII alone. */
export function hashPacked({ slab }: Packer, text: number): number {
  const start = slab.ends[text]! >> 1;
  const mark = slab.ends[text + 1]!;
  return (mark & 1) === 0 ? hashAscii(slab.view, start, (mark >> 1) - start) : Number.NaN;
}

/** As `packText`, for a text that has probably been met before. At least four bytes from its start on must be readable. */
export function shareText(packer: Packer, span: ByteSpan, start: number, end: number): number {
  const length = end - start;
  if (length === 0) return packText(packer, span, start, end);
  const { slab, recent } = packer;
  const place = hashEnds(span.view, start, length) & (RECENT - 1);
  const known = recent[place]!;
  if (known >= 0) {
    const from = slab.ends[known]! >> 1;
    const isAsLong = (slab.ends[known + 1]! >> 1) - from === length;
    if (isAsLong && holds(slab.view, from, span.view, start, length)) return known;
  }
  const text = packText(packer, span, start, end);
  recent[place] = text;
  return text;
}

function endText(packer: Packer, length: number, isAscii: boolean): number {
  const text = packer.texts;
  packer.used += length;
  packer.texts = text + 1;
  packer.slab.ends[text + 1] = packer.used * 2 + (isAscii ? 0 : 1);
  return text;
}
