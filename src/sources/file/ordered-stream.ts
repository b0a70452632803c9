// Delivers the rows of a file in ascending key. A file is taken to be in order and to repeat nothing until a row proves
// otherwise; then a first pass over the keys decides which rows are delivered, and they are sorted through a temporary file.

import { type Batch, OutOfOrder } from '../../domain/snapshot.ts';
import { SourceFailed } from '../source.ts';
import type { BookFile } from './book-file.ts';
import { isWorthScanning, type LineScanner, scanLines } from './line-scanner.ts';
import { mergeRuns } from './merge-runs.ts';
import type { OperationIndex } from './operation-index.ts';
import type { PackedPlan, RowPlan } from './row-plan.ts';
import { createRowReader, type RowReader } from './row-reader.ts';
import { type RowPlace, streamRows, streamScannedRows, type TakeRow } from './row-stream.ts';
import { collectRow, createRunWriter, finishRuns, RUN_SIZE, type SortedRuns, writeRunIfFull } from './sorted-runs.ts';

/** What the first pass found out. */
export interface FirstPass {
  readonly isInOrder: boolean;
  /** For the row at this offset: true to deliver it, false to pass over it, a reason to reject it. Offsets ascend. */
  readonly createFilter: () => (offset: number) => boolean | string;
}

/** Follows a pass that delivers rows on trust. */
export interface TrustingPass<Row> {
  /** False when the row just read is out of order, or may be a repetition: nothing delivered so far counts. */
  readonly accept: (reader: RowReader<Row>, row: Row, place: RowPlace) => boolean;
  /** As `accept`, for a row that was scanned: the scan has looked at whatever a row alone does not show. */
  readonly acceptScanned: (row: Row) => boolean;
  /**
   * Called after the last row was accepted, with the index of the scan if there was one. Null: looked at together, the rows
   * are out of order or repeat themselves, and nothing delivered counts.
   */
  readonly finish: (index: OperationIndex | null) => FirstPass | null;
}

export interface OrderedStream<Row> {
  readonly file: BookFile;
  readonly plan: RowPlan<Row>;
  readonly keyOf: (row: Row) => number;
  /** Null where files are scanned on this thread. */
  readonly scanner: LineScanner | null;
  readonly passTrusting: () => TrustingPass<Row>;
  readonly passFirst: () => Promise<FirstPass>;
  /** A row has shown that the file cannot be streamed on trust. */
  isDoubtful: boolean;
  /** Null until one pass over the file has ended. */
  firstPass: FirstPass | null;
  /** The sorted copy, once it is complete. */
  sorted: SortedRuns | null;
}

export async function closeOrderedStream<Row>(stream: OrderedStream<Row>): Promise<void> {
  await stream.sorted?.handle?.close();
  await stream.file.handle.close();
}

/**
 * From the first row, each time it is called. Rejected lines come with the pass that reads the file itself. Throws
 * `OutOfOrder` once at most, while no pass has ended.
 */
export async function* streamInOrder<Row>(stream: OrderedStream<Row>): AsyncGenerator<Batch<Row>> {
  if (stream.firstPass === null && !stream.isDoubtful) {
    yield* streamTrusting(stream);
    return;
  }
  stream.firstPass ??= await stream.passFirst();
  if (stream.firstPass.isInOrder) {
    yield* streamAsItStands(stream, stream.firstPass);
    return;
  }
  if (stream.sorted === null) yield* sortRows(stream, stream.firstPass);
  const reader = createRowReader(stream.plan);
  for await (const rows of mergeRuns(stream.sorted!, reader, stream.keyOf)) yield { rows, rejected: [] };
}

