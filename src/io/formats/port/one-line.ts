// Puts text from outside on one line, for formats in which a line is a record, and removes the
// characters that act on a program that shows them.

import { ACTING } from '../../../core/domain/printable.ts';

const BREAKING = /[\p{Cc}\u2028\u2029]+/gu;
const TURNING = new RegExp(`[${ACTING}]`, 'gu');
/** Latin letters, digits and signs, none of which breaks a line or acts. */
const HARMLESS = /^[\x20-\x7e\xa0-\u02ff]*$/;

/**
 * Replaces control characters and line breaks by one space, removes characters that turn the
 * direction of writing, and replaces half surrogate pairs by �.
 */
export function flat(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text.toWellFormed().replace(BREAKING, ' ').replace(TURNING, '');
}

/** Does the same as `flat`, and removes spaces at the ends. */
export function oneLine(text: string): string {
  return flat(text).trim();
}

/** Replaces a straight apostrophe between two letters by the typographic one. */
export function typeset(text: string): string {
  return text.includes("'") ? text.replace(/(?<=\p{L})'(?=\p{L})/gu, '’') : text;
}

/**
 * Returns at most the first `length` characters. Surrogate pairs count as one, so that none is cut
 * in half.
 */
export function cutTo(text: string, length: number): string {
  return [...text].slice(0, length).join('');
}
