// Writes rows in PostgreSQL's COPY binary format ("COPY", Binary Format), a piece at a time. The
// rows must be such as the strict decoder accepts, because PostgreSQL cannot store U+0000, and half
// a surrogate pair would become another character.

import { invariant } from '../../domain/invariant.ts';
import type { RowTable } from '../../domain/rows/row-table.ts';

export type CopyType = 'int4' | 'int8' | 'bool' | 'text';

export interface CopyColumn<Row> {
  readonly name: string;
  readonly type: CopyType;
  readonly valueOf: (row: Row) => unknown;
}

/**
 * Returns the columns of a row in our tables. `rowOf` takes the row out of the value that is
 * written.
 */
export function copyColumns<Row, Given>(
  table: RowTable<Row>,
  rowOf: (given: Given) => Row,
): CopyColumn<Given>[] {
  return table.fields.map(({ name, column, form }) => ({
    name: column,
    type: form === 'flag' ? 'bool' : form === 'integer' || form === 'instant' ? 'int8' : 'text',
    valueOf: (given) => rowOf(given)[name as keyof Row],
  }));
}

const PIECE = 131_072;
/** Signature, flags, and the length 0 of a header extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const LENGTHS = { bool: 1, int4: 4, int8: 8 } as const;
const TWO_TO_32 = 2 ** 32;
/**
 * Texts up to this length are written character by character, because that takes less time than a
 * call of `Buffer.write`.
 */
const SHORT = 24;

interface Piece {
  readonly bytes: Buffer;
  readonly view: DataView;
  used: number;
}

function createPiece(size: number): Piece {
  const bytes = Buffer.allocUnsafeSlow(size);
  return { bytes, view: new DataView(bytes.buffer), used: 0 };
}

/** Yields the stream in pieces of their own memory, which the caller may keep. */
export function* copyPieces<Row>(
  columns: readonly CopyColumn<Row>[],
  rows: readonly Row[],
): Generator<Buffer> {
  let piece = createPiece(PIECE);
  piece.used = HEADER.copy(piece.bytes);
  const values = new Array<unknown>(columns.length);
  for (const row of rows) {
    let most = 2;
    for (let i = 0; i < columns.length; i += 1) {
      const value = columns[i]!.valueOf(row);
      values[i] = value;
      most += typeof value === 'string' ? 4 + 3 * value.length : 12;
    }
    if (piece.used + most > piece.bytes.length) {
      yield piece.bytes.subarray(0, piece.used);
      piece = createPiece(Math.max(PIECE, most));
    }
    piece.view.setInt16(piece.used, columns.length);
    piece.used += 2;
    for (let i = 0; i < columns.length; i += 1) writeValue(piece, columns[i]!.type, values[i]);
  }
  yield piece.bytes.subarray(0, piece.used);
  yield TRAILER;
}

function writeValue(piece: Piece, type: CopyType, value: unknown): void {
  const { view, used } = piece;
  if (type === 'text' && value !== null) {
    invariant(typeof value === 'string', 'a column of texts is given a text');
    writeText(piece, value);
    return;
  }
  const length = value === null ? -1 : LENGTHS[type as Exclude<CopyType, 'text'>];
  view.setInt32(used, length);
  piece.used = used + 4 + Math.max(length, 0);
  if (length === 1) view.setUint8(used + 4, value === true ? 1 : 0);
  else if (length > 1) {
    invariant(Number.isSafeInteger(value), 'a column of whole numbers is given one');
    const high = Math.floor((value as number) / TWO_TO_32);
    if (length === 8) view.setInt32(used + 4, high);
    view.setUint32(used + length, (value as number) - high * TWO_TO_32);
  }
}

function writeText(piece: Piece, text: string): void {
  const { bytes, view, used } = piece;
  const start = used + 4;
  const length = writeShort(bytes, start, text);
  const written = length < 0 ? bytes.write(text, start, 'utf8') : length;
  view.setInt32(used, written);
  piece.used = start + written;
}

/** Writes a short ASCII text and returns its length; −1 when the text is too long or not ASCII. */
function writeShort(bytes: Buffer, start: number, text: string): number {
  const { length } = text;
  if (length > SHORT) return -1;
  let bits = 0;
  for (let i = 0; i < length; i += 1) {
    const unit = text.charCodeAt(i);
    bits |= unit;
    bytes[start + i] = unit;
  }
  return bits < 0x80 ? length : -1;
}
