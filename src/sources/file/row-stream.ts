// Streams the rows of one file in the order of its lines, and names every line that is not a row by its number.

import type { RejectedRow } from '../../domain/reading.ts';
import { rejectRow } from '../decode/reject-row.ts';
import type { BookFile } from './book-file.ts';
import { type LineChunk, readLineChunks, regionOf } from './line-chunks.ts';
import { type LineSpan, type RowReader, readRow, TOO_LONG } from './row-reader.ts';

/** Where a row stands: its bytes in the buffer, line feed included, and its place in the file. Overwritten by the next. */
export interface RowPlace {
  readonly span: LineSpan;
  at: number;
  next: number;
  offset: number;
}

/** Called for each row in the order of the lines; gives null, or the reason to reject the row after all. */
export type TakeRow<Row> = (row: Row, place: RowPlace) => string | null;

/** Reads `file` to its end; yields after each chunk the rows rejected in it. */
export async function* streamRows<Row>(
  file: BookFile,
  reader: RowReader<Row>,
  take: TakeRow<Row>,
): AsyncGenerator<readonly RejectedRow[]> {
  let line = 1;
  for await (const chunk of readLineChunks(regionOf(file))) {
    const rejected: RejectedRow[] = [];
    line = takeChunk({ file, reader, take, chunk, line, rejected });
    yield rejected;
  }
  if (file.cutOff !== null) {
    const place = `${file.name}:${line}`;
    yield [rejectRow({ part: reader.plan.part, place, reason: file.cutOff, raw: '' })];
  }
}

interface ChunkWork<Row> {
  readonly file: BookFile;
  readonly reader: RowReader<Row>;
  readonly take: TakeRow<Row>;
  readonly chunk: LineChunk;
  readonly line: number;
  readonly rejected: RejectedRow[];
}

/** Returns the number of the line after the chunk. */
function takeChunk<Row>(work: ChunkWork<Row>): number {
  const { file, reader, take, chunk, rejected } = work;
  const { part } = reader.plan;
  let { line } = work;
  if (chunk.kind === 'overlong') {
    rejected.push(rejectRow({ part, place: `${file.name}:${line}`, reason: TOO_LONG, raw: chunk.beginning }));
    return line + 1;
  }
  const { span, offset } = chunk;
  const place: RowPlace = { span, at: chunk.start, next: chunk.start, offset };
  while (place.at < span.end) {
    place.next = readRow(reader, span, place.at);
    place.offset = offset + place.at;
    const reason = reader.found === 'row' ? take(reader.row!, place) : reader.found === 'fault' ? reader.reason : null;
    if (reason !== null) {
      const raw = span.bytes.subarray(place.at, place.next - 1);
      rejected.push(rejectRow({ part, place: `${file.name}:${line}`, reason, raw, value: reader.value }));
    }
    line += 1;
    place.at = place.next;
  }
  return line;
}
