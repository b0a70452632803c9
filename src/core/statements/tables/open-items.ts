// What is open at a month's cut-off and what reaches over it, each list as a table of its own: money still held, operations not
// final, reversals of earlier months' operations, lines that cross a bound, and corrections with their reasons.

import type {
  CorrectionLine,
  CrossingLine,
  EarlierReversal,
  OpenHold,
  OpenOperation,
} from '../section-reconciliation.ts';
import type { Column, Table } from './table.ts';

const SEQUENCE = {
  key: 'sequence',
  form: 'serial',
  width: 9,
  pick: ({ sequence }) => sequence,
} as const satisfies Column<{ readonly sequence: number }>;
const DATE = { key: 'date', form: 'instant', width: 18, pick: ({ at }) => at } as const satisfies Column<{
  readonly at: number;
}>;
const KIND = { key: 'kind', form: 'kind', width: 22, lines: 2, pick: ({ kind }) => kind } as const satisfies Column<{
  readonly kind: string;
}>;
const REFERENCE = {
  key: 'reference',
  form: 'text',
  width: 26,
  lines: 4,
  pick: (row) => row.operationReference,
} as const satisfies Column<{ readonly operationReference: string | null }>;
const AMOUNT = { key: 'amount', form: 'amount', pick: ({ amount }) => amount, sum: 'sum' } as const satisfies Column<{
  readonly amount: number;
}>;

export const OPEN_HOLDS = {
  columns: [
    SEQUENCE,
    { key: 'date', form: 'instant', width: 18, pick: ({ since }) => since },
    { ...REFERENCE, missing: 'noOperation' },
    { key: 'operator', form: 'text', width: 12, pick: ({ operator }) => operator },
    { key: 'country', form: 'text', width: 7, pick: ({ country }) => country },
    { key: 'held', form: 'amount', pick: ({ held }) => held, sum: 'sum' },
  ],
} as const satisfies Table<OpenHold>;

export const OPEN_OPERATIONS = {
  columns: [
    { key: 'reference', form: 'text', width: 22, pick: ({ reference }) => reference },
    { key: 'type', form: 'type', width: 13, pick: ({ type }) => type },
    { key: 'operator', form: 'text', width: 10, pick: ({ operator }) => operator },
    { key: 'country', form: 'text', width: 7, pick: ({ country }) => country },
    { ...AMOUNT, width: 13 },
    { key: 'fees', form: 'amount', width: 12, pick: ({ fees }) => fees, offPage: 'always' },
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
    { key: 'type', form: 'type', width: 13, pick: ({ type }) => type },
    { key: 'operator', form: 'text', width: 12, pick: ({ operator }) => operator },
    { key: 'operationCreated', form: 'instant', width: 18, pick: ({ operationCreatedAt }) => operationCreatedAt },
    AMOUNT,
  ],
} as const satisfies Table<EarlierReversal>;

/** `remark`: on which side the line is by its date, and on which by its number. */
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

/** Reasons are printed to their last word, as far as a page has room: accounts of suspense are cleared by them. */
export const CORRECTIONS = {
  columns: [
    SEQUENCE,
    DATE,
    KIND,
    { key: 'effect', form: 'amount', pick: ({ amount }) => amount },
    REFERENCE,
    { key: 'reason', form: 'text', width: 38, lines: 60, pick: ({ reason }) => reason },
  ],
} as const satisfies Table<CorrectionLine>;
