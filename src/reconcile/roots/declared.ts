// What the kind of a finding declares of it.

import { KINDS } from '../../checks/kinds/catalogue.ts';
import type { KindDeclaration } from '../../checks/kinds/declaration.ts';
import type { FindingDraft } from '../../domain/finding.ts';

export function declared({ kind }: Pick<FindingDraft, 'kind'>): KindDeclaration {
  return KINDS[kind];
}

/** Findings that say something harmless explain nothing and follow from nothing. */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || declared(draft).standsAlone === true;
}
