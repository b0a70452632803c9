// Tables of what is open at a month's cut-off and what reaches over it: money still held,
// operations that are not final, reversals of earlier months' operations, lines that cross a bound,
// suspense, and corrections with their reasons.

import type { SuspenseRow } from '../journal.ts';
import type {
  CorrectionLine,
  CrossingLine,
  EarlierReversal,
  OpenHold,
  OpenOperation,
} from '../section-reconciliation.ts';
import { type Column, field, type Table } from './table.ts';

const SEQUENCE = field('sequence', 'serial', { width: 9 });
const DATE = {
  key: 'date',
  form: 'instant',
  width: 18,
  pick: ({ at }) => at,
} as const satisfies Column<{
  readonly at: number;
}>;
const KIND = field('kind', 'kind', { width: 22, lines: 2 });
const REFERENCE = {
  key: 'reference',
  form: 'text',
  width: 26,
  lines: 4,
  pick: (row) => row.operationReference,
} as const satisfies Column<{ readonly operationReference: string | null }>;
const AMOUNT = field('amount', 'amount', { sum: 'sum' });

export const OPEN_HOLDS = {
  columns: [
    SEQUENCE,
    { key: 'date', form: 'instant', width: 18, pick: ({ since }) => since },
    { ...REFERENCE, missing: 'noOperation' },
    field('operator', 'text', { width: 12 }),
    field('country', 'text', { width: 7 }),
    field('held', 'amount', { sum: 'sum' }),
  ],
} as const satisfies Table<OpenHold>;

export const OPEN_OPERATIONS = {
  columns: [
    field('reference', 'text', { width: 22 }),
    field('type', 'type', { width: 13 }),
    field('operator', 'text', { width: 10 }),
    field('country', 'text', { width: 7 }),
    { ...AMOUNT, width: 13 },
    field('fees', 'amount', { width: 12, offPage: 'always' }),
    { key: 'created', form: 'instant', width: 18, pick: ({ createdAt }) => createdAt },
    { key: 'expires', form: 'instant', width: 18, pick: ({ expiresAt }) => expiresAt },
    { key: 'status', form: 'status', width: 15, pick: ({ statusAsRead }) => statusAsRead },
    { key: 'completed', form: 'instant', width: 18, pick: ({ completedAt }) => completedAt },
  ],
} as const satisfies Table<OpenOperation>;

export const EARLIER_REVERSALS = {
  columns: [
    SEQUENCE,
    DATE,
    REFERENCE,
    field('type', 'type', { width: 13 }),
    field('operator', 'text', { width: 12 }),
    {
      key: 'operationCreated',
      form: 'instant',
      width: 18,
      pick: ({ operationCreatedAt }) => operationCreatedAt,
    },
    AMOUNT,
  ],
} as const satisfies Table<EarlierReversal>;

/**
 * `remark` says on which side of the bound the line is by its date, and on which by its number.
 */
export const CROSSING = {
  columns: [
    SEQUENCE,
    DATE,
    KIND,
    REFERENCE,
    { key: 'effect', form: 'amount', pick: ({ balanceEffect }) => balanceEffect },
    { key: 'bound', form: 'text', width: 34, lines: 2, pick: ({ remark }) => remark },
  ],
} as const satisfies Table<CrossingLine & { readonly remark: string }>;

const AGED = { form: 'amount', width: 13, sum: 'sum' } as const;

/** What is open on the accounts of suspense at the end of a year. */
export const SUSPENSE = {
  columns: [
    field('piece', 'text', { width: 24, lines: 2 }),
    field('account', 'text', { width: 9 }),
    { key: 'since', form: 'day', width: 11, pick: ({ date }) => date },
    field('age', 'count', { width: 8 }),
    ...(['upTo30', 'upTo60', 'upTo90', 'older'] as const).map(
      (key, i) =>
        ({ ...AGED, key, pick: ({ ages }) => ages[i] }) as const satisfies Column<SuspenseRow>,
    ),
    { ...AGED, key: 'balance', pick: ({ balance }) => balance },
  ],
} as const satisfies Table<SuspenseRow>;

/**
 * Reasons are printed to their last word, as far as a page has room, because accountants clear the
 * accounts of suspense by them.
 */
export const CORRECTIONS = {
  columns: [
    SEQUENCE,
    DATE,
    { ...KIND, width: 30, lines: 1 },
    { key: 'effect', form: 'amount', pick: ({ amount }) => amount },
    REFERENCE,
    field('reason', 'text', { width: 44, lines: 60 }),
  ],
} as const satisfies Table<CorrectionLine>;
