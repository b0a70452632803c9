// The port through which the kernel gets its sentences: it decides on kinds, codes and figures, and
// its caller passes in what puts them into words.

import type { ReportedFigures } from './figures.ts';
import type { FindingKind } from './finding-kind.ts';
import type { NotChecked, Note } from './snapshot.ts';

export interface ReportWording {
  /** Returns one or more sentences, made only of the figures of the kind. */
  finding(kind: FindingKind, figures: ReportedFigures): string;
  /**
   * Returns the note with its reason as one clause; a note that is already in words is returned as
   * it is.
   */
  note(note: Note): NotChecked;
}
