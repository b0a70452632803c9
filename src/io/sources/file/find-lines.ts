// Finds the lines of a file in which a text stands, many times sooner than reading them does. Where a text may be written in more
// than one way it says so, and finds nothing.

import type { OpenFile } from './read-at.ts';
import { readAt } from './read-at.ts';

const READ_SIZE = 1_048_576;
/** More bytes than these are looked for in a way that takes three times as long where they are rare. */
const HEAD = 7;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Any character may be written so. */
const ESCAPE = Buffer.from('\\u');

/** Offsets of the lines, ascending. Null when some text of the file is escaped, so that this one could be. `text` is ASCII. */
export function findLines(file: OpenFile, text: string, readSize = READ_SIZE): readonly number[] | null {
  const wanted = Buffer.from(text);
  const head = wanted.subarray(0, HEAD);
  const bytes = Buffer.alloc(Math.min(readSize + wanted.length, file.size));
  const found: number[] = [];
  let lineStart = startOfLines(file);
  for (let position = 0; position < file.size; ) {
    const end = fill(file, bytes, position);
    const some = bytes.subarray(0, end);
    if (some.includes(ESCAPE)) return null;
    for (let at = some.indexOf(head); at >= 0; at = some.indexOf(head, at + 1)) {
      if (!some.subarray(at, at + wanted.length).equals(wanted)) continue;
      const before = some.subarray(0, at).lastIndexOf(LINE_FEED);
      const start = before < 0 ? lineStart : position + before + 1;
      if (found.at(-1) !== start) found.push(start);
    }
    if (position + end === file.size) return found;
    // What may be the beginning of the text is looked at again.
    const next = end - wanted.length;
    const last = some.subarray(0, next).lastIndexOf(LINE_FEED);
    if (last >= 0) lineStart = position + last + 1;
    position += next;
  }
  return found;
}

function fill(file: OpenFile, bytes: Buffer, position: number): number {
  const length = Math.min(bytes.length, file.size - position);
  let filled = 0;
  while (filled < length) {
    filled += readAt(file, bytes, { start: filled, length: length - filled, position: position + filled });
  }
  return filled;
}

function startOfLines(file: OpenFile): number {
  const first = Buffer.alloc(Math.min(BYTE_ORDER_MARK.length, file.size));
  if (first.length > 0) fill(file, first, 0);
  return first.equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
}
