// Tables of what is streamed beside a statement: the month's lines, one by one and folded by
// operation, its operations, and the rows of its journal.

import type { JournalEntry, JournalRow } from '../journal.ts';
import type { OperationRow } from '../operation-rows.ts';
import { movesMoney } from '../statement.ts';
import type { AddedLine, StatementLine, StatementOperation } from '../statement-line.ts';
import type { Column, Table, Tone } from './table.ts';

const AMOUNT = {
  key: 'amount',
  form: 'amount',
  pick: ({ amount }) => amount,
} as const satisfies Column<{
  readonly amount: number;
}>;

/** A line; `flagText` says in words what is odd about it. */
export type LedgerLine = StatementLine & { readonly flagText?: string | null };

export const LEDGER = {
  columns: [
    { key: 'sequence', form: 'serial', width: 10, pick: ({ sequence }) => sequence },
    { key: 'moment', form: 'time', width: 24, pick: ({ localTime }) => localTime },
    { key: 'kind', form: 'kind', width: 35, pick: ({ kind }) => kind },
    {
      key: 'reference',
      form: 'text',
      width: 29,
      isWhole: true,
      pick: (line) => line.operationReference,
    },
    { key: 'debit', form: 'amount', width: 13, pick: ({ debit }) => debit, sum: 'sum' },
    { key: 'credit', form: 'amount', width: 13, pick: ({ credit }) => credit, sum: 'sum' },
    { key: 'balance', form: 'amount', width: 15, pick: ({ balance }) => balance },
    {
      key: 'reservedMove',
      form: 'amount',
      width: 13,
      pick: ({ reservedMove }) => (reservedMove === 0 ? null : reservedMove),
      sum: 'sum',
      offPage: 'always',
    },
    { key: 'reserved', form: 'amount', width: 14, pick: ({ reserved }) => reserved },
    {
      key: 'check',
      form: 'check',
      width: 10,
      pick: () => 0,
      formula:
        'ABS(^balance - debit + credit - balance) + ABS(^reserved + reservedMove - reserved)',
      sum: 'sum',
      offPage: 'always',
    },
    { key: 'label', form: 'text', width: 32, pick: ({ label }) => label },
    {
      key: 'partnerReference',
      form: 'text',
      width: 20,
      pick: (line) => line.externalReference,
      offPage: 'always',
    },
    {
      key: 'counterparty',
      form: 'text',
      width: 24,
      pick: (line) => line.counterpartyName ?? line.counterpartyNumber,
      offPage: 'always',
    },
    {
      key: 'operator',
      form: 'text',
      width: 11,
      pick: ({ operator }) => operator,
      offPage: 'always',
    },
    { key: 'country', form: 'text', width: 9, pick: ({ country }) => country, offPage: 'always' },
    { key: 'flags', form: 'text', width: 24, pick: ({ flagText }) => flagText, offPage: 'always' },
    { ...AMOUNT, offPage: 'always' },
    {
      key: 'recordedBalance',
      form: 'amount',
      width: 15,
      pick: (line) => line.recordedBalance,
      offPage: 'always',
    },
    {
      key: 'recordedReserved',
      form: 'amount',
      width: 15,
      pick: (line) => line.recordedReserved,
      offPage: 'always',
    },
  ],
  toneOf: ({ flags, isMemo }): Tone => (flags.length > 0 ? 'alert' : isMemo ? 'muted' : 'plain'),
} as const satisfies Table<LedgerLine>;

export const OPERATIONS = {
  columns: [
    { key: 'reference', form: 'text', width: 24, pick: ({ reference }) => reference },
    { key: 'type', form: 'type', width: 16, pick: ({ type }) => type },
    { key: 'state', form: 'state', width: 16, pick: ({ status }) => status },
    { key: 'created', form: 'time', width: 19, pick: ({ createdLocal }) => createdLocal },
    { key: 'completed', form: 'time', width: 19, pick: ({ completedLocal }) => completedLocal },
    { ...AMOUNT, width: 13 },
    {
      key: 'fees',
      form: 'amount',
      width: 12,
      pick: ({ fees, status }) => (movesMoney(status) ? fees : null),
    },
    {
      key: 'net',
      form: 'amount',
      width: 13,
      pick: (row) => (movesMoney(row.status) ? row.netAmount : null),
    },
    {
      key: 'name',
      form: 'text',
      width: 28,
      pick: (operation) => operation.counterpartyName,
      offPage: 'always',
    },
    {
      key: 'operator',
      form: 'text',
      width: 12,
      pick: ({ operator }) => operator,
      offPage: 'always',
    },
    { key: 'country', form: 'text', width: 8, pick: ({ country }) => country, offPage: 'always' },
    {
      key: 'number',
      form: 'text',
      width: 22,
      pick: (operation) => operation.counterpartyNumber,
      offPage: 'always',
    },
    {
      key: 'description',
      form: 'text',
      width: 34,
      pick: ({ description }) => description,
      offPage: 'always',
    },
    {
      key: 'partner',
      form: 'text',
      width: 22,
      pick: (operation) => operation.externalReference,
      offPage: 'always',
    },
  ],
  toneOf: ({ status }): Tone => (status === 'SUCCEEDED' ? 'plain' : 'muted'),
} as const satisfies Table<StatementOperation>;

