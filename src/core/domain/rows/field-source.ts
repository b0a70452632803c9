// Pieces of JavaScript source that write one field of a batch's next row. Two compilers put them
// into functions for one table: the reader of JSON lines of one shape, and the reader of COPY rows.
// The pieces contain only numbers, and no text of a file or of a table.

import { NO_TEXT } from './column-batch.ts';
import { LONGEST_ID, LONGEST_TEXT } from './decode-object.ts';
import type { PlacedField, RowTable } from './row-table.ts';

/**
 * Declares variables for the columns of `batch`, and for where the next row begins in each column.
 */
export function openRow({ numbers, words, texts }: RowTable<unknown>): string {
  return `const { bytes, view, numbers, words, texts, rows } = batch;
const number = rows * ${numbers}, word = rows * ${words}, text = rows * ${2 * texts};`;
}

export function numberOf({ place }: PlacedField): string {
  return `numbers[number + ${place}]`;
}

/** Index of the text's hash in the batch's `numbers`. */
export function hashPlaceOf({ hashPlace }: PlacedField): string {
  return `number + ${hashPlace}`;
}

/** Index of the code of a word, or of a flag, in the batch's `words`. */
export function wordPlaceOf({ place }: PlacedField): string {
  return `word + ${place}`;
}

export function writeText({ place }: PlacedField, start: string, mark: string): string {
  return `texts[text + ${2 * place}] = ${start}; texts[text + ${2 * place + 1}] = ${mark};`;
}

/** Writes null into the field. A flag becomes false. */
export function writeNull(field: PlacedField): string {
  const hash = field.hashPlace < 0 ? '' : ` numbers[${hashPlaceOf(field)}] = NaN;`;
  if (field.store === 'number') return `${numberOf(field)} = NaN;`;
  if (field.store === 'word') return `words[${wordPlaceOf(field)}] = 0;`;
  return `texts[text + ${2 * field.place + 1}] = ${NO_TEXT};${hash}`;
}

export function isNullable({ form, isOptional }: PlacedField): boolean {
  return isOptional || form === 'flag';
}

/** Fewest and most characters of the text. */
export function limitsOf({ form }: PlacedField): readonly [number, number] {
  return form === 'id' ? [1, LONGEST_ID] : [0, LONGEST_TEXT];
}
