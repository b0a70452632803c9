// Changes text from outside so that PostgreSQL can store it: no NUL, no half of a surrogate pair.
// For text that quotes refused input: raw rows, reasons, messages. Lines and operations do not need
// it, because the decoders refuse such text in them.

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

/**
 * Finds what PostgreSQL can't store in JSON: NUL or half of a surrogate pair, both written as
 * escapes.
 */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/;

/** Returns the value as JSON text that jsonb accepts. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // The test comes first, because the look at every part below takes ten times as long.
  if (!UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? storableText(part) : part,
  );
}

/**
 * Returns the SHA-256 of the fields, in hexadecimal. They are hashed as JSON, so that no two lists
 * of fields give the same text.
 */
export function digestOf(fields: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
