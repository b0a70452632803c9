// What a statement says of itself and of its making, as tables: accounts, what a revision changed, interpretations, what was not
// checked, what the service's own report states otherwise, and the words in both languages.

import type { AccountTotals } from '../journal.ts';
import type { Table } from './table.ts';

/** The trial balance of the journal. */
export const ACCOUNTS = {
  columns: [
    { key: 'account', form: 'text', width: 14, pick: ({ account }) => account },
    { key: 'accountName', form: 'text', width: 36, pick: ({ label }) => label },
    { key: 'opening', form: 'amount', width: 16, pick: ({ opening }) => opening },
    { key: 'debit', form: 'amount', width: 16, pick: ({ debit }) => debit, sum: 'sum' },
    { key: 'credit', form: 'amount', width: 16, pick: ({ credit }) => credit, sum: 'sum' },
    { key: 'balance', form: 'amount', width: 16, pick: ({ balance }) => balance, formula: 'opening + debit - credit' },
  ],
} as const satisfies Table<AccountTotals>;

/** A figure and its values, in words, as a revision found it and as it left it. */
export const CHANGES = {
  columns: [
    { key: 'figure', form: 'text', width: 50, lines: 2, pick: ({ figure }) => figure },
    { key: 'before', form: 'text', width: 25, lines: 2, pick: ({ before }) => before },
    { key: 'after', form: 'text', width: 25, lines: 2, pick: ({ after }) => after },
  ],
} as const satisfies Table<Readonly<Record<'figure' | 'before' | 'after', string | null>>>;

/** A figure and its values, in words, that the service's own report states otherwise. */
export const DIFFERENCES = {
  columns: [
    { key: 'figure', form: 'text', width: 50, lines: 2, pick: ({ figure }) => figure },
    { key: 'service', form: 'text', width: 25, lines: 2, pick: ({ service }) => service },
    { key: 'statement', form: 'text', width: 25, lines: 2, pick: ({ ours }) => ours },
  ],
} as const satisfies Table<Readonly<Record<'figure' | 'service' | 'ours', string | null>>>;

export const ANSWERS = {
  columns: [
    { key: 'question', form: 'text', width: 50, lines: 2, pick: ([question]) => question },
    { key: 'answer', form: 'text', width: 78, lines: 3, pick: ([, answer]) => answer },
  ],
} as const satisfies Table<readonly [question: string, answer: string]>;

export const UNCHECKED = {
  columns: [
    { key: 'what', form: 'text', width: 50, lines: 3, pick: ({ what }) => what },
    { key: 'why', form: 'text', width: 78, lines: 6, pick: ({ why }) => why },
  ],
} as const satisfies Table<Readonly<Record<'what' | 'why', string>>>;

export const TERMS = {
  columns: [
    { key: 'french', form: 'text', width: 22, pick: ({ fr }) => fr },
    { key: 'english', form: 'text', width: 18, pick: ({ en }) => en },
    { key: 'meaning', form: 'text', width: 60, lines: 2, pick: ({ meaning }) => meaning },
  ],
} as const satisfies Table<Readonly<Record<'fr' | 'en' | 'meaning', string>>>;
