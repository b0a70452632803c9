// A row of a column batch seen through the domain's own interface: one object that is moved from row to row. Moving it
// sets numbers and words; a getter on its class makes a text on demand.

import { ASCII, type ColumnBatch, FIRST_OWN_WORD, lengthOf, NO_TEXT, textIn } from './column-batch.ts';
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
    Object.defineProperty(TableCursor.prototype, field.name, { get: getterOf(table, field), enumerable: true });
  }
  return () => new TableCursor();
}

/**
 * Puts the numbers and words of its row into the cursor: many fields by one function, where a getter each would be a call each.
 * What is read from doubles would be kept as one, in memory of its own, by every object that holds it; a small integer is not.
 */
function compileTaking({ fields, numbers, words, knownWords }: RowTable<unknown>): (cursor: Cursor) => void {
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

function getterOf({ texts }: RowTable<unknown>, { place, form }: PlacedField): Getter {
  const make = form === 'id' ? makeShared : makeText;
  return function () {
    return this.madeFor[place] === this.at ? this.made[place] : make(this, place, texts);
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

/**
 * As `makeText`, of a text that rows near each other share, in one file or in two: the lines of an operation name it, and it
 * names itself. One text is made for them, which is also found sooner in a map.
 */
function makeShared(cursor: Cursor, place: number, texts: number): string | null {
  const { batch, at } = cursor;
  const first = 2 * (at * texts + place);
  const mark = batch.texts[first + 1]!;
  const start = batch.texts[first]!;
  const length = lengthOf(mark);
  if ((mark & 3) !== ASCII || length < 8) return makeText(cursor, place, texts);
  const slot = slotOf(batch.view, start + length - 8);
  const known = recent[slot]!;
  const isKnown = isAt(known, batch.bytes, start, length);
  const made = isKnown ? known : textIn(batch, start, mark);
  if (!isKnown) recent[slot] = made;
  cursor.made[place] = made;
  cursor.madeFor[place] = at;
  return made;
}

/** Texts that were made lately, by their last eight bytes. Texts that collide in one place only cost more time. */
const RECENT_BITS = 13;
const recent = new Array<string>(1 << RECENT_BITS).fill('');

function slotOf(view: DataView, at: number): number {
  const mixed = Math.imul(view.getInt32(at, true), 0x9e3779b1) ^ view.getInt32(at + 4, true);
  return Math.imul(mixed, 0x85ebca6b) >>> (32 - RECENT_BITS);
}

function isAt(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i += 1) if (text.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** A plain object that holds on to nothing. Made as a literal would be: field by field under their names takes twice as long. */
export function createCopy<Row>({ fields }: RowTable<Row>): (row: Row) => Row {
  const values = fields.map(({ name }) => `${name}: row.${name}`);
  return new Function('row', `return { ${values.join(', ')} }`) as (row: Row) => Row;
}
