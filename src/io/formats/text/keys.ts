// Keys by which importers of accounting files know an account, a piece or an entry. Each key uses
// only the characters and the width that its importer takes, and different names have different
// keys.

import { keyIn, type NameForm, nameIn } from '../../../core/domain/naming/names.ts';
import { valueIn } from '../../../core/domain/value-in.ts';
import { latin9Text } from '../port/latin9.ts';
import { fecText, sageText } from './reader-texts.ts';

const fecKeys = new Map<string, string>();

export function fecKey(text: string): string {
  // Keys are kept, because the rows of an entry and of an account ask for the same ones again and
  // again.
  if (fecKeys.size >= 200) fecKeys.clear();
  return valueIn(fecKeys, text, () => keyIn(200, (one) => latin9Text(fecText(one)), text));
}

const lettersOf = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '');
/** A part of a file's name, with letters and digits alone. */
export const FEC_FILE = {
  width: 40,
  spell: lettersOf,
  foldsCase: true,
  mark: '',
  digits: 10,
} as const;

const SAGE_KEY: NameForm = { width: 13, spell: sageText, foldsCase: true, mark: '', digits: 8 };

/** Returns a key of at most 13 characters; an empty one for an empty text. */
export function sageKey(text: string): string {
  return text === '' ? '' : nameIn(SAGE_KEY, text);
}

/**
 * Returns a key of at most 13 characters for a piece: the service's reference without `GUI-` and
 * hyphens, or else a key as any other.
 */
export function sagePiece(piece: string): string {
  const short = piece.replace(/^GUI-(C[IO])-([A-Z0-9]{7,11})$/, '$1$2');
  // A piece that only looks like a shortened reference must not get the same key, so its spelling
  // is changed.
  const spell = (text: string): string => sageText(text).replace(/^(?=C[IO][A-Z0-9]{7,11}$)/, '?');
  return short === piece ? nameIn({ ...SAGE_KEY, spell }, piece) : short;
}
