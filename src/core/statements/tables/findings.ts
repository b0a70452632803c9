// What was found, as tables: the findings themselves, the differences that they name between recorded and recomputed figures, and the
// entries that would put open items right.

import type { ReconciliationItem, StatementFinding, SuspenseItem } from '../section-reconciliation.ts';
import type { Table } from './table.ts';

/** A row with what a language makes of it: its sentence, and whether it is a root. */
type Worded<Row> = Row & { readonly message: string; readonly rank: string };

export const FINDINGS = {
  columns: [
    { key: 'severity', form: 'severity', width: 13, pick: ({ severity }) => severity },
    { key: 'kind', form: 'finding', width: 26, lines: 3, pick: ({ kind }) => kind },
    { key: 'when', form: 'when', width: 11, pick: ({ when }) => when },
    { key: 'rank', form: 'text', width: 12, pick: ({ rank }) => rank, offPage: 'always' },
    { key: 'sequence', form: 'serial', width: 9, pick: ({ sequence }) => sequence },
    { key: 'reference', form: 'text', width: 22, pick: (row) => row.operationReference, offPage: 'always' },
    { key: 'date', form: 'instant', width: 18, pick: ({ at }) => at, offPage: 'always' },
    { key: 'expected', form: 'figure', width: 13, pick: ({ expected }) => expected, offPage: 'always' },
    { key: 'actual', form: 'figure', width: 13, pick: ({ actual }) => actual, offPage: 'always' },
    { key: 'difference', form: 'figure', width: 13, pick: ({ difference }) => moneyOf(difference) },
    { key: 'message', form: 'text', width: 50, lines: 4, pick: ({ message }) => message },
    { key: 'fingerprint', form: 'text', width: 19, pick: ({ fingerprint }) => fingerprint, offPage: 'always' },
    { key: 'causedBy', form: 'text', width: 19, pick: ({ causedBy }) => causedBy, offPage: 'always' },
  ],
  toneOf: ({ severity, causedBy, state }) => {
    if (causedBy !== null || state === 'settled') return 'muted';
    return severity === 'critical' || severity === 'error' ? 'alert' : 'plain';
  },
} as const satisfies Table<Worded<StatementFinding>>;

/** Differences of findings are whole units, or words where the figure is not money: those are in the message. */
function moneyOf(difference: string | null): string | null {
  return difference !== null && /^[-+]?\d{1,20}$/.test(difference) ? difference : null;
}

/** Of the balance or of the reserved amount. */
export const NAMED_DIFFERENCES = {
  columns: [
    { key: 'sequence', form: 'serial', width: 9, pick: ({ sequence }) => sequence },
    { key: 'date', form: 'instant', width: 18, pick: ({ at }) => at },
    { key: 'amount', form: 'amount', width: 13, pick: ({ amount }) => amount, sum: 'sum' },
    { key: 'kind', form: 'finding', width: 22, lines: 3, pick: ({ rootKind }) => rootKind },
    { key: 'rank', form: 'text', width: 12, pick: ({ rank }) => rank, offPage: 'always' },
    { key: 'reference', form: 'text', width: 22, pick: (row) => row.operationReference, offPage: 'always' },
    { key: 'message', form: 'text', width: 50, lines: 3, pick: ({ message }) => message },
    { key: 'fingerprint', form: 'text', width: 19, pick: ({ fingerprint }) => fingerprint, offPage: 'always' },
    {
      key: 'causedBy',
      form: 'text',
      width: 19,
      pick: (row) => (row.rootFingerprint === row.fingerprint ? null : row.rootFingerprint),
      offPage: 'always',
    },
  ],
} as const satisfies Table<Worded<ReconciliationItem>>;

/** What the merchant may ask of the service. */
export const PROPOSALS = {
  columns: [
    { key: 'entry', form: 'kind', width: 34, lines: 2, pick: ({ kind }) => kind },
    { key: 'amount', form: 'figure', width: 14, pick: ({ amount }) => amount },
    { key: 'operation', form: 'text', width: 32, lines: 2, pick: (row) => row.operationReference },
    { key: 'finding', form: 'text', width: 20, pick: ({ fingerprint }) => fingerprint },
  ],
} as const satisfies Table<SuspenseItem['proposal'][number] & Pick<SuspenseItem, 'fingerprint'>>;
