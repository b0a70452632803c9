// The certificate that a year is closed: its months as they were closed, what they moved on each
// account, and the lines that came since. It is made only of what was issued and decided, so that
// the same facts always make the same certificate.

import type { Instant } from '../domain/instant.ts';
import { plus } from './exact.ts';
import type { AccountTotals, JournalRow } from './journal.ts';
import type { Statement } from './statement.ts';

export interface YearCertificate
  extends Pick<Statement, 'merchant' | 'issuer' | 'walletId' | 'currency' | 'engine'> {
  /** `2026`. */
  readonly year: string;
  readonly zone: string;
  /** Months from the first issued one on, ascending. */
  readonly months: readonly ClosedMonth[];
  /**
   * Sums of the months, by account number. An opening is what earlier issued months leave on the
   * account. If no earlier month was issued, it is the first month's opening, which only the
   * wallet's accounts have.
   */
  readonly accounts: readonly AccountTotals[];
  /** Sequences of the lines dated in closed months that came after those were closed. */
  readonly late: readonly number[];
}

export interface ClosedMonth extends Pick<Statement['integrity'], 'contentHash'> {
  readonly period: string;
  readonly revision: number;
  readonly recorded: number;
  /** `null` when the balance due was not known because the books were not whole. */
  readonly due: number | null;
  readonly verdict: Statement['summary']['verdict']['state'];
  readonly closed: { readonly at: Instant; readonly by: string; readonly reason: string | null };
  /** How many of the late lines are dated before the end of this month. */
  readonly lateLines: number;
}

/**
 * Makes the certificate of issued statements. There must be at least one, one for each month, each
 * with what was decided on closing it.
 */
export function certifyMonths(
  year: string,
  closed: readonly (Pick<ClosedMonth, 'closed' | 'lateLines'> & {
    readonly statement: Statement;
  })[],
  {
    late,
    opening,
  }: {
    readonly late: readonly number[];
    /** Balances that the year begins with; `null` when they are not known. */
    readonly opening: readonly JournalRow[] | null;
  },
): YearCertificate {
  const { merchant, issuer, walletId, currency, engine, period } = closed.at(-1)!.statement;
  const months = closed.map(
    ({ statement: { summary, integrity, ...of }, ...decided }): ClosedMonth => {
      const { recorded, due, verdict, revision } = summary;
      const figures = {
        recorded: recorded.balance,
        due: due?.balance ?? null,
        verdict: verdict.state,
      };
      return {
        period: of.period.period,
        revision,
        contentHash: integrity.contentHash,
        ...figures,
        ...decided,
      };
    },
  );
  const accounts = openAccounts(sumAccounts(closed.map(({ statement }) => statement)), opening);
  return {
    year,
    merchant,
    issuer,
    walletId,
    currency,
    engine,
    zone: period.zone,
    months,
    accounts,
    late,
  };
}

/**
 * Sums the accounts of the months, by account number. An account's opening is that of the first
 * month. It is `null` where months do not know it, which is all accounts but the wallet's.
 */
export function sumAccounts(
  months: readonly Pick<Statement, 'journal'>[],
): readonly AccountTotals[] {
  const sums = new Map<string, AccountTotals>();
  for (const [i, { journal }] of months.entries())
    for (const row of journal.accounts) {
      const begun = {
        opening: i === 0 || row.opening === null ? row.opening : 0,
        debit: 0,
        credit: 0,
      };
      const { opening, ...known } = sums.get(row.account) ?? begun;
      const [debit, credit] = [plus(known.debit, row.debit), plus(known.credit, row.credit)];
      sums.set(row.account, {
        ...row,
        opening,
        debit,
        credit,
        balance: plus(opening ?? 0, plus(debit, -credit)),
      });
    }
  return [...sums.values()].sort((a, b) => (a.account < b.account ? -1 : 1));
}

/**
 * Replaces the openings of `accounts` by those in `opening`, and adds the accounts that only
 * `opening` has. Returns `accounts` as they are when `opening` is `null`.
 */
function openAccounts(
  accounts: readonly AccountTotals[],
  opening: readonly JournalRow[] | null,
): readonly AccountTotals[] {
  if (opening === null) return accounts;
  const opened = new Map(opening.map((row) => [row.account, row]));
  const moved = new Set(accounts.map(({ account }) => account));
  const still = opening
    .filter(({ account }) => !moved.has(account))
    .map(({ role, account, accountLabel: label }) => ({
      role,
      account,
      label,
      debit: 0,
      credit: 0,
    }));
  return [...accounts, ...still]
    .map(({ debit, credit, ...row }) => {
      const begun = opened.get(row.account);
      const before = begun === undefined ? 0 : begun.debit - begun.credit;
      const balance = plus(before, plus(debit, -credit));
      return { ...row, opening: before, debit, credit, balance };
    })
    .sort((a, b) => (a.account < b.account ? -1 : 1));
}
