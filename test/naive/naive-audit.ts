// The naive model's audit: everything that it knows to be wrong with whole books, under the interpretations that it is
// told. It says no roots: only what, and where.

import { ACCOUNT_KINDS, accountFindings } from './account-findings.ts';
import { LINE_KINDS, lineFindings } from './line-findings.ts';
import type { Interpretations, NaiveBooks, NaiveFinding } from './naive-books.ts';
import { naiveReplay } from './naive-replay.ts';
import { NOTIFICATION_KINDS, notificationFindings } from './notification-findings.ts';
import { OPERATION_KINDS, operationFindings } from './operation-findings.ts';
import { STATE_KINDS, stateFindings, walletFindings } from './state-findings.ts';

/** The kinds that it can tell; of all others it says nothing. */
export const NAIVE_KINDS: readonly string[] = [
  ...LINE_KINDS,
  ...OPERATION_KINDS,
  ...STATE_KINDS,
  ...ACCOUNT_KINDS,
  ...NOTIFICATION_KINDS,
];

export function naiveAudit(books: NaiveBooks, standing: Interpretations): readonly NaiveFinding[] {
  const replayed = naiveReplay(books, standing);
  return [
    ...lineFindings(books, replayed),
    ...operationFindings(books, replayed, standing),
    ...stateFindings(books),
    ...walletFindings(books, replayed),
    ...accountFindings(books),
    ...notificationFindings(books),
  ];
}
