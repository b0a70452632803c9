// What an audit report is drawn from: the document of an audit, its words in one language, and the place on the page.

import type { AuditReport } from '../../../domain/finding.ts';
import type { Language } from '../../../statements/statement.ts';
import type { PageFlow } from '../flow.ts';
import type { Wording } from '../wording.ts';
import ENGLISH from './labels.en.json' with { type: 'json' };
import FRENCH from './labels.fr.json' with { type: 'json' };

/** The JSON form of an audit, as `pointage audit --format json` has it. */
export interface AuditedBooks {
  readonly engine: string;
  readonly asOf: string;
  readonly source: string;
  readonly merchants: readonly AuditReport[];
  readonly totals: {
    readonly merchants: number;
    readonly clean: number;
    readonly broken: number;
    readonly incomplete: number;
  };
}

/** Every language has the same words to find. */
export type AuditLabels = typeof FRENCH;

const LABELS: Readonly<Record<Language, AuditLabels>> = { fr: FRENCH, en: ENGLISH };

export function auditLabels(language: Language): AuditLabels {
  return LABELS[language];
}

export interface AuditFlow extends PageFlow {
  readonly audited: AuditedBooks;
  /** SHA-256 of the document's JSON form. */
  readonly hash: string;
  readonly said: AuditLabels;
  readonly words: Wording;
}
