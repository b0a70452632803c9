// A row of a column batch seen through the domain's own interface: one object that is moved from row to row, whose fields
// read the columns. A class, because its fields must be getters on one prototype to cost what a field costs.

import { type ColumnBatch, FIRST_OWN_WORD, NO_TEXT, textIn } from './column-batch.ts';
import type { PlacedField, RowTable } from './row-table.ts';

/** Good for the row it stands on: whoever keeps a row keeps `copyOf` it. */
export interface RowCursor<Row> {
  /** The row itself, always the same object. */
  readonly row: Row;
  /** Stands on the first row. What was read before from a batch that has been released is gone. */
  open(batch: ColumnBatch<Row>): void;
  moveTo(row: number): void;
}

class Cursor {
  batch!: ColumnBatch<unknown>;
  at = 0;
  numbers!: Float64Array;
  words!: Uint16Array;
  /** The texts of this row that were asked for so far, and for which row they were made. */
  readonly made: (string | null)[];
  readonly madeFor: Int32Array;
  /** The words that only this batch has, once they were asked for. */
  ownWords: (string | null)[] = [];

  constructor(texts: number) {
    this.made = new Array<string | null>(texts).fill(null);
    this.madeFor = new Int32Array(texts).fill(-1);
  }
}

export function createCursorType<Row>(table: RowTable<Row>): () => RowCursor<Row> {
  class TableCursor extends Cursor implements RowCursor<Row> {
    constructor() {
      super(table.texts);
    }
    get row(): Row {
      return this as unknown as Row;
    }
    open(batch: ColumnBatch<Row>): void {
      this.batch = batch;
      this.numbers = batch.numbers;
      this.words = batch.words;
      this.at = 0;
      this.madeFor.fill(-1);
      this.ownWords = [];
    }
    moveTo(row: number): void {
      this.at = row;
    }
  }
  for (const field of table.fields) {
    Object.defineProperty(TableCursor.prototype, field.name, { get: getterOf(table, field), enumerable: true });
  }
  return () => new TableCursor();
}

type Getter = (this: Cursor) => unknown;

function getterOf({ numbers, words, texts, knownWords }: RowTable<unknown>, field: PlacedField): Getter {
  const { place, isOptional } = field;
  switch (field.form) {
    case 'integer':
    case 'instant':
      return isOptional ? nullableNumber(numbers, place) : number(numbers, place);
    case 'flag':
      return function () {
        return this.words[this.at * words + place] === 1;
      };
    case 'word':
    case 'one-of':
      return function () {
        const code = this.words[this.at * words + place]!;
        return code < FIRST_OWN_WORD ? knownWords[code] : ownWord(this, code - FIRST_OWN_WORD);
      };
    default:
      return function () {
        return this.madeFor[place] === this.at ? this.made[place] : makeText(this, place, texts);
      };
  }
}

function number(width: number, place: number): Getter {
  return function () {
    return this.numbers[this.at * width + place];
  };
}

function nullableNumber(width: number, place: number): Getter {
  return function () {
    const value = this.numbers[this.at * width + place]!;
    return Number.isNaN(value) ? null : value;
  };
}

function ownWord(cursor: Cursor, own: number): string {
  const { batch, ownWords } = cursor;
  ownWords[own] ??= textIn(batch, batch.ownWords[2 * own]!, batch.ownWords[2 * own + 1]!);
  return ownWords[own]!;
}

function makeText(cursor: Cursor, place: number, width: number): string | null {
  const { batch, at } = cursor;
  const first = 2 * (at * width + place);
  const mark = batch.texts[first + 1]!;
  const made = mark === NO_TEXT ? null : textIn(batch, batch.texts[first]!, mark);
  cursor.made[place] = made;
  cursor.madeFor[place] = at;
  return made;
}

/** A plain object that holds on to nothing. Made as a literal would be: field by field under their names takes twice as long. */
export function createCopy<Row>({ fields }: RowTable<Row>): (row: Row) => Row {
  const values = fields.map(({ name }) => `${name}: row.${name}`);
  return new Function('row', `return { ${values.join(', ')} }`) as (row: Row) => Row;
}
