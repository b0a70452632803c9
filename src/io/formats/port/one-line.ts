// Text from outside for formats of which a line is a record: one line, without characters that act
// on who shows it.

import { ACTING } from '../../../core/domain/printable.ts';

const BREAKING = /[\p{Cc}\u2028\u2029]+/gu;
const TURNING = new RegExp(`[${ACTING}]`, 'gu');
/** Latin letters, figures and signs: nothing among them breaks a line or acts. */
const HARMLESS = /^[\x20-\x7e\xa0-\u02ff]*$/;

/**
 * Control characters and line breaks become one space, what turns the direction of writing goes;
 * half surrogate pairs become �.
 */
export function flat(text: string): string {
  if (HARMLESS.test(text)) return text;
  return text.toWellFormed().replace(BREAKING, ' ').replace(TURNING, '');
}

/** As `flat`, without spaces at the ends. */
export function oneLine(text: string): string {
  return flat(text).trim();
}

/** The apostrophe of print, where a text has a straight one between two letters. */
export function typeset(text: string): string {
  return text.includes("'") ? text.replace(/(?<=\p{L})'(?=\p{L})/gu, '’') : text;
}

/** At most `length` characters as people count them, so that no character is cut in half. */
export function cutTo(text: string, length: number): string {
  return [...text].slice(0, length).join('');
}
