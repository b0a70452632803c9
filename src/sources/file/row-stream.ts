// Streams the rows of one file in the order of its lines, and names every line that is not a row by its number.

import type { RejectedRow } from '../../domain/snapshot.ts';
import { openRows, PIECE, rawRowOf, type Unpacker } from '../../packed/unpack.ts';
import { rejectRow } from '../decode/reject-row.ts';
import type { BookFile } from './book-file.ts';
import { type LineChunk, readLineChunks, wholeOf } from './line-chunks.ts';
import type { ScannedChunk } from './line-scanner.ts';
import type { PackedPlan } from './row-plan.ts';
import { type LineSpan, type RowReader, readRow, TOO_LONG } from './row-reader.ts';
import type { Scanned } from './scan-messages.ts';

/** Where a row stands: its bytes in the buffer, line feed included, and its place in the file. Overwritten by the next. */
export interface RowPlace {
  readonly span: LineSpan;
  at: number;
  next: number;
  offset: number;
}

/** Called for each row in the order of the lines; gives null, or the reason to reject the row after all. */
export type TakeRow<Row> = (row: Row, place: RowPlace) => string | null;

interface RowStream<Row> {
  readonly file: BookFile;
  readonly reader: RowReader<Row>;
  readonly take: TakeRow<Row>;
}

/** Reads `file` to its end; yields after each piece the rows rejected in it. */
export async function* streamRows<Row>(stream: RowStream<Row>): AsyncGenerator<readonly RejectedRow[]> {
  const work = beginWork(stream);
  for await (const chunk of readLineChunks(wholeOf(stream.file))) {
    if (chunk.kind === 'overlong') yield [rejectOverlong(work, chunk.beginning)];
    else yield* takeLines(work, chunk);
  }
  yield rejectCutOff(work);
}

interface ScannedStream<Row> {
  readonly file: BookFile;
  /** Reads the rows that could not be packed. */
  readonly reader: RowReader<Row>;
  readonly packed: PackedPlan<Row>;
  /** `idHash` as a batch has it. */
  readonly take: (row: Row, idHash: number) => void;
}

/** As `streamRows`, of rows that were scanned. */
export async function* streamScannedRows<Row>(
  stream: ScannedStream<Row>,
  chunks: AsyncIterable<ScannedChunk>,
  onEnd: (scanned: Scanned) => void,
): AsyncGenerator<readonly RejectedRow[]> {
  const work = beginWork(stream);
  const unpacker = stream.packed.createUnpacker();
  for await (const chunk of chunks) {
    if (chunk.kind === 'note') yield [rejectOverlong(work, chunk.note.beginning)];
    else if (chunk.kind === 'rows') {
      openRows(unpacker, chunk.slab, chunk.rows);
      for (let row = 0; row < chunk.rows; row += PIECE) {
        takePacked(work, unpacker, row);
        yield work.rejected;
        work.rejected = [];
      }
    } else {
      onEnd(chunk.result);
      yield [];
    }
  }
  yield rejectCutOff(work);
}

interface Work {
  readonly file: BookFile;
  readonly reader: RowReader<unknown>;
  /** Number of the line at hand. */
  line: number;
  rejected: RejectedRow[];
}

function beginWork<Stream extends Pick<Work, 'file' | 'reader'>>(stream: Stream): Stream & Work {
  return { ...stream, line: 1, rejected: [] };
}

function takePacked<Row>(work: Work & ScannedStream<Row>, unpacker: Unpacker, from: number): void {
  const { reader, packed, take } = work;
  const to = Math.min(from + PIECE, unpacker.rows);
  for (let row = from; row < to; row += 1) {
    const raw = rawRowOf(unpacker, row);
    if (raw === null) take(packed.unpack(unpacker, row), packed.idHashOf?.(unpacker, row) ?? Number.NaN);
    else {
      readAlone(reader, raw);
      if (reader.found === 'row') take(reader.row!, Number.NaN);
      else if (reader.found === 'fault') reject(work, Buffer.from(raw.subarray(0, -1)), reader.reason);
    }
    work.line += 1;
  }
}

/** `line` ends with its line feed. The memory that it stands in is shared, which not every decoder of texts allows. */
function readAlone<Row>(reader: RowReader<Row>, line: Uint8Array): void {
  const memory = new ArrayBuffer(line.length);
  const bytes = Buffer.from(memory);
  bytes.set(line);
  readRow(reader, { bytes, view: new DataView(memory), end: line.length, isValid: false }, 0);
}

/** Takes the lines of a chunk, piece by piece, and yields what was rejected in each. */
function* takeLines<Row>(
  work: Work & RowStream<Row>,
  { span, start, offset }: Extract<LineChunk, { readonly kind: 'lines' }>,
): Generator<readonly RejectedRow[]> {
  const { reader, take } = work;
  const place: RowPlace = { span, offset, at: start, next: start };
  while (place.at < span.end) {
    for (let taken = 0; taken < PIECE && place.at < span.end; taken += 1) {
      place.next = readRow(reader, span, place.at);
      place.offset = offset + place.at;
      const { found } = reader;
      const reason = found === 'row' ? take(reader.row!, place) : found === 'fault' ? reader.reason : null;
      if (reason !== null) reject(work, Buffer.from(span.bytes.subarray(place.at, place.next - 1)), reason);
      work.line += 1;
      place.at = place.next;
    }
    yield work.rejected;
    work.rejected = [];
  }
}

function reject({ file, reader, line, rejected }: Work, raw: Uint8Array, reason: string): void {
  // Of a sound row that is refused after all, the reader may still have the value of an earlier line.
  const value = reader.found === 'fault' ? reader.value : undefined;
  rejected.push(rejectRow({ part: reader.plan.part, place: `${file.name}:${line}`, reason, raw, value }));
}

function rejectOverlong(work: Work, beginning: Uint8Array): RejectedRow {
  const { file, reader, line } = work;
  work.line += 1;
  return rejectRow({ part: reader.plan.part, place: `${file.name}:${line}`, reason: TOO_LONG, raw: beginning });
}

function rejectCutOff({ file, reader, line }: Work): readonly RejectedRow[] {
  if (file.cutOff === null) return [];
  return [rejectRow({ part: reader.plan.part, place: `${file.name}:${line}`, reason: file.cutOff, raw: '' })];
}
