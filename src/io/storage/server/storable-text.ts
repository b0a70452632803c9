// Text from outside as PostgreSQL can hold it: no NUL, no half of a surrogate pair. For what quotes
// refused input (raw rows, reasons, messages); lines and operations need it not, for the decoders
// refuse such text in them.

import { createHash } from 'node:crypto';

/**
 * The text itself, or, where it has a character that PostgreSQL can't store, the text with ␀ for
 * NUL and � for a lone surrogate.
 */
export function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '␀') : wellFormed;
}

export function storableNullable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

/** In JSON: NUL, half of a surrogate pair, or their escapes inside of a text. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/;

/** JSON text that jsonb accepts. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // To look at every part takes ten times as long.
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? storableText(part) : part,
  );
}

/**
 * SHA-256, in hexadecimal, of the fields with their bounds: no two lists of fields give one text.
 */
export function digestOf(fields: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
