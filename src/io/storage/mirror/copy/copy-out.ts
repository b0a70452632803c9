// Streams the rows of a COPY … TO STDOUT (binary format) straight from the connection's buffers, a batch at a time.
// pg-copy-streams would join every row into new buffers first, which costs a third more for each row. Refuses to run far
// ahead of its reader: the socket is paused while about a megabyte waits. Its SQL is text: Kysely knows no COPY.

import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { invariant } from '../../../../core/domain/invariant.ts';
import {
  allocateBatch,
  type ColumnBatch,
  clearBatch,
  hasRoom,
  openBatch,
  sizeOf,
} from '../../../../core/rows/column-batch.ts';
import { type CopyRows, createCopyRows, feedRows, nextRow } from '../../../../core/rows/copy-binary/copy-rows.ts';
import { type CopyReader, enterPlaced, ROOM_FOR_ROWS } from '../../../../core/rows/copy-binary/enter-copied.ts';
import type { RowTable } from '../../../../core/rows/row-table.ts';
import { forgetOwnWords } from '../../../../core/rows/word-codes.ts';

/**
 * While a batch is being worked on nothing is received, and the server goes on only until the socket is full: large
 * batches make the two wait for each other, and their rows grow old before they have been judged.
 */
const FEW_ROWS = 256;
/** Received bytes waiting for their reader before the socket is paused. */
const BYTES_AHEAD = 1 << 20;

// Message types of the protocol, "Message Formats" in PostgreSQL's manual.
const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
const COPY_OUT_RESPONSE = 0x48;
const ERROR_RESPONSE = 0x45;
const HEADER = 5;

export interface Filling<Row> {
  /** An empty batch to fill; null when no more are wanted. */
  readonly next: () => Promise<ColumnBatch<Row> | null>;
  /** Rows given together at most: few at first, so that nobody waits long for the first of them. */
  readonly mostRows: number;
}

/**
 * Batches of rows in the query's order. `query` gives the columns of the reader's table. The client is busy until the last
 * batch has been taken; when the reader stops before that, the connection is destroyed, for nothing else can follow on it.
 */
export async function* copyOut<Row>(
  client: pg.ClientBase,
  query: string,
  reader: CopyReader<Row>,
  { next, mostRows }: Filling<Row> = fillAgain(reader.table),
): AsyncGenerator<ColumnBatch<Row>> {
  let batch: ColumnBatch<Row> | null = null;
  let most = FEW_ROWS;
  for await (const rows of copySlots(client, query, reader.table.fields.length)) {
    let placed: Placed | null = null;
    while (nextRow(rows)) {
      if (batch !== null) placed ??= place(batch, rows);
      if (batch !== null && (batch.rows >= most || !hasRoom(batch, 0) || rows.at > placed!.until)) {
        most = Math.min(2 * most, mostRows);
        yield batch;
        batch = null;
      }
      if (batch === null) {
        batch = await next();
        if (batch === null) return;
        forgetOwnWords(reader.codes);
        placed = place(batch, rows);
      }
      const isEntered = rows.at <= placed!.until && enterPlaced(reader, batch, rows.slots, placed!);
      invariant(isEntered, 'the mirror holds what the strict decoder accepts');
    }
  }
  if (batch !== null) yield batch;
}

/** Where bytes that came stand in a batch. */
interface Placed {
  readonly first: 0;
  readonly shift: number;
  /** Offset in what came behind the last byte that the batch had room for. */
  readonly until: number;
}

/** Copies what came, from the row found last on, in one go: to copy row by row takes longer than to read them. */
function place(batch: ColumnBatch<unknown>, { slots: { bytes, starts } }: CopyRows): Placed {
  const from = starts[0]!;
  const length = Math.min(bytes.length - from, sizeOf(batch) - batch.used);
  bytes.copy(batch.bytes, batch.used, from, from + length);
  const shift = batch.used - from;
  batch.used += length;
  return { first: 0, shift, until: from + length };
}

/** One batch, filled again whenever the next is asked for: what was seen of it before is gone. */
function fillAgain<Row>(table: RowTable<Row>): Filling<Row> {
  const batch = openBatch(table, allocateBatch(table, ROOM_FOR_ROWS));
  const next = async () => {
    clearBatch(batch);
    return batch;
  };
  return { next, mostRows: FEW_ROWS };
}

