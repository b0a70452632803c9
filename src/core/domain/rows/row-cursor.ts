// A row of a column batch seen through the domain's own interface: one object that is moved from
// row to row. Moving it sets numbers and words; a getter on its class makes a text on demand.

import { type ColumnBatch, FIRST_OWN_WORD, NO_TEXT, textIn } from './column-batch.ts';
import type { PlacedField, RowTable } from './row-table.ts';

/** Valid for its present row only: to keep a row, keep `copyOf` it. */
export interface RowCursor<Row> {
  /** The row itself, always the same object. */
  readonly row: Row;
  /** Moves to the first row. Rows of a released batch are gone. */
  open(batch: ColumnBatch<Row>): void;
  moveTo(row: number): void;
}

class Cursor {
  batch!: ColumnBatch<unknown>;
  at = 0;
  numbers!: Float64Array;
  words!: ColumnBatch<unknown>['words'];
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
      // An empty batch may hold what is left of a row that was refused.
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
 * Puts the numbers and words of its row into the cursor: many fields by one function, where a
 * getter each would be a call each. What is read from doubles would be kept as one, in memory of
 * its own, by every object that holds it; a small integer is not.
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
 * A plain object that holds on to nothing. Made as a literal would be: field by field under their
 * names takes twice as long.
 */
export function createCopy<Row>({ fields }: RowTable<Row>): (row: Row) => Row {
  const values = fields.map(({ name }) => `${name}: row.${name}`);
  return new Function('row', `return { ${values.join(', ')} }`) as (row: Row) => Row;
}
