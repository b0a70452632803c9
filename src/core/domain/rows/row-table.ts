// The fields of a row, and where a column batch stores each of them: in its numbers, its words or
// its texts.

import { invariant } from '../invariant.ts';
import { type FieldsOf, type NamedField, namedFields } from './field.ts';

/**
 * A field and its place among the fields that are stored in the same kind of column (`storeOf`),
 * counted from 0.
 */
export interface PlacedField extends NamedField {
  readonly store: Store;
  readonly place: number;
  /**
   * Place of the hash of the field's text among the numbers of a row; −1 when no hash is stored.
   */
  readonly hashPlace: number;
  /** By the code of a known word: 1 when the field's own `words` have it. */
  readonly allowed: Uint8Array;
}

export type Store = 'number' | 'word' | 'text';

export interface RowTable<Row> {
  /** Never set: it only binds the table to the type of its rows for the compiler. */
  readonly row?: Row;
  readonly fields: readonly PlacedField[];
  /** How many numbers a row has. Hashes are numbers too. */
  readonly numbers: number;
  /** How many words a row has. */
  readonly words: number;
  /** How many texts a row has. */
  readonly texts: number;
  /**
   * Place among the numbers of the hash of all bytes that the row was read from; −1 when none is
   * stored.
   */
  readonly rowHashPlace: number;
  /** The words that are known beforehand, by code; code 0 is null. */
  readonly knownWords: readonly (string | null)[];
}

export function createRowTable<Row>(given: FieldsOf<Row>, hashesRows = false): RowTable<Row> {
  const counts = { number: 0, word: 0, text: 0 };
  const placed = namedFields(given).map((field) => {
    const store = storeOf(field);
    return { ...field, store, place: counts[store]++ };
  });
  const knownWords = [null, ...new Set(placed.flatMap((field) => field.words))];
  const fields = placed.map((field) => ({
    ...field,
    hashPlace: field.isHashed ? counts.number++ : -1,
    allowed: Uint8Array.from(knownWords, (word) =>
      word !== null && field.words.includes(word) ? 1 : 0,
    ),
  }));
  const rowHashPlace = hashesRows ? counts.number++ : -1;
  return {
    fields,
    numbers: counts.number,
    words: counts.word,
    texts: counts.text,
    rowHashPlace,
    knownWords,
  };
}

function storeOf({ form }: NamedField): Store {
  if (form === 'integer' || form === 'instant') return 'number';
  return form === 'id' || form === 'text' || form === 'remark' ? 'text' : 'word';
}

export function numberPlaceOf<Row>(table: RowTable<Row>, name: keyof Row & string): number {
  const { store, place } = fieldNamed(table, name);
  invariant(store === 'number', `${name} is a number`);
  return place;
}

/** Returns the field of this name. Throws when the table does not have it. */
export function fieldNamed<Row>(table: RowTable<Row>, name: keyof Row & string): PlacedField {
  const field = table.fields.find((one) => one.name === name);
  if (field === undefined) throw new TypeError(`there is no field ${name}`);
  return field;
}

// Equality of two rows: they must be equal in every field.

export function createEquality<Row>({ fields }: RowTable<Row>): (a: Row, b: Row) => boolean {
  const names = fields.map(({ name }) => name as keyof Row);
  return (a, b) => names.every((name) => a[name] === b[name]);
}
