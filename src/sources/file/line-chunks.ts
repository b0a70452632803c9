// Reads a file in chunks of whole lines through one buffer, so that memory does not grow with the file. A line that is too
// long is stepped over: only its beginning is kept.

import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { type OpenFile, readAt } from './read-at.ts';
import { type LineSpan, LONGEST_LINE } from './row-reader.ts';

export type LineChunk =
  | {
      readonly kind: 'lines';
      /** Good until the next chunk is asked for: the buffer is used again. */
      readonly span: LineSpan;
      readonly start: number;
      /** Place in the file of the first byte of the buffer. */
      readonly offset: number;
    }
  | { readonly kind: 'overlong'; readonly beginning: Buffer };

export interface LineRegion {
  readonly name: OpenFile['name'];
  readonly handle: OpenFile['handle'];
  /** Offsets in the file; the last line may lack its line feed. */
  readonly start: number;
  readonly end: number;
  /** Bytes to read at a time. The buffer grows as long as a line asks for it, up to the longest line. */
  readonly chunkSize: number;
}

/** Some two thousand ledger lines, which is one batch. */
const CHUNK_SIZE = 524_288;
export const LINE_FEED = 0x0a;
/** Bytes that are kept of a line that is stepped over. */
export const KEPT_OF_OVERLONG = 8_192;
const GIVE_WAY_EVERY = 4_194_304;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

interface Window {
  bytes: Buffer;
  view: DataView;
  /** Bytes from the start of the buffer that are filled. */
  filled: number;
  /** Place in the file of the first byte of the buffer. */
  offset: number;
}

/** The whole of a file, as it was when it was opened. */
export function wholeOf(file: OpenFile): LineRegion {
  return { name: file.name, handle: file.handle, start: 0, end: file.size, chunkSize: CHUNK_SIZE };
}

export async function* readLineChunks(region: LineRegion): AsyncGenerator<LineChunk> {
  // Thousands of small files are read one after another: each takes the room that it needs.
  const size = Math.min(region.chunkSize, region.end - region.start);
  const window: Window = { ...allocate(size), filled: 0, offset: region.start };
  let start = skipByteOrderMark(region);
  while (await fill(window, region)) {
    const end = window.bytes.subarray(0, window.filled).lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      if (window.filled - start <= LONGEST_LINE) growIfFull(window);
      else {
        yield { kind: 'overlong', beginning: Buffer.from(window.bytes.subarray(start, start + KEPT_OF_OVERLONG)) };
        if (!(await skipToLineFeed(window, region))) return;
        start = 0;
      }
      continue;
    }
    yield linesUpTo(window, start, end);
    window.bytes.copyWithin(0, end, window.filled);
    window.offset += end;
    window.filled -= end;
    start = 0;
  }
  if (window.filled > start) {
    // One byte of the buffer is always kept free for the line feed that a last line may lack.
    window.bytes[window.filled] = LINE_FEED;
    yield linesUpTo(window, start, window.filled + 1);
  }
}

function linesUpTo(window: Window, start: number, end: number): LineChunk {
  const { bytes, view, offset } = window;
  return { kind: 'lines', span: { bytes, view, end, isValid: isUtf8(bytes.subarray(start, end)) }, start, offset };
}

function allocate(size: number): Pick<Window, 'bytes' | 'view'> {
  const memory = new ArrayBuffer(size + 1);
  return { bytes: Buffer.from(memory), view: new DataView(memory) };
}

function growIfFull(window: Window): void {
  if (window.filled < window.bytes.length - 1) return;
  const larger = allocate(Math.min((window.bytes.length - 1) * 2, LONGEST_LINE * 2));
  window.bytes.copy(larger.bytes, 0, 0, window.filled);
  Object.assign(window, larger);
}

/**
 * Fills the rest of the buffer; false when the region has no more bytes. Reads at once, which is several times faster than
 * to wait for each piece, but gives way to whatever else the process has to do every few megabytes.
 */
async function fill(window: Window, region: LineRegion): Promise<boolean> {
  const position = window.offset + window.filled;
  const room = Math.min(window.bytes.length - 1 - window.filled, region.end - position);
  if (room <= 0) return false;
  if (Math.floor(position / GIVE_WAY_EVERY) !== Math.floor((position + room) / GIVE_WAY_EVERY)) await setImmediate();
  window.filled += readAt(region, window.bytes, { start: window.filled, length: room, position });
  return true;
}

/** Throws the line away up to its line feed; false when it is the last one. What follows it stays in the buffer. */
async function skipToLineFeed(window: Window, region: LineRegion): Promise<boolean> {
  for (;;) {
    window.offset += window.filled;
    window.filled = 0;
    if (!(await fill(window, region))) return false;
    const lineFeed = window.bytes.subarray(0, window.filled).indexOf(LINE_FEED);
    if (lineFeed < 0) continue;
    window.bytes.copyWithin(0, lineFeed + 1, window.filled);
    window.offset += lineFeed + 1;
    window.filled -= lineFeed + 1;
    return true;
  }
}

/** Length of the mark at the very start of the file, 0 where there is none. */
function skipByteOrderMark(region: LineRegion): number {
  if (region.start > 0 || region.end < BYTE_ORDER_MARK.length) return 0;
  const bytes = Buffer.alloc(BYTE_ORDER_MARK.length);
  readAt(region, bytes, { start: 0, length: bytes.length, position: 0 });
  return bytes.equals(BYTE_ORDER_MARK) ? bytes.length : 0;
}
