// The naive model's audit: everything that it knows to be wrong with whole books, under the
// interpretations that it is told. It says no roots: only what, and where.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { ACCOUNT_KINDS, accountFindings } from './account-findings.ts';
import { LINE_KINDS, lineFindings } from './line-findings.ts';
import type { Interpretations, NaiveBooks, NaiveFinding } from './naive-books.ts';
import { naiveSettled } from './naive-due.ts';
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
  const corrections = new Set(naiveSettled(books, standing).flatMap(({ by }) => by));
  // A reversal that puts its operation right is no line of it, nor is what came late, and an
  // adjustment that does is explained by that.
  const isLeft = (line: LedgerEntry): boolean =>
    !corrections.has(line) || line.kind.startsWith('ADJUSTMENT_');
  const left = { ...books, lines: books.lines.filter(isLeft) };
  const byOperation = new Map(
    [...replayed.byOperation].map(([reference, steps]) => [
      reference,
      steps.filter(({ line }) => isLeft(line)),
    ]),
  );
  // What late lines released was held until then.
  const held = new Map(
    [...byOperation].map(([reference, steps]) => {
      const isWhole = steps.length === replayed.byOperation.get(reference)!.length;
      return [
        reference,
        isWhole ? replayed.held.get(reference)! : steps.reduce((sum, { move }) => sum + move, 0),
      ];
    }),
  );
  const explained = new Set([...corrections].map(({ sequence }) => sequence));
  return [
    ...lineFindings(books, replayed),
    ...operationFindings(left, { ...replayed, byOperation, held }, standing),
    ...stateFindings(left),
    ...walletFindings(books, replayed),
    ...accountFindings(left).filter(
      ({ kind, sequence }) => kind !== 'ADJUSTMENT_UNEXPLAINED' || !explained.has(sequence!),
    ),
    ...notificationFindings(books),
  ];
}
