// Rows of COPY's binary format, found in the bytes as they arrive: where each field begins and how long it is. It reads
// no value. A stream that stops short of its trailer is refused.

import { SourceFailed } from '../source.ts';

/** The fields of one row; valid until the next row is found. */
export interface RowSlots {
  bytes: Buffer;
  readonly starts: Int32Array;
  /** −1 for null. */
  readonly lengths: Int32Array;
}

export interface RowParser {
  /** Calls `take` for each row that is whole by now. */
  feed(chunk: Buffer, take: (slots: RowSlots) => void): void;
  /** Throws when the last row has not been seen. */
  finish(): void;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const TRAILER = -1;

export function createRowParser(fieldCount: number): RowParser {
  const slots: RowSlots = {
    bytes: Buffer.alloc(0),
    starts: new Int32Array(fieldCount),
    lengths: new Int32Array(fieldCount),
  };
  let rest: Buffer | null = null;
  let isHeaderRead = false;
  let isOver = false;
  return {
    feed(chunk, take) {
      const bytes: Buffer = rest === null ? chunk : Buffer.concat([rest, chunk]);
      slots.bytes = bytes;
      let at = 0;
      if (!isHeaderRead) {
        at = endOfHeader(bytes);
        isHeaderRead = at > 0;
      }
      while (isHeaderRead && !isOver) {
        if (bytes.length - at >= 2 && bytes.readInt16BE(at) === TRAILER) isOver = true;
        const end = isOver ? at + 2 : findRow(slots, at);
        if (end < 0) break;
        if (!isOver) take(slots);
        at = end;
      }
      rest = at < bytes.length && !isOver ? bytes.subarray(at) : null;
    },
    finish() {
      if (!isOver) throw new SourceFailed('UNREACHABLE', 'PostgreSQL stopped in the middle of the rows: run again.');
    },
  };
}

/** The position after the header, or 0 while it is not whole. */
function endOfHeader(bytes: Buffer): number {
  if (bytes.length < SIGNATURE.length + 8) return 0;
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    throw new SourceFailed('UNREADABLE_ANSWER', 'The rows of PostgreSQL are not in the binary form of COPY.');
  }
  const end = SIGNATURE.length + 8 + bytes.readInt32BE(SIGNATURE.length + 4);
  return bytes.length < end ? 0 : end;
}

/** Fills the slots with the row at `at` and gives the position after it, or −1 while it is not whole. */
function findRow(slots: RowSlots, at: number): number {
  const { bytes, starts, lengths } = slots;
  const limit = bytes.length;
  if (limit - at < 2) return -1;
  const count = bytes.readInt16BE(at);
  if (count !== starts.length) {
    throw new SourceFailed(
      'UNREADABLE_ANSWER',
      `PostgreSQL gave ${count} fields where ${starts.length} were asked for.`,
    );
  }
  let position = at + 2;
  for (let field = 0; field < count; field += 1) {
    if (limit - position < 4) return -1;
    const length = bytes.readInt32BE(position);
    position += 4;
    starts[field] = position;
    lengths[field] = length;
    if (length > 0) position += length;
    if (position > limit) return -1;
  }
  return position;
}
