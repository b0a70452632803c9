// The one tree of words, in both languages, as pointage brings it: documents, mails, and what findings are said in. Every
// other room takes its words from here; nothing is filled in, and no operator's own words are read.

import ENGLISH from '../../reports-templates/words.en.json' with { type: 'json' };
import FRENCH from '../../reports-templates/words.fr.json' with { type: 'json' };
import type { FindingKind } from '../domain/finding-kind.ts';

/** Every language has the same words to find, and a name and a message for each kind of finding. */
export type Labels = typeof FRENCH & {
  readonly findings: Readonly<Record<'names' | 'messages', Readonly<Record<FindingKind, string>>>>;
};

export type LabelLanguage = 'fr' | 'en';

export const LABELS: Readonly<Record<LabelLanguage, Labels>> = { fr: FRENCH, en: ENGLISH };
