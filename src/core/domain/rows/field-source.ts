// The statements that write a field of a batch's next row, as source of functions that are made for
// one table: those that read lines of one shape, and those that read rows which came by COPY. It
// holds numbers alone: no text of a file or of a table.

import { NO_TEXT } from './column-batch.ts';
import { LONGEST_ID, LONGEST_TEXT } from './decode-object.ts';
import type { PlacedField, RowTable } from './row-table.ts';

/**
 * Makes `bytes`, `view`, the columns, and where the row's share of each of them begins, out of
 * `batch`.
 */
export function openRow({ numbers, words, texts }: RowTable<unknown>): string {
  return `const { bytes, view, numbers, words, texts, rows } = batch;
const number = rows * ${numbers}, word = rows * ${words}, text = rows * ${2 * texts};`;
}

export function numberOf({ place }: PlacedField): string {
  return `numbers[number + ${place}]`;
}

/** Place of the hash of a text among the batch's numbers. */
export function hashPlaceOf({ hashPlace }: PlacedField): string {
  return `number + ${hashPlace}`;
}

/** Place of the code of a word, or of a flag, among the batch's words. */
export function wordPlaceOf({ place }: PlacedField): string {
  return `word + ${place}`;
}

export function writeText({ place }: PlacedField, start: string, mark: string): string {
  return `texts[text + ${2 * place}] = ${start}; texts[text + ${2 * place + 1}] = ${mark};`;
}

/** A flag that is absent or null is false. */
export function writeNull(field: PlacedField): string {
  const hash = field.hashPlace < 0 ? '' : ` numbers[${hashPlaceOf(field)}] = NaN;`;
  if (field.store === 'number') return `${numberOf(field)} = NaN;`;
  if (field.store === 'word') return `words[${wordPlaceOf(field)}] = 0;`;
  return `texts[text + ${2 * field.place + 1}] = ${NO_TEXT};${hash}`;
}

export function isNullable({ form, isOptional }: PlacedField): boolean {
  return isOptional || form === 'flag';
}

/** Fewest and most characters of a text. */
export function limitsOf({ form }: PlacedField): readonly [number, number] {
  return form === 'id' ? [1, LONGEST_ID] : [0, LONGEST_TEXT];
}
