// The port through which what decides gets its sentences: it makes kinds, codes and figures, and its
// caller hands in who words them.

import type { ReportedFigures } from './figures.ts';
import type { FindingKind } from './finding-kind.ts';
import type { NotChecked, Note } from './snapshot.ts';

export interface Wording {
  /** Returns one or more sentences, made of nothing but the figures of the kind. */
  finding(kind: FindingKind, figures: ReportedFigures): string;
  /** Returns the note with its reason as one clause; a note that has its words stays as it is. */
  note(note: Note): NotChecked;
}
