// What people call the kinds of ledger lines, for formats that have no words of a template: ours, in both languages.

import type { Language } from '../../../core/statements/statement.ts';
import { nameCode } from '../../../core/words/names.ts';
import { LABELS } from '../../../core/words/tree.ts';

/** A kind that the service's document does not know is named by itself. */
export function nameKind(kind: string, language: Language): string {
  return nameCode(LABELS[language], 'kinds', kind);
}
