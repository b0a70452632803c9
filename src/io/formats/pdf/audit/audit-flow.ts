// What an audit report is drawn from: the document of an audit, its words in one language, and the place on the page.

import type { AuditReport } from '../../../../core/domain/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { Wording } from '../../port/wording.ts';
import type { PageFlow } from '../page/flow.ts';

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

export interface AuditFlow extends PageFlow {
  readonly audited: AuditedBooks;
  /** SHA-256 of the document's JSON form. */
  readonly hash: string;
  readonly said: Labels['audit'];
  readonly words: Wording;
}
