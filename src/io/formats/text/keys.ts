// What importers of accounting files know an account, a piece or an entry by: kept apart in the
// signs and the width of each.

import { keyIn, type NameForm, nameIn } from '../../../core/domain/naming/names.ts';
import { valueIn } from '../../../core/domain/value-in.ts';
import { latin9Text } from '../port/latin9.ts';
import { fecText, sageText } from './reader-texts.ts';

const fecKeys = new Map<string, string>();

export function fecKey(text: string): string {
  // The rows of an entry, and those of an account, ask for one key again and again.
  if (fecKeys.size >= 200) fecKeys.clear();
  return valueIn(fecKeys, text, () => keyIn(200, (one) => latin9Text(fecText(one)), text));
}

const lettersOf = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '');
/** Of the name of a file: letters and digits alone. */
export const FEC_FILE = {
  width: 40,
  spell: lettersOf,
  foldsCase: true,
  mark: '',
  digits: 10,
} as const;

const SAGE_KEY: NameForm = { width: 13, spell: sageText, foldsCase: true, mark: '', digits: 8 };

/** At most 13 characters; none for none. */
export function sageKey(text: string): string {
  return text === '' ? '' : nameIn(SAGE_KEY, text);
}

/**
 * At most 13 characters that tell one piece from another: the service's reference without `GUI-`
 * and hyphens, else as any key.
 */
export function sagePiece(piece: string): string {
  const short = piece.replace(/^GUI-(C[IO])-([A-Z0-9]{7,11})$/, '$1$2');
  // What only looks so is none of them.
  const spell = (text: string): string => sageText(text).replace(/^(?=C[IO][A-Z0-9]{7,11}$)/, '?');
  return short === piece ? nameIn({ ...SAGE_KEY, spell }, piece) : short;
}
