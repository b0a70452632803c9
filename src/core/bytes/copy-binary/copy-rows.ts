// Finds the rows of PostgreSQL's COPY binary format ("COPY", Binary Format) in bytes as they
// arrive: where each field begins and how long it is. Reads no value. Refuses a stream that is not
// in this format, and a stream that stops before its end.

import type { RowTable } from '../../domain/rows/row-table.ts';

/** Where the fields of one row stand; valid until the next call of `nextRow` or `feedRows`. */
export interface CopySlots {
  bytes: Buffer;
  readonly starts: Int32Array;
  /** Length of each field in bytes; −1 for null. */
  readonly lengths: Int32Array;
}

export interface CopyRows {
  readonly slots: CopySlots;
  /** Offset in the slots' bytes at which the next row begins. */
  at: number;
  isBegun: boolean;
  isOver: boolean;
}

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const TRAILER = -1;

export function createCopyRows(fieldCount: number): CopyRows {
  const slots: CopySlots = {
    bytes: Buffer.alloc(0),
    starts: new Int32Array(fieldCount),
    lengths: new Int32Array(fieldCount),
  };
  return { slots, at: 0, isBegun: false, isOver: false };
}

/**
 * Adds the next chunk of the stream. Bytes that are left over from the chunk before are kept. Must
 * be called when `nextRow` has returned false.
 */
export function feedRows(rows: CopyRows, chunk: Buffer): void {
  const { slots, at } = rows;
  slots.bytes = at < slots.bytes.length ? Buffer.concat([slots.bytes.subarray(at), chunk]) : chunk;
  rows.at = 0;
}

/**
 * Fills the slots with the next row. Returns false when more bytes are needed for it, and after the
 * last row.
 */
export function nextRow(rows: CopyRows): boolean {
  if (rows.isOver || !(rows.isBegun || passHeader(rows))) return false;
  const end = findRow(rows.slots, rows.at);
  if (end === 0) rows.isOver = true;
  else if (end > 0) rows.at = end;
  return end > 0;
}

export function requireEnd({ isOver }: CopyRows): void {
  if (!isOver) throw new Error('the rows stop in the middle');
}

/** Passes over the header; returns false when more bytes are needed for it. */
function passHeader(rows: CopyRows): boolean {
  const { bytes } = rows.slots;
  const start = rows.at;
  const extension = start + SIGNATURE.length + 8;
  if (bytes.length < extension) return false;
  if (!SIGNATURE.equals(bytes.subarray(start, start + SIGNATURE.length))) {
    throw new Error('the rows are not in the binary format of COPY');
  }
  const end = extension + bytes.readInt32BE(extension - 4);
  if (bytes.length < end) return false;
  rows.at = end;
  rows.isBegun = true;
  return true;
}

/** Returns the offset after the row at `at`; 0 at the end mark, −1 when more bytes are needed. */
function findRow({ bytes, starts, lengths }: CopySlots, at: number): number {
  const limit = bytes.length;
  if (limit - at < 2) return -1;
  const count = ((bytes[at]! << 24) >> 16) | bytes[at + 1]!;
  if (count === TRAILER) return 0;
  if (count !== starts.length)
    throw new Error(`the rows have ${count} fields, and ${starts.length} were asked for`);
  let position = at + 2;
  for (let field = 0; field < count; field += 1) {
    if (limit - position < 4) return -1;
    const length =
      (bytes[position]! << 24) |
      (bytes[position + 1]! << 16) |
      (bytes[position + 2]! << 8) |
      bytes[position + 3]!;
    position += 4;
    starts[field] = position;
    lengths[field] = length;
    if (length > 0) position += length;
    if (position > limit) return -1;
  }
  return position;
}

// The columns of a row in our tables: the list that a query selects, in the order in which readers
// of COPY expect it, and a reader of the records of a query with parameters.

interface Selection<Row> {
  readonly alias?: string;
  /** SQL expressions to select in place of columns, by field. */
  readonly instead?: { readonly [Name in keyof Row]?: string };
}

export function selectList<Row>(
  { fields }: RowTable<Row>,
  { alias, instead = {} }: Selection<Row> = {},
): string {
  return fields
    .map(
      ({ name, column }) =>
        instead[name as keyof Row] ?? (alias === undefined ? column : `${alias}.${column}`),
    )
    .join(', ');
}

/**
 * Makes a reader of records. Their columns must have our tables' types, with integers as numbers.
 */
export function createRecordReader<Row>({ fields }: RowTable<Row>) {
  return (record: Readonly<Record<string, unknown>>, prefix = ''): Row =>
    Object.fromEntries(fields.map(({ name, column }) => [name, record[prefix + column]])) as Row;
}