/** A row in a language: `who` is who paid or was paid, or what else the line is. */
export type WordedRow = OperationRow & { readonly who: string };

/** Leaves out the year and the seconds: `10-01 00:12`. */
const short = (localTime: string | undefined): string | undefined => localTime?.slice(5, 16);

export const OPERATION_ROWS = {
  columns: [
    { key: 'moment', form: 'time', width: 8.6, pick: ({ line }) => short(line.localTime) },
    { key: 'operator', form: 'text', width: 7.6, pick: ({ line }) => line.operator },
    {
      key: 'reference',
      form: 'text',
      width: 15.4,
      isWhole: true,
      pick: ({ line }) => line.operationReference,
    },
    {
      key: 'partner',
      form: 'text',
      width: 15,
      isWhole: true,
      pick: ({ line }) => line.externalReference,
    },
    { key: 'name', form: 'text', width: 17.8, lines: 3, pick: ({ who }) => who },
    { key: 'amount', form: 'amount', width: 8.8, pick: ({ gross }) => gross, sum: 'sum' },
    { key: 'fees', form: 'amount', width: 8.8, pick: ({ commission }) => commission, sum: 'sum' },
    { key: 'net', form: 'amount', width: 9, pick: ({ net }) => net, sum: 'sum' },
    { key: 'balance', form: 'amount', width: 9, pick: ({ balance }) => balance },
  ],
  toneOf: ({ line, isAgain }): Tone => (isAgain || line.flags.length > 0 ? 'alert' : 'plain'),
} as const satisfies Table<WordedRow>;

/** Up to three operations that moved nothing in the month, shown beside each other. */
export type IdleRow = readonly StatementOperation[];

const idle = (place: number) =>
  [
    { key: 'created', form: 'time', width: 9.4, pick: (row) => short(row[place]?.createdLocal) },
    {
      key: 'reference',
      form: 'text',
      width: 16.6,
      isWhole: true,
      pick: (row) => row[place]?.reference,
    },
    { key: 'state', form: 'state', width: 7.3, pick: (row) => row[place]?.status },
  ] as const satisfies readonly Column<IdleRow>[];

export const IDLE_OPERATIONS = {
  columns: [...idle(0), ...idle(1), ...idle(2)],
} as const satisfies Table<IdleRow>;

/** A row of an entry, with its entry, its journal and its label. */
export type EntryRow = JournalRow & {
  readonly entry: JournalEntry;
  readonly journal: string;
  readonly label: string;
};

export const ENTRIES = {
  columns: [
    { key: 'journalEntry', form: 'text', width: 22, pick: ({ entry }) => entry.number },
    { key: 'date', form: 'day', width: 11, pick: ({ entry }) => entry.date },
    { key: 'journal', form: 'text', width: 8, pick: ({ journal }) => journal },
    { key: 'piece', form: 'text', width: 22, pick: ({ entry }) => entry.piece },
    { key: 'account', form: 'text', width: 9, pick: ({ account }) => account },
    { key: 'accountName', form: 'text', width: 34, pick: ({ accountLabel }) => accountLabel },
    { key: 'auxiliary', form: 'text', width: 14, pick: ({ auxiliary }) => auxiliary?.number },
    { key: 'letter', form: 'text', width: 10, pick: ({ letter }) => letter?.code },
    { key: 'label', form: 'text', width: 30, pick: ({ label }) => label },
    { key: 'debit', form: 'amount', pick: ({ debit }) => (debit === 0 ? null : debit), sum: 'sum' },
    {
      key: 'credit',
      form: 'amount',
      pick: ({ credit }) => (credit === 0 ? null : credit),
      sum: 'sum',
    },
  ],
} as const satisfies Table<EntryRow>;

/** Lines that this revision has and the revision before did not have. */
export const NEW_LINES = {
  columns: [
    { key: 'sequence', form: 'serial', width: 9, pick: ({ sequence }) => sequence },
    { key: 'moment', form: 'time', width: 18, pick: ({ localTime }) => localTime },
    { key: 'kind', form: 'kind', width: 24, pick: ({ kind }) => kind },
    { key: 'reference', form: 'text', width: 21, pick: (line) => line.operationReference },
    { key: 'entry', form: 'text', width: 20, pick: ({ entry }) => entry },
    { key: 'effect', form: 'amount', width: 13, pick: ({ effect }) => effect },
  ],
} as const satisfies Table<AddedLine>;
