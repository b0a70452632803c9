// The one encoder of names and keys that leave the program: for file names, and for the ids,
// accounts and numbers inside files. It keeps no list of names: a name depends on its text alone.

import { digestOf } from './digest.ts';

/** What a target accepts as a name. */
export interface NameForm {
  /** The longest name, in characters, or in bytes of UTF-8 when `isFile`. */
  readonly width: number;
  /** Writes a text of any length in the characters that the target accepts. */
  readonly spell: (text: string) => string;
  /** Present when the target does not tell capitals from small letters. */
  readonly foldsCase?: true;
  readonly isFile?: true;
  /** Comes before the digits. Empty when the target accepts letters and digits alone. */
  readonly mark: string;
  /** How many digits in base 36 tell encoded names apart. */
  readonly digits: number;
}

/**
 * Returns the name of `text` in a target. The contract:
 * - The name fits: it has at most `width` characters, and `spell` leaves all of them as they are.
 * - A plain text is its own name. Plain is a text that fits, that `spell` leaves as it is, that is
 *   in capitals where the target ignores case, and that does not look like an encoded name.
 * - Any other text gets digits of a hash of the whole text after what can be kept of it:
 *   `shop.ci` → `shop_ci--QLZIKMYE1L`. Two texts have equal names, also for a target that ignores
 *   case, only where these digits are equal: with 10 digits, once in 36^10.
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
 * Returns the text in the form in which disks compare names that ignore case and the difference
 * between composed characters and their parts.
 */
function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}

/**
 * Returns the name of `text` where letters, digits and `-` may be: an id, an account, a number.
 * Empty for an empty text.
 */
export function keyIn(width: number, spell: NameForm['spell'], text: string): string {
  return text === '' ? '' : nameIn({ width, spell, mark: '--', digits: 10 }, text);
}

/** Names that Windows reserves for devices, in every folder. */
const DEVICE = /^(?=(?:CON|PRN|AUX|NUL|(?:COM|LPT)[\d¹²³])$)/i;
const OUTSIDE = /[^\p{L}\p{N}_-]/gu;
const FILE_PART = { width: 96, foldsCase: true, isFile: true, mark: '--', digits: 10 } as const;

/** Returns a merchant's reference as part of a file or folder name: `M001` for M001. */
export function inFileName(reference: string): string {
  const spell = (text: string): string =>
    text.normalize('NFC').replace(OUTSIDE, '_').replace(DEVICE, '_');
  return nameIn({ ...FILE_PART, spell }, reference);
}

/**
 * Returns `KIT_M001_2026`. Every file about one merchant has such a name, followed by its file
 * extension.
 */
export function documentName(kind: string, merchant: string, about: string): string {
  return `${kind}_${inFileName(merchant)}_${about}`;
}

/**
 * Makes the name of a whole file safe, which begins with a `documentName`. The name stays as it is
 * when `refused` matches none of its characters (by default, characters that lead out of a folder);
 * otherwise it gets digits before its extensions.
 */
export function safeFileName(name: string, refused = /[^\p{L}\p{N}_.-]/gu): string {
  const safe = (text: string): string => text.replace(refused, '_').replace(/^\./, '_');
  // Every disk takes 200 bytes, and a suffix besides while the file is being written.
  if (name !== '' && safe(name) === name && fits({ isFile: true }, name, 200)) return name;
  const [, stem = '', endings = ''] = /^(.*?)((?:\.\w{1,8}){0,4})$/su.exec(name) ?? [];
  return `${nameIn({ ...FILE_PART, spell: () => `${safe(stem)}_` }, name)}${endings}`;
}

/**
 * Returns the last `count` digits, at most 13, of a hash of the text in base 36. Parts are hashed
 * after the text, because otherwise its last characters would change too few digits.
 */
export function digitsOf(text: string, count: number): string {
  const { high, low } = digestOf([text, 1, 2, 3]);
  const bits = (BigInt(high) << 32n) | BigInt(low);
  return bits.toString(36).toUpperCase().padStart(13, '0').slice(-count);
}
