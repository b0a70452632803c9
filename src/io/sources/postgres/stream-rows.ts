// Streams the decoded rows of one select out of a session by COPY, in batches. Ends the session
// when its reader leaves before the last row, because a COPY cannot be stopped in another way.

import pgCopyStreams from 'pg-copy-streams';
import {
  type CopySlots,
  createCopyRows,
  feedRows,
  nextRow,
  requireEnd,
} from '../../../core/bytes/copy-binary/copy-rows.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Batch, OperationVersion, RejectedRow } from '../../../core/domain/snapshot.ts';
import { type DecodeSlots, nameSlots, refuseSlots } from './decode-slots.ts';
import { failureOf } from './postgres-failure.ts';
import type { TableOfPart } from './postgres-settings.ts';
import type { Session } from './session.ts';

const ROWS_IN_BATCH = 2_000;

/** A batch while it is being filled. */
export interface FillingBatch<Row> {
  readonly rows: Row[];
  readonly rejected: RejectedRow[];
}

export interface RowStream<Row> {
  readonly session: Session;
  /** A select that returns `fieldCount` columns. */
  readonly select: string;
  readonly fieldCount: number;
  /** What the stream is for, in messages: `reading the entries`. */
  readonly doing: string;
  /** Adds the row in the slots to the batch. The slots change with the next row. */
  readonly take: (slots: CopySlots, batch: FillingBatch<Row>) => void;
}

/** Streams batches in the order of the select; none is empty. */
export async function* streamRows<Row>(stream: RowStream<Row>): AsyncGenerator<Batch<Row>> {
  const rows = createCopyRows(stream.fieldCount);
  const copy = stream.session.client.query(
    pgCopyStreams.to(`copy (${stream.select}) to stdout (format binary)`),
  );
  let batch: FillingBatch<Row> = { rows: [], rejected: [] };
  let isOver = false;
  try {
    for await (const chunk of copy) {
      feedRows(rows, chunk as Buffer);
      while (nextRow(rows)) stream.take(rows.slots, batch);
      if (batch.rows.length + batch.rejected.length < ROWS_IN_BATCH) continue;
      const full = batch;
      batch = { rows: [], rejected: [] };
      yield full;
    }
    requireEnd(rows);
    isOver = true;
  } catch (error) {
    throw failureOf(error, stream.doing);
  } finally {
    if (!isOver) stream.session.destroy();
  }
  if (batch.rows.length + batch.rejected.length > 0) yield batch;
}

export interface TableStream<Row> {
  readonly session: Session;
  readonly table: TableOfPart;
  readonly decode: DecodeSlots<Row>;
  /** SQL after the list of columns: `from … where … order by …`. */
  readonly tail: string;
}

/** Streams the columns of one table, in batches as `streamRows` does. */
export function streamTable<Row>(stream: TableStream<Row>): AsyncGenerator<Batch<Row>> {
  const { session, table, decode } = stream;
  const columns = table.columns.map(({ selected }) => selected);
  const placeOf = createPlaces(table);
  return streamRows<Row>({
    session,
    select: `select ${columns.join(', ')} ${stream.tail}`,
    fieldCount: columns.length,
    doing: `reading the ${table.part}`,
    take: (slots, batch) => takeRow({ table, decode, placeOf }, slots, batch),
  });
}

/** Adds the row to the batch, as a row or as a refused one. */
function takeRow<Row>(
  of: Pick<TableStream<Row>, 'table' | 'decode'> & {
    readonly placeOf: (slots: CopySlots) => string;
  },
  slots: CopySlots,
  batch: FillingBatch<Row>,
): void {
  const decoded = of.decode(slots, 0);
  if (decoded.ok) batch.rows.push(decoded.value);
  else
    batch.rejected.push(
      refuseSlots(of.table, { slots, place: of.placeOf(slots), refused: decoded }),
    );
}

export interface SharedTable<Row> extends Omit<TableStream<Row>, 'tail'> {
  /**
   * Queries of several merchants. `place` is the number of a merchant; `tail` is the SQL after the
   * list of columns. The tails of one place are read one after the other.
   */
  readonly tails: readonly { readonly place: number; readonly tail: string }[];
  /** The most rows that are read for each tail. */
  readonly mostRows: number;
}

/**
 * Reads several merchants' rows of one table in one query. Returns them by place, in the order of
 * each tail; a place without rows has no entry. A place with `mostRows` rows may have more.
 */
export async function readTogether<Row>(
  shared: SharedTable<Row>,
): Promise<ReadonlyMap<number, FillingBatch<Row>>> {
  const { session, table, decode, tails, mostRows } = shared;
  const columns = table.columns.map(({ selected }) => selected).join(', ');
  const selects = tails.map(
    ({ place, tail }) => `(select ${columns}, ${place}::int8 ${tail} limit ${mostRows})`,
  );
  const places = new Map(tails.map(({ place }) => [place, createPlaces(table)]));
  const found = new Map<number, FillingBatch<Row>>();
  const stream = streamRows<never>({
    session,
    select: selects.join(' union all '),
    fieldCount: table.columns.length + 1,
    doing: `reading the ${table.part}`,
    take: (slots) => {
      const place = Number(slots.bytes.readBigInt64BE(slots.starts[table.columns.length]!));
      const batch = found.get(place) ?? { rows: [], rejected: [] };
      found.set(place, batch);
      takeRow({ table, decode, placeOf: places.get(place)! }, slots, batch);
    },
  });
  for await (const _ of stream);
  return found;
}

/**
 * The most names of refused rows that are remembered. Beyond them, only the name of the row before
 * is.
 */
const NAMES_KEPT = 10_000;

/**
 * Makes a function that names the places of refused rows. A number tells apart rows of one name,
 * also when other rows stand between them.
 */
function createPlaces(table: TableOfPart): (slots: CopySlots) => string {
  const met = new Map<string, number>();
  let [last, times] = ['', 0];
  return (slots) => {
    const name = nameSlots(table, slots);
    times = (met.get(name) ?? (name === last ? times : 0)) + 1;
    last = name;
    if (met.size < NAMES_KEPT || met.has(name)) met.set(name, times);
    return times === 1 ? name : `${name}, row ${times}`;
  };
}

// Keeps the newest of several rows for one operation that follow each other: a table of versions
// may have them all.

/**
 * Keeps the newest version of each operation. The versions of one operation must follow each other.
 * Of two with the same updatedAt, the later row is kept.
 */
export async function* keepNewest(
  batches: AsyncIterable<Batch<Operation>>,
): AsyncGenerator<Batch<OperationVersion>> {
  let last: Operation | null = null;
  for await (const { rows, rejected } of batches) {
    const kept: OperationVersion[] = [];
    for (const operation of rows) {
      if (last !== null && last.reference === operation.reference) {
        if (operation.updatedAt >= last.updatedAt) last = operation;
        continue;
      }
      if (last !== null) kept.push({ operation: last, previous: null });
      last = operation;
    }
    if (kept.length > 0 || rejected.length > 0) yield { rows: kept, rejected };
  }
  if (last !== null) yield { rows: [{ operation: last, previous: null }], rejected: [] };
}
