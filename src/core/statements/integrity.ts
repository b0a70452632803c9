// The hashes of a statement. The chain runs over the month's lines. The content hash covers every
// figure that the month is answerable for, and not the circumstances in which it was read.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { formatPeriod } from '../domain/period.ts';
import { answerableOf } from './comparison.ts';
import type { MonthSettings } from './month-settings.ts';
import type { Statement } from './statement.ts';

/**
 * Returns the link before the first line: the hash of a JSON array of the chain's version,
 * merchant, currency, period and bounds.
 */
export function beginChain({ merchant, currency, period, bounds, hash }: MonthSettings): string {
  return hash(
    JSON.stringify([
      'pointage chain 1',
      merchant,
      currency,
      formatPeriod(period),
      bounds.start,
      bounds.end,
    ]),
  );
}

/**
 * Returns the next link: the hash of the link before, a line feed, and a JSON array of what was
 * recorded. The description is not in it, because no figure rests on it and documents show it with
 * phone numbers masked.
 */
export function chainLine(
  link: string,
  entry: Omit<LedgerEntry, 'description'>,
  hash: MonthSettings['hash'],
): string {
  const { sequence, id, createdAt, kind, direction, amount, currency } = entry;
  const { balanceAfter, reservedAfter, operationReference } = entry;
  const facts = [sequence, id, createdAt, kind, direction, amount, currency];
  return hash(
    `${link}\n${JSON.stringify([...facts, balanceAfter, reservedAfter, operationReference])}`,
  );
}

/**
 * A statement before it has a content hash: without its hashes, its revision, and when and by which
 * version it was made.
 */
export type StatementContent = Omit<
  Statement,
  'integrity' | 'revision' | 'summary' | 'generatedAt' | 'engine'
> & {
  readonly summary: Omit<Statement['summary'], 'revision'>;
};

/**
 * Keys that the content hash leaves out: wording, and what a later reading may lawfully state
 * otherwise of the same month.
 */
const NOT_CONTENT = new Set([
  'proposal',
  'acceptedBy',
  'settledSince',
  'candidate',
  'message',
  'figures',
  'statusAsRead',
  'completedAt',
  'roundings',
  'rootKind',
  'rootFingerprint',
  'perpetual',
  'named',
  'terms',
  'suspended',
  'goesOnFrom',
]);

/**
 * Returns the JSON text that is hashed: the statement's tables in their order, without names,
 * without the profile, without findings that lie outside the month, and without the keys in
 * `NOT_CONTENT`.
 */
export function canonicalContent(content: StatementContent): string {
  const {
    merchant,
    currency,
    period,
    summary,
    movements,
    operators,
    days,
    commissions,
    due,
    reconciliation,
  } = content;
  const { findings, openHolds, openOperations, earlierReversals, crossing, journal } = content;
  const { zone, start, end } = period;
  const ofMonth = findings.rows.filter((row) => row.when === 'month');
  const head = [
    'pointage content 1',
    merchant.reference,
    currency,
    period.period,
    zone,
    start,
    end,
  ];
  const tables = [summary, movements, operators, days, commissions, due, reconciliation, ofMonth];
  const open = [openHolds, openOperations, earlierReversals, crossing, journal];
  const links = answerableOf(content.paymentsByLink);
  return JSON.stringify(
    [...head, ...tables, ...open, ...(links === null ? [] : [links])],
    (key, value) => (NOT_CONTENT.has(key) ? undefined : value),
  );
}
