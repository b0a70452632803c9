// Texts from outside in the files of other programs. Each reader has its list here: the signs that
// mean something to it, what is written in their place, and how much of one text it takes. No text
// changes a row, ends one early, or stops the file. What a spreadsheet takes for a formula is in
// `layout.ts`, what XML refuses in `xml-text.ts`.

import { asciiLine, westernLine } from '../port/latin9.ts';
import { cutTo, oneLine } from '../port/one-line.ts';
import { disarm } from './layout.ts';

/** ledger refuses lines of more than 4,096 bytes, and at most three texts share one. */
const JOURNAL_BYTES = 1_000;

/**
 * For hledger and ledger, in comments and descriptions: `;` and `|` begin another part, a colon
 * makes a tag or an expression, brackets give a posting another date. Commas end a tag, parentheses
 * a code.
 */
export function journalComment(text: string): string {
  const shown = oneLine(text)
    .replace(/[;|]/g, ',')
    .replace(/:/g, '\u2236')
    .replace(/\[/g, '(')
    .replace(/\]/g, ')');
  return cutBytes(shown.replace(/\s+/g, ' '), JOURNAL_BYTES);
}

export const journalTag = (text: string): string => journalComment(text).replace(/,/g, ' ');
export const journalCode = (text: string): string => journalComment(text).replace(/[()]/g, ' ');

/** Ends at two spaces; other signs begin a comment, or mark a virtual account. */
export function journalAccount(number: string, label: string): string {
  const shown = oneLine(`${number} ${label}`).replace(/[;:"|(){}[\]@=*!~<>%]/g, ' ');
  return cutBytes(shown.replace(/\s+/g, ' ').trim(), JOURNAL_BYTES);
}

export function journalCurrency(currency: string): string {
  return /^[A-Za-z]+$/.test(currency) ? currency : `"${oneLine(currency).replace(/[";]/g, ' ')}"`;
}

/** A FEC has tabs or bars between its cells; programs that find both refuse it. */
export const fecText = (text: string): string => disarm(oneLine(text).replace(/\|/g, '/'));

/**
 * Importers of a FEC, and Odoo's, take 250 characters of a label; one is for the apostrophe that
 * disarms it.
 */
export function entryLabel(text: string): string {
  const plain = text.normalize('NFC').replaceAll('…', '...');
  return plain.length < 250 || cutTo(plain, 249) === plain ? plain : `${cutTo(plain, 246)}...`;
}

export const sageText = (text: string): string => westernLine(text, '?');

const SMALL_WORDS = / (?:de|du|des|la|le|les|à|sur|par|of|the|to|for|on|by)(?= )/g;

/**
 * A label of Sage in 25 characters: the small words go first, then the end of the last word that
 * still says something.
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
 * SWIFT's character set x, but for the question mark, which divides field 86; other characters
 * become full stops.
 */
export function swiftText(text: string): string {
  const shown = asciiLine(text, '.').replace(/[_~]/g, '-').replace(/&/g, '+').replace(/["`]/g, "'");
  return shown.replace(/[^A-Za-z0-9/:().,'+ -]/g, '.');
}

/** SGML, cut before it is escaped: a text that is cut in an escape would be another. */
export function ofxText(text: string, most: number): string {
  const shown = asciiLine(text, '?').slice(0, most).trim();
  return shown.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** Whole characters in at most so many bytes of UTF-8, with … where some are left out. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, most - 3), { stream: true })}…`;
}
