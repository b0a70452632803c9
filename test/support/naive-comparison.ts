// Compares the naive model with a report: the books in the model's words, the interpretations that
// the report says stand, and findings by kind and place.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import { adjustmentsIn } from '../../src/core/samples/read-sample.ts';
import { NAIVE_KINDS, naiveAudit } from '../naive/naive-audit.ts';
import type { Interpretations, NaiveBooks } from '../naive/naive-books.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export function naiveBooksOf(books: DecodedBooks): NaiveBooks {
  const { entries, operations, wallet, profile, asOf, notifications } = books;
  const adjustedAt = adjustmentsIn(notifications) ?? [];
  return { lines: entries, operations, wallet, profile, asOf, adjustedAt, notifications };
}

/** Returns the books for an audit that is not given the notifications. */
export function naiveBooksUntold(books: DecodedBooks): NaiveBooks {
  return { ...naiveBooksOf(books), adjustedAt: [], notifications: null };
}

export function interpretationsOf({ assumptions }: AuditReport): Interpretations {
  const answers = (question: string): readonly string[] =>
    [assumptions[question]].flat() as string[];
  return {
    holdSettlement: answers('holdSettlement'),
    holdAmount: answers('holdAmount'),
    cashinCredit: answers('cashinCredit'),
    reversal: answers('reversal'),
    feeRounding: answers('feeRounding'),
  };
}

/**
 * Returns what the naive model says of the books, as text, sorted. Each kind and place is there
 * once.
 */
export function saidByNaive(books: NaiveBooks, standing: Interpretations): readonly string[] {
  return textsOf(naiveAudit(books, standing));
}

/** Returns findings of the naive model as texts, sorted. */
export function textsOf(found: ReturnType<typeof naiveAudit>): readonly string[] {
  const said = found.map(({ kind, sequence, operationReference }) =>
    [kind, sequence ?? '-', operationReference ?? '-'].join(' '),
  );
  return [...new Set(said)].sort();
}

/** Returns what the report says, of the kinds that the naive model can tell. */
export function saidByEngine({ findings }: AuditReport): readonly string[] {
  return findings
    .filter(({ kind }) => NAIVE_KINDS.includes(kind))
    .map(({ kind, sequence, operationReference }) =>
      [kind, sequence ?? '-', operationReference ?? '-'].join(' '),
    )
    .sort();
}
