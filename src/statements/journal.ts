// The double-entry journal "MM" (monnaie électronique) of a month. Each line that moves the balance is one entry that
// balances in itself; entries come with their lines, and the statement holds the totals by account.

import type { Amount } from '../domain/amount.ts';

/** What an account is for; its number and name are configuration. */
export const ACCOUNT_ROLES = [
  'wallet',
  'fees',
  'feeTax',
  'customers',
  'suppliers',
  'suspenseDebit',
  'suspenseCredit',
] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

export interface Account {
  readonly number: string;
  readonly label: string;
}

export interface JournalSettings {
  readonly code: string;
  readonly label: string;
  readonly accounts: Readonly<Record<AccountRole, Account>>;
  /** Tax contained in commissions, in basis points of the commission without tax; 0: none. */
  readonly feeTaxBps: number;
}

/** SYSCOHADA révisé, to be confirmed by the merchant's accountant. */
export const DEFAULT_JOURNAL: JournalSettings = {
  code: 'MM',
  label: 'Monnaie électronique',
  accounts: {
    wallet: { number: '552', label: 'Monnaie électronique, téléphone portable' },
    fees: { number: '6317', label: 'Frais sur instruments de monnaie électronique' },
    feeTax: { number: '4454', label: 'TVA récupérable sur services' },
    customers: { number: '411', label: 'Clients' },
    suppliers: { number: '401', label: 'Fournisseurs' },
    suspenseDebit: { number: '4711', label: 'Débiteurs divers, en attente de régularisation' },
    suspenseCredit: { number: '4712', label: 'Créditeurs divers, en attente de régularisation' },
  },
  feeTaxBps: 0,
};

/** One entry: Σ debit = Σ credit. */
export interface JournalEntry {
  /** `MM-2026-10-000001`; numbers follow each other without a gap, in the order of the ledger. */
  readonly number: string;
  /** `YYYY-MM-DD`, in the period's zone. */
  readonly date: string;
  /** The operation's reference, so that a reversal stands under its original's piece; else `LINE-` and the sequence. */
  readonly piece: string;
  readonly rows: readonly JournalRow[];
}

export interface JournalRow {
  readonly role: AccountRole;
  readonly account: string;
  readonly accountLabel: string;
  /** One of the two is 0, the other positive. */
  readonly debit: Amount;
  readonly credit: Amount;
}

export interface JournalSection {
  readonly code: string;
  readonly label: string;
  readonly entryCount: number;
  /** Null when there is none. */
  readonly firstNumber: string | null;
  readonly lastNumber: string | null;
  /** Accounts with a movement, and always the wallet's, by number. */
  readonly accounts: readonly AccountTotals[];
  readonly debit: Amount;
  readonly credit: Amount;
  /** The wallet's account over the month; `difference` = closing − `summary.closingBalance`, always 0. */
  readonly wallet: {
    readonly account: string;
    readonly opening: Amount;
    readonly debit: Amount;
    readonly credit: Amount;
    readonly closing: Amount;
    readonly difference: 0;
    /** An account of money must not be in credit: true when closing < 0. */
    readonly isInCredit: boolean;
  };
}

export interface AccountTotals {
  readonly role: AccountRole;
  readonly account: string;
  readonly label: string;
  readonly debit: Amount;
  readonly credit: Amount;
  /** debit − credit. */
  readonly balance: Amount;
}
