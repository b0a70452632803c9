// The one encoder of names and keys that leave the program: in the names of files, and in the ids,
// accounts and numbers inside them. Keeps no list of what it named: a name depends on its text
// alone.

import { digestOf } from './digest.ts';

/** What a target takes for a name. */
export interface NameForm {
  /** Characters at most; `isFile`: bytes of UTF-8. */
  readonly width: number;
  /** Writes a text, however long, in the characters that the target takes. */
  readonly spell: (text: string) => string;
  /** True where the target takes capitals for small letters. */
  readonly foldsCase?: true;
  readonly isFile?: true;
  /** Comes before the digits. Empty where the target takes letters and digits alone. */
  readonly mark: string;
  /** How many digits tell encoded names apart, in base 36. */
  readonly digits: number;
}

/**
 * Returns the name of `text` in a target. The contract:
 * - it fits: at most `width` characters, and `spell` changes none of them;
 * - a plain text keeps itself: one that `spell` leaves as it is, that fits, and that is in capitals
 *   where the target folds case;
 * - two texts meet, also after the target's fold of case, only where their digits do, which is once
 *   in 36^10 for 10 of them: any text that is not plain gets digits of a hash of the whole of it
 *   behind what can be kept (`shop.ci` → `shop_ci--QLZIKMYE1L`), and one that looks like an encoded
 *   one is not plain.
 */
export function nameIn(form: NameForm, text: string): string {
  const { width, mark, digits, foldsCase } = form;
  const spelled = form.spell(text);
  const end = text.slice(-digits - mark.length);
  const looksEncoded =
    mark !== '' && end.startsWith(mark) && /^[0-9A-Z]+$/.test(end.slice(mark.length));
  const isWhole = spelled === text && text !== '' && (!foldsCase || foldCase(text) === text);
  if (isWhole && !looksEncoded && fits(form, text, width)) return text;
  const room = width - mark.length - digits;
  const kept = [...spelled].slice(0, room);
  while (!fits(form, kept.join(''), room)) kept.pop();
  return `${kept.join('')}${mark}${digitsOf(text, digits)}`;
}

function fits({ isFile }: Pick<NameForm, 'isFile'>, text: string, width: number): boolean {
  return (isFile ? new TextEncoder().encode(text) : [...text]).length <= width;
}

/**
 * The text as disks compare names that take capitals for small letters and composed signs for their
 * parts.
 */
function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}

/**
 * Returns the name of `text` where letters, digits and `-` may be: an id, an account, a number.
 * None for none.
 */
export function keyIn(width: number, spell: NameForm['spell'], text: string): string {
  return text === '' ? '' : nameIn({ width, spell, mark: '--', digits: 10 }, text);
}

/** Names that Windows gives to devices, in every folder. */
const DEVICE = /^(?=(?:CON|PRN|AUX|NUL|(?:COM|LPT)[\d¹²³])$)/i;
const OUTSIDE = /[^\p{L}\p{N}_-]/gu;
const FILE_PART = { width: 96, foldsCase: true, isFile: true, mark: '--', digits: 10 } as const;

/** A merchant's reference in the name of a file or a folder: `M001` for M001. */
export function inFileName(reference: string): string {
  const spell = (text: string): string =>
    text.normalize('NFC').replace(OUTSIDE, '_').replace(DEVICE, '_');
  return nameIn({ ...FILE_PART, spell }, reference);
}

/**
 * Returns `KIT_M001_2026`: every file that is about one merchant is named so, and has its ending
 * behind.
 */
export function documentName(kind: string, merchant: string, about: string): string {
  return `${kind}_${inFileName(merchant)}_${about}`;
}

/**
 * Returns the name of a whole file that was made of `documentName`: as it is where `refused` finds
 * none of its characters (by default, those that lead out of a folder); else with digits before its
 * endings.
 */
export function safeFileName(name: string, refused = /[^\p{L}\p{N}_.-]/gu): string {
  const safe = (text: string): string => text.replace(refused, '_').replace(/^\./, '_');
  // Any disk takes that many bytes, and what is put behind a name while its file is written.
  if (name !== '' && safe(name) === name && fits({ isFile: true }, name, 200)) return name;
  const [, stem = '', endings = ''] = /^(.*?)((?:\.\w{1,8}){0,4})$/su.exec(name) ?? [];
  return `${nameIn({ ...FILE_PART, spell: () => `${safe(stem)}_` }, name)}${endings}`;
}

/**
 * Returns at most 13 digits in base 36. Behind the text come more parts, so that its last
 * characters reach all of them.
 */
export function digitsOf(text: string, count: number): string {
  const { high, low } = digestOf([text, 1, 2, 3]);
  const bits = (BigInt(high) << 32n) | BigInt(low);
  return bits.toString(36).toUpperCase().padStart(13, '0').slice(-count);
}
