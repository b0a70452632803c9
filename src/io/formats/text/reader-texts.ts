// Texts from outside in the files of other programs. Each reader has its rules here: the characters
// that mean something to it, what is written in their place, and how long a text it takes. No text
// may change a row, end it early, or stop the file. Formulas of spreadsheets are dealt with in
// `layout.ts`, and characters that XML refuses in `xml-text.ts`.

import { asciiLine, westernLine } from '../port/latin9.ts';
import { cutTo, oneLine } from '../port/one-line.ts';
import { disarm } from './layout.ts';

/**
 * Most bytes of a text. ledger refuses lines of more than 4,096 bytes, and at most three texts
 * share a line.
 */
const JOURNAL_BYTES = 1_000;

/**
 * Returns a text for a comment or a description of hledger and ledger. `;` and `|` would begin
 * another part, a colon would make a tag or an expression, and brackets would give a posting
 * another date.
 */
export function journalComment(text: string): string {
  const shown = oneLine(text)
    .replace(/[;|]/g, ',')
    .replace(/:/g, '\u2236')
    .replace(/\[/g, '(')
    .replace(/\]/g, ')');
  return cutBytes(shown.replace(/\s+/g, ' '), JOURNAL_BYTES);
}

/** Returns a text for a tag, which a comma would end. */
export const journalTag = (text: string): string => journalComment(text).replace(/,/g, ' ');
/** Returns a text for a code, which a parenthesis would end. */
export const journalCode = (text: string): string => journalComment(text).replace(/[()]/g, ' ');

/**
 * Returns the name of an account. Two spaces would end it; other characters would begin a comment,
 * or mark a virtual account.
 */
export function journalAccount(number: string, label: string): string {
  const shown = oneLine(`${number} ${label}`).replace(/[;:"|(){}[\]@=*!~<>%]/g, ' ');
  return cutBytes(shown.replace(/\s+/g, ' ').trim(), JOURNAL_BYTES);
}

export function journalCurrency(currency: string): string {
  return /^[A-Za-z]+$/.test(currency) ? currency : `"${oneLine(currency).replace(/[";]/g, ' ')}"`;
}

/**
 * Returns a text for a FEC. It has tabs between its cells, and programs that find bars as well
 * refuse it.
 */
export const fecText = (text: string): string => disarm(oneLine(text).replace(/\|/g, '/'));

/**
 * Returns a label for a FEC or for Odoo, whose importers take 250 characters. One of these is left
 * for the apostrophe that disarms a formula.
 */
export function entryLabel(text: string): string {
  const plain = text.normalize('NFC').replaceAll('…', '...');
  return plain.length < 250 || cutTo(plain, 249) === plain ? plain : `${cutTo(plain, 246)}...`;
}

export const sageText = (text: string): string => westernLine(text, '?');

const SMALL_WORDS = / (?:de|du|des|la|le|les|à|sur|par|of|the|to|for|on|by)(?= )/g;

/**
 * Returns a label of at most `most` characters for Sage. Small words are dropped first, then the
 * end of the last word if enough of it is left to read.
 */
export function sageLabel(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.replace(SMALL_WORDS, '');
  if (short.length <= most) return short;
  const start = short.slice(0, most - 1);
  if (/(?:^|\s)\p{L}{4,}$/u.test(start) && /^\p{L}{2}/u.test(short.slice(most - 1)))
    return `${start}.`;
  return /^.*\S(?=\s)/.exec(short.slice(0, most + 1))?.[0] ?? short.slice(0, most);
}

/**
 * Returns a text in SWIFT's character set x, without the question mark, because that divides field
 * 86. Other characters become full stops.
 */
export function swiftText(text: string): string {
  const shown = asciiLine(text, '.').replace(/[_~]/g, '-').replace(/&/g, '+').replace(/["`]/g, "'");
  return shown.replace(/[^A-Za-z0-9/:().,'+ -]/g, '.');
}

/**
 * Returns a text for SGML. It is cut before it is escaped, because a text that is cut inside an
 * escape would be another one.
 */
export function ofxText(text: string, most: number): string {
  const shown = asciiLine(text, '?').slice(0, most).trim();
  return shown.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/**
 * Returns whole characters in at most that many bytes of UTF-8, with … where some are left out.
 */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, most - 3), { stream: true })}…`;
}
