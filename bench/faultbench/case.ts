// A case of the benchmark: the files that an engine may read, and the truth that it must not.

import type { BookFiles } from './csv.ts';

export interface Figures {
  readonly balance: string;
  readonly reserved: string;
}

/**
 * fault: one of a kind · two, five: so many at once · long, vast: one among 10,000 or 100,000 lines
 * · clean: nothing is wrong · oddity: unusual and lawful · unresolvable: what is there cannot tell,
 * and abstaining is right · history: one fault, between two readings.
 */
export type Group =
  | 'fault'
  | 'two'
  | 'five'
  | 'long'
  | 'vast'
  | 'clean'
  | 'oddity'
  | 'unresolvable'
  | 'history';

/** What is wrong, and where: an empty part of the place means that the place has no such part. */
export interface Truth {
  readonly kind: string;
  /** Name of the fault in the list; all cases of that name are scored together. */
  readonly fault: string;
  readonly sequence: string;
  readonly reference: string;
}

export interface Case {
  readonly name: string;
  readonly group: Group;
  /** The files of each reading. Only a case of history has several readings. */
  readonly nights: readonly BookFiles[];
  /** breaks: the running figures of the ledger do not follow from its lines · hides: they do. */
  readonly form: 'breaks' | 'hides' | '';
  readonly lines: number;
  /**
   * What is wrong. Empty where nothing is wrong, or nothing can be told; then `about` names the
   * oddity or what is missing.
   */
  readonly truths: readonly Truth[];
  readonly about: string;
  /** What balance and reserved amount must be; null: not asked. */
  readonly due: Figures | null;
}

/**
 * A row of findings.csv. `kind` is a kind of the list, `ANY` where the engine names none, `none`
 * where it finds nothing, or `abstain`.
 */
export interface Claim {
  readonly kind: string;
  readonly sequence: string;
  readonly reference: string;
  readonly due: Figures | null;
}

export const TRUTH_COLUMNS = [
  'case',
  'group',
  'fault',
  'kind',
  'form',
  'lines',
  'sequence',
  'operation_reference',
  'due_balance',
  'due_reserved',
] as const;

export const FINDING_COLUMNS = [
  'case',
  'kind',
  'sequence',
  'operation_reference',
  'due_balance',
  'due_reserved',
] as const;

/**
 * Returns the rows of truth.csv. A case in which nothing is wrong has one row with the kind `none`,
 * or `abstain`.
 */
export function truthRows({ name, group, form, lines, truths, about, due }: Case) {
  const common = {
    case: name,
    group,
    form,
    lines: String(lines),
    due_balance: due?.balance ?? '',
    due_reserved: due?.reserved ?? '',
  };
  if (truths.length === 0) {
    const kind = group === 'unresolvable' ? 'abstain' : 'none';
    return [{ ...common, fault: about, kind, sequence: '', operation_reference: '' }];
  }
  return truths.map(({ kind, fault, sequence, reference }) => ({
    ...common,
    fault,
    kind,
    sequence,
    operation_reference: reference,
  }));
}

export function findingRows(name: string, claims: readonly Claim[]) {
  return claims.map(({ kind, sequence, reference, due }) => ({
    case: name,
    kind,
    sequence,
    operation_reference: reference,
    due_balance: due?.balance ?? '',
    due_reserved: due?.reserved ?? '',
  }));
}