/** As `copyOut`, of the rows as they arrived: those that `nextRow` finds are to be read before more is asked for. */
export async function* copySlots(client: pg.ClientBase, query: string, fields: number): AsyncGenerator<CopyRows> {
  const rows = createCopyRows(fields, HEADER);
  for await (const chunk of copyChunks(client, `copy (${query}) to stdout (format binary)`)) {
    feedRows(rows, chunk);
    yield rows;
    // Lets the event loop take in what has arrived meanwhile.
    await nextTurn();
  }
}

/** Whole messages of rows, as they arrived. */
async function* copyChunks(client: pg.ClientBase, sql: string): AsyncGenerator<Buffer> {
  const reply = new Reply(sql);
  client.query(reply);
  let finished = false;
  try {
    for (let chunk = await reply.next(); chunk !== null; chunk = await reply.next()) yield chunk;
    finished = true;
  } finally {
    if (!finished) reply.abandon();
  }
}

function lengthAt(chunk: Buffer, at: number): number {
  return (chunk[at + 1]! << 24) | (chunk[at + 2]! << 16) | (chunk[at + 3]! << 8) | chunk[at + 4]!;
}

interface Connection {
  readonly stream: Socket;
  query(text: string): void;
}

/** A query as pg's client runs it (`submit`, `handle…`), which takes the socket over while rows are arriving. */
class Reply {
  readonly text: string;
  #connection: Connection | null = null;
  #handBack: ((chunk: Buffer) => void) | null = null;
  #rest: Buffer | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #receive = (chunk: Buffer): void => this.#take(chunk);

  constructor(text: string) {
    this.text = text;
  }

  /** The next chunk of whole row messages; null at the end. Rejects with the server's or the connection's error. */
  async next(): Promise<Buffer | null> {
    while (this.#chunks.length === 0) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const chunk = this.#chunks.shift()!;
    this.#bytes -= chunk.length;
    if (this.#bytes < BYTES_AHEAD && this.#handBack !== null) this.#connection?.stream.resume();
    return chunk;
  }

  abandon(): void {
    this.#connection?.stream.destroy();
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    const listeners = connection.stream.listeners('data');
    invariant(listeners.length === 1, 'a connection has one reader');
    this.#handBack = listeners[0] as (chunk: Buffer) => void;
    connection.stream.removeListener('data', this.#handBack);
    connection.stream.on('data', this.#receive);
    connection.query(this.text);
  }

  handleError(error: Error): void {
    this.#failure = error;
    this.#signal();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#ended = true;
    this.#signal();
  }

  #signal(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  /** Keeps the run of row messages at the head of what was received; gives the first other message back to pg. */
  #take(received: Buffer): void {
    const chunk = this.#rest === null ? received : Buffer.concat([this.#rest, received]);
    this.#rest = null;
    let start = 0;
    let at = 0;
    while (at + HEADER <= chunk.length) {
      const type = chunk[at]!;
      const end = at + 1 + lengthAt(chunk, at);
      if (type === COPY_DONE || type === ERROR_RESPONSE) {
        this.#release(chunk, { start, at });
        return;
      }
      if (end > chunk.length) break;
      if (type !== COPY_DATA) {
        // CopyOutResponse, or a notice or parameter status that may arrive between rows.
        invariant(type === COPY_OUT_RESPONSE || type === 0x4e || type === 0x53, 'a COPY sends rows');
        this.#keep(chunk, start, at);
        start = end;
      }
      at = end;
    }
    this.#keep(chunk, start, at);
    if (at < chunk.length) this.#rest = chunk.subarray(at);
    if (this.#bytes >= BYTES_AHEAD) this.#connection!.stream.pause();
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    if (end === start) return;
    this.#chunks.push(chunk.subarray(start, end));
    this.#bytes += end - start;
    this.#signal();
  }

  #release(chunk: Buffer, range: { readonly start: number; readonly at: number }): void {
    this.#keep(chunk, range.start, range.at);
    const stream = this.#connection!.stream;
    const handBack = this.#handBack!;
    this.#handBack = null;
    stream.removeListener('data', this.#receive);
    stream.on('data', handBack);
    handBack(chunk.subarray(range.at));
    stream.resume();
  }
}
