// Tables of what a statement says about itself and how it was made: accounts, changes of a
// revision, interpretations, checks that were not made, differences from the service's own report,
// and the terms in both languages.

import type { AccountTotals } from '../journal.ts';
import type { MonthsToYear } from '../months-to-year.ts';
import { field, type Table } from './table.ts';

/** The trial balance of the journal. */
export const ACCOUNTS = {
  columns: [
    field('account', 'text', { width: 14 }),
    { key: 'accountName', form: 'text', width: 36, lines: 2, pick: ({ label }) => label },
    field('opening', 'amount', { width: 16 }),
    field('debit', 'amount', { width: 16, sum: 'sum' }),
    field('credit', 'amount', { width: 16, sum: 'sum' }),
    field('balance', 'amount', { width: 16, formula: 'opening + debit - credit' }),
  ],
} as const satisfies Table<AccountTotals>;

/** An account with its amounts in the books' currency beside them, as decimal texts. */
export type BookedAccount = AccountTotals &
  Readonly<Record<`${'opening' | 'debit' | 'credit' | 'balance'}InBooks`, string | null>>;

/** The trial balance where the books are kept in another currency than the wallet's. */
export const BOOKED_ACCOUNTS = {
  columns: [
    field('account', 'text', { width: 7 }),
    { key: 'accountName', form: 'text', width: 17, lines: 2, pick: ({ label }) => label },
    field('opening', 'amount', { width: 9.5 }),
    field('debit', 'amount', { width: 9.5, sum: 'sum' }),
    field('credit', 'amount', { width: 9.5, sum: 'sum' }),
    field('balance', 'amount', { width: 9.5 }),
    field('openingInBooks', 'figure', { width: 9.5 }),
    field('debitInBooks', 'figure', { width: 9.5, sum: 'sum' }),
    field('creditInBooks', 'figure', { width: 9.5, sum: 'sum' }),
    field('balanceInBooks', 'figure', { width: 9.5 }),
  ],
} as const satisfies Table<BookedAccount>;

/** Leads from what the months of a year leave on an account to what the year leaves on it. */
export const MONTHS_TO_YEAR = {
  columns: [
    field('account', 'text', { width: 14 }),
    { key: 'accountName', form: 'text', width: 36, pick: ({ label }) => label },
    { key: 'ofMonths', form: 'amount', width: 16, pick: ({ months }) => months },
    field('transitBefore', 'amount', { width: 16, sum: 'sum' }),
    field('transitAfter', 'amount', { width: 16, sum: 'sum' }),
    field('otherwise', 'amount', { width: 16, offPage: 'zero' }),
    {
      key: 'ofYear',
      form: 'amount',
      width: 16,
      formula: 'ofMonths + transitBefore + transitAfter + otherwise',
      pick: ({ year }) => year,
    },
  ],
} as const satisfies Table<MonthsToYear>;

/** The name of a figure and its values before and after a revision, in words. */
export const CHANGES = {
  columns: [
    field('figure', 'text', { width: 50, lines: 2 }),
    field('before', 'text', { width: 25, lines: 2 }),
    field('after', 'text', { width: 25, lines: 2 }),
  ],
} as const satisfies Table<Readonly<Record<'figure' | 'before' | 'after', string | null>>>;

/**
 * The name of a figure that the service's own report states otherwise, and both values, in words.
 */
export const DIFFERENCES = {
  columns: [
    field('figure', 'text', { width: 50, lines: 2 }),
    field('service', 'text', { width: 25, lines: 2 }),
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
    field('what', 'text', { width: 50, lines: 3 }),
    field('why', 'text', { width: 78, lines: 6 }),
  ],
} as const satisfies Table<Readonly<Record<'what' | 'why', string>>>;

export const TERMS = {
  columns: [
    { key: 'french', form: 'text', width: 22, pick: ({ fr }) => fr },
    { key: 'english', form: 'text', width: 18, pick: ({ en }) => en },
    field('meaning', 'text', { width: 60, lines: 2 }),
  ],
} as const satisfies Table<Readonly<Record<'fr' | 'en' | 'meaning', string>>>;
