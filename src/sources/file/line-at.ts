// Reads the one row that stands at a known offset of a file.

import { type OpenFile, readAt } from './read-at.ts';
import { LONGEST_LINE, type RowReader, readRow } from './row-reader.ts';

const FIRST_READ = 2_048;

/** The row, or null when the line at `offset` is not one. Synchronous, for it is asked in the middle of a chunk. */
export function readRowAt<Row>(file: OpenFile, reader: RowReader<Row>, offset: number): Row | null {
  for (let size = FIRST_READ; ; size *= 4) {
    const memory = new ArrayBuffer(size + 1);
    const bytes = Buffer.from(memory);
    const length = Math.min(size, file.size - offset);
    const filled = readAt(file, bytes, { start: 0, length, position: offset });
    const lineFeed = bytes.subarray(0, filled).indexOf(0x0a);
    const isWhole = lineFeed >= 0 || offset + filled >= file.size;
    if (!isWhole && filled > LONGEST_LINE) return null;
    if (!isWhole) continue;
    const end = lineFeed >= 0 ? lineFeed : filled;
    bytes[end] = 0x0a;
    readRow(reader, { bytes, view: new DataView(memory), end: end + 1, isValid: false }, 0);
    return reader.found === 'row' ? reader.row : null;
  }
}
