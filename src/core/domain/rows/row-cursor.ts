// A cursor: one object that shows the rows of a column batch, one after the other, through the
// domain's own interface. Moving it sets the numbers and words; a getter on its class makes a text
// on demand.

import { type ColumnBatch, FIRST_OWN_WORD, NO_TEXT, textIn } from './column-batch.ts';
import type { PlacedField, RowTable } from './row-table.ts';

/**
 * A cursor over a batch. `row` is valid until the cursor is moved: to keep a row, keep a copy of it
 * (`createCopy`).
 */
export interface RowCursor<Row> {
  /** The present row, always in the same object. */
  readonly row: Row;
  /** Moves to the first row of a batch. Rows must not be read after the batch was released. */
  open(batch: ColumnBatch<Row>): void;
  moveTo(row: number): void;
}

class Cursor {
  batch!: ColumnBatch<unknown>;
  at = 0;
  numbers!: Float64Array;
  words!: ColumnBatch<unknown>['words'];
  /** The texts of the present row that were read so far. */
  readonly made: (string | null)[];
  /** For each text in `made`, the number of the row that it was made for. */
  readonly madeFor: Int32Array;
  /** The words that only this batch has, as far as they were read. */
  ownWords: (string | null)[] = [];

  constructor(texts: number) {
    this.made = new Array<string | null>(texts).fill(null);
    this.madeFor = new Int32Array(texts).fill(-1);
  }
}

export function createCursorType<Row>(table: RowTable<Row>): () => RowCursor<Row> {
  const takeRow = compileTaking(table);
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
      this.madeFor.fill(-1);
      this.ownWords = [];
      this.at = 0;
      // In an empty batch, the memory of the first row may hold remains of a refused row.
      if (batch.rows > 0) takeRow(this);
    }
    moveTo(row: number): void {
      this.at = row;
      takeRow(this);
    }
  }
  for (const field of table.fields) {
    if (field.store !== 'text') continue;
    Object.defineProperty(TableCursor.prototype, field.name, {
      get: getterOf(table, field),
      enumerable: true,
    });
  }
  return () => new TableCursor();
}

/**
 * Compiles the function that copies the numbers and words of the present row into the cursor: one
 * call for all fields, where getters would be one call each. Small integers are converted with `|
 * 0`, because the engine would otherwise allocate each number, which it reads from a Float64Array,
 * as a heap object of its own.
 */
function compileTaking({
  fields,
  numbers,
  words,
  knownWords,
}: RowTable<unknown>): (cursor: Cursor) => void {
  const taken = fields.map(({ name, store, form, place, isOptional }) => {
    if (store === 'text') return '';
    if (form === 'flag') return `cursor.${name} = words[word + ${place}] === 1;`;
    if (store === 'number') {
      const value = '(figure | 0) === figure ? figure | 0 : figure';
      return `figure = numbers[number + ${place}]; cursor.${name} = ${isOptional ? `figure !== figure ? null : ${value}` : value};`;
    }
    return `code = words[word + ${place}];
cursor.${name} = code < ${FIRST_OWN_WORD} ? known[code] : ownWord(cursor, code - ${FIRST_OWN_WORD});`;
  });
  const source = `return (cursor) => {
const { numbers, words, at } = cursor;
const number = at * ${numbers}, word = at * ${words};
let figure = 0, code = 0;
${taken.join('\n')}
};`;
  return new Function('known', 'ownWord', source)(knownWords, ownWord) as (cursor: Cursor) => void;
}

type Getter = (this: Cursor) => unknown;

function getterOf({ texts }: RowTable<unknown>, { place }: PlacedField): Getter {
  return function () {
    if (this.madeFor[place] === this.at) return this.made[place];
    const first = 2 * (this.at * texts + place);
    const mark = this.batch.texts[first + 1]!;
    this.madeFor[place] = this.at;
    this.made[place] = mark === NO_TEXT ? null : textIn(this.batch, this.batch.texts[first]!, mark);
    return this.made[place];
  };
}

function ownWord(cursor: Cursor, own: number): string {
  const { batch, ownWords } = cursor;
  ownWords[own] ??= textIn(batch, batch.ownWords[2 * own]!, batch.ownWords[2 * own + 1]!);
  return ownWords[own]!;
}

/**
 * Makes a function that copies a row into a plain object, which does not refer to the batch. It is
 * compiled from an object literal, because setting the fields by name takes twice as long.
 */
export function createCopy<Row>({ fields }: RowTable<Row>): (row: Row) => Row {
  const values = fields.map(({ name }) => `${name}: row.${name}`);
  return new Function('row', `return { ${values.join(', ')} }`) as (row: Row) => Row;
}