async function* streamTrusting<Row>(stream: OrderedStream<Row>): AsyncGenerator<Batch<Row>> {
  const { file, plan, scanner } = stream;
  if (scanner !== null && plan.packed !== null && isWorthScanning(file)) {
    yield* streamScanned(stream, { scanner, packed: plan.packed });
    return;
  }
  const pass = stream.passTrusting();
  const reader = createRowReader(plan);
  let rows: Row[] = [];
  const take: TakeRow<Row> = (row, place) => {
    if (!pass.accept(reader, row, place)) stream.isDoubtful = true;
    rows.push(row);
    return null;
  };
  for await (const rejected of streamRows({ file, reader, take })) {
    if (stream.isDoubtful) throw outOfOrder(file);
    if (rows.length > 0 || rejected.length > 0) yield { rows, rejected };
    rows = [];
  }
  endTrusting(stream, pass.finish(null));
}

function endTrusting<Row>(stream: OrderedStream<Row>, first: FirstPass | null): void {
  if (first === null) stream.isDoubtful = true;
  if (stream.isDoubtful) throw outOfOrder(stream.file);
  stream.firstPass ??= first;
}

/** As `streamTrusting`, of rows that a second thread packs. */
async function* streamScanned<Row>(
  stream: OrderedStream<Row>,
  { scanner, packed }: { readonly scanner: LineScanner; readonly packed: PackedPlan<Row> },
): AsyncGenerator<Batch<Row>> {
  const { file, plan } = stream;
  const pass = stream.passTrusting();
  let rows: Row[] = [];
  let idHashes: number[] = [];
  let index: OperationIndex | null = null;
  const take = (row: Row, idHash: number): void => {
    if (!pass.acceptScanned(row)) stream.isDoubtful = true;
    rows.push(row);
    idHashes.push(idHash);
  };
  const scanned = { file, reader: createRowReader(plan), packed, take };
  const batches = streamScannedRows(scanned, scanLines(scanner, file, plan), (end) => {
    if (end.isDoubtful) stream.isDoubtful = true;
    index = end.index;
  });
  for await (const rejected of batches) {
    if (stream.isDoubtful) throw outOfOrder(file);
    if (rows.length > 0 || rejected.length > 0) yield { rows, rejected, idHashes };
    rows = [];
    idHashes = [];
  }
  endTrusting(stream, pass.finish(index));
}

function outOfOrder(file: BookFile): OutOfOrder {
  return new OutOfOrder(`${file.name} is not in order, or repeats itself`);
}

async function* streamAsItStands<Row>(stream: OrderedStream<Row>, first: FirstPass): AsyncGenerator<Batch<Row>> {
  const { file, keyOf } = stream;
  let rows: Row[] = [];
  let highest = Number.NEGATIVE_INFINITY;
  const take = filtered<Row>(first, (row) => {
    const key = keyOf(row);
    if (key < highest) {
      throw new SourceFailed('CHANGED_WHILE_READ', `${file.name} was changed while it was being read`);
    }
    highest = key;
    rows.push(row);
  });
  for await (const rejected of streamRows({ file, reader: createRowReader(stream.plan), take })) {
    if (rows.length > 0 || rejected.length > 0) yield { rows, rejected };
    rows = [];
  }
}

/** Leaves the sorted copy in `stream`; yields only the rejected lines that it meets on the way. */
async function* sortRows<Row>(stream: OrderedStream<Row>, first: FirstPass): AsyncGenerator<Batch<Row>> {
  const writer = createRunWriter(RUN_SIZE, stream.file.size);
  const take = filtered<Row>(first, (row, place) => collectRow(writer, place, stream.keyOf(row)));
  try {
    for await (const rejected of streamRows({ file: stream.file, reader: createRowReader(stream.plan), take })) {
      if (rejected.length > 0) yield { rows: [], rejected };
      await writeRunIfFull(writer);
    }
    const sorted = await finishRuns(writer);
    stream.sorted ??= sorted;
  } finally {
    // Not the copy that was kept: the caller stopped early, the disk is full, or another call was quicker.
    if (stream.sorted?.handle !== writer.handle) await writer.handle?.close();
  }
}

function filtered<Row>(first: FirstPass, keep: (row: Row, place: RowPlace) => void): TakeRow<Row> {
  const filter = first.createFilter();
  return (row, place) => {
    const verdict = filter(place.offset);
    if (verdict === true) keep(row, place);
    return typeof verdict === 'string' ? verdict : null;
  };
}
