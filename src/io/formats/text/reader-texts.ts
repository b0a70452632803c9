// Texts from outside in the files of other programs. Each reader has its list here: the signs that mean something to it, what stands
// in their place, and how much of one text it takes. No text changes a row, ends one early, or stops the file. What a spreadsheet
// takes for a formula is in `layout.ts`, what XML refuses in `xml-text.ts`.

import { asciiLine, westernLine } from '../port/latin9.ts';
import { cutTo, oneLine } from '../port/one-line.ts';
import { disarm } from './layout.ts';

type Signs = readonly (readonly [sign: RegExp, instead: string])[];

const replaced = (text: string, signs: Signs): string =>
  signs.reduce((shown, [sign, instead]) => shown.replace(sign, instead), text);

const SPACES = [/\s+/g, ' '] as const;

/**
 * hledger and ledger: in comments and descriptions `;` and `|` begin another part, a colon makes a tag or an expression, brackets give a
 * posting another date; commas end a tag, parentheses a code. An account's name ends at two spaces, and signs mark virtual ones.
 */
const COMMENT: Signs = [[/[;|]/g, ','], [/:/g, '\u2236'], [/\[/g, '('], [/\]/g, ')'], SPACES];
const ACCOUNT: Signs = [[/[;:"|(){}[\]@=*!~<>%]/g, ' '], SPACES];
/** ledger refuses lines of more than 4,096 bytes, and at most three texts share one. */
const JOURNAL_BYTES = 1_000;

/** For a description, or a comment: begins neither comment nor tag, gives no date. */
export const journalComment = (text: string): string => cutBytes(replaced(oneLine(text), COMMENT), JOURNAL_BYTES);

export const journalTag = (text: string): string => journalComment(text).replace(/,/g, ' ');

export const journalCode = (text: string): string => journalComment(text).replace(/[()]/g, ' ');

export const journalAccount = (number: string, label: string): string =>
  cutBytes(replaced(oneLine(`${number} ${label}`), ACCOUNT).trim(), JOURNAL_BYTES);

export const journalCurrency = (currency: string): string =>
  /^[A-Za-z]+$/.test(currency) ? currency : `"${replaced(oneLine(currency), [[/[";]/g, ' ']])}"`;

/** A FEC has tabs or bars between its cells; programs that find both refuse it. */
export const fecText = (text: string): string => disarm(oneLine(text).replace(/\|/g, '/'));

/** Importers of a FEC, and Odoo's, take 250 characters of a label; one is for the apostrophe that disarms it. */
export function entryLabel(text: string): string {
  const plain = text.normalize('NFC').replaceAll('…', '...');
  return plain.length < 250 ? plain : `${cutTo(plain, 246)}...`;
}

export const sageText = (text: string): string => westernLine(text, '?');

const SMALL_WORDS = / (?:de|du|des|la|le|les|à|sur|par|of|the|to|for|on|by)(?= )/g;

/** A label of Sage in 25 characters: the small words go first, then the end of the last word that still says something. */
export function sageLabel(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.replace(SMALL_WORDS, '');
  if (short.length <= most) return short;
  const start = short.slice(0, most - 1);
  const isAbbreviated = /(?:^|\s)\p{L}{4,}$/u.test(start) && /\p{L}{2}/u.test(short.slice(most - 1, most + 1));
  return isAbbreviated
    ? `${start}.`
    : short
        .slice(0, most + 1)
        .replace(/(?<=\S)\s+\S*$/, '')
        .slice(0, most);
}

/** SWIFT's character set x, but for the question mark, which divides field 86; other characters become full stops. */
const SWIFT: Signs = [
  [/[_~]/g, '-'],
  [/&/g, '+'],
  [/["`]/g, "'"],
  [/[^A-Za-z0-9/:().,'+ -]/g, '.'],
];

export const swiftText = (text: string): string => replaced(asciiLine(text, '.'), SWIFT);

/** SGML, cut before it is escaped: a text that is cut in an escape would be another. */
export const ofxText = (text: string, most: number): string =>
  replaced(asciiLine(text, '?').slice(0, most).trim(), [
    [/&/g, '&amp;'],
    [/</g, '&lt;'],
    [/>/g, '&gt;'],
  ]);

/** Whole characters in at most so many bytes of UTF-8, with … where some are left out. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return `${new TextDecoder().decode(bytes.subarray(0, most - 3), { stream: true })}…`;
}
