// What was found, as tables: the findings themselves, the differences that they name between
// recorded and recomputed figures, and the entries that would put open items right.

import { isGrave } from '../../domain/finding.ts';
import type {
  ReconciliationItem,
  StatementFinding,
  SuspenseItem,
} from '../section-reconciliation.ts';
import { field, type Table } from './table.ts';

/** A row in a language: with its sentence, and the word that says whether it is a root. */
type Worded<Row> = Row & { readonly message: string; readonly rank: string };

export const FINDINGS = {
  columns: [
    field('severity', 'severity', { width: 13 }),
    field('kind', 'finding', { width: 26, lines: 3 }),
    field('when', 'when', { width: 11 }),
    field('rank', 'text', { width: 12, offPage: 'always' }),
    field('sequence', 'serial', { width: 9 }),
    {
      key: 'reference',
      form: 'text',
      width: 22,
      pick: (row) => row.operationReference,
      offPage: 'always',
    },
    { key: 'date', form: 'instant', width: 18, pick: ({ at }) => at, offPage: 'always' },
    field('expected', 'figure', { width: 13, offPage: 'always' }),
    field('actual', 'figure', { width: 13, offPage: 'always' }),
    { key: 'difference', form: 'figure', width: 13, pick: ({ difference }) => moneyOf(difference) },
    field('message', 'text', { width: 50, lines: 4 }),
    field('fingerprint', 'text', { width: 19, offPage: 'always' }),
    field('causedBy', 'text', { width: 19, offPage: 'always' }),
  ],
  toneOf: ({ severity, causedBy, state }) => {
    if (causedBy !== null || state === 'settled') return 'muted';
    return isGrave({ severity }) ? 'alert' : 'plain';
  },
} as const satisfies Table<Worded<StatementFinding>>;

/**
 * Returns the difference if it is money, in whole units; otherwise `null`, because the message has
 * the words.
 */
function moneyOf(difference: string | null): string | null {
  return difference !== null && /^[-+]?\d{1,20}$/.test(difference) ? difference : null;
}

/** Named differences of the balance, or of the reserved amount. */
export const NAMED_DIFFERENCES = {
  columns: [
    field('sequence', 'serial', { width: 9 }),
    { key: 'date', form: 'instant', width: 18, pick: ({ at }) => at },
    field('amount', 'amount', { width: 13, sum: 'sum' }),
    { key: 'kind', form: 'finding', width: 22, lines: 3, pick: ({ rootKind }) => rootKind },
    field('rank', 'text', { width: 12, offPage: 'always' }),
    {
      key: 'reference',
      form: 'text',
      width: 22,
      pick: (row) => row.operationReference,
      offPage: 'always',
    },
    field('message', 'text', { width: 50, lines: 3 }),
    field('fingerprint', 'text', { width: 19, offPage: 'always' }),
    {
      key: 'causedBy',
      form: 'text',
      width: 19,
      pick: (row) => (row.rootFingerprint === row.fingerprint ? null : row.rootFingerprint),
      offPage: 'always',
    },
  ],
} as const satisfies Table<Worded<ReconciliationItem>>;

/** Entries that the merchant may ask the service to post. */
export const PROPOSALS = {
  columns: [
    { key: 'entry', form: 'kind', width: 34, lines: 2, pick: ({ kind }) => kind },
    field('amount', 'figure', { width: 14 }),
    { key: 'operation', form: 'text', width: 32, lines: 2, pick: (row) => row.operationReference },
    { key: 'finding', form: 'text', width: 20, pick: ({ fingerprint }) => fingerprint },
  ],
} as const satisfies Table<SuspenseItem['proposal'][number] & Pick<SuspenseItem, 'fingerprint'>>;
