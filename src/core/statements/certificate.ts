// The certificate that a year is closed: its months as they were closed, what they have moved on
// each account, and the lines that came since. Made of what was issued and decided alone, so that
// it is the same of the same facts.

import type { Instant } from '../domain/instant.ts';
import { plus } from './exact.ts';
import type { AccountTotals, JournalRow } from './journal.ts';
import type { Statement } from './statement.ts';

export interface YearCertificate
  extends Pick<Statement, 'merchant' | 'issuer' | 'walletId' | 'currency' | 'engine'> {
  /** `2026`. */
  readonly year: string;
  readonly zone: string;
  /** From the first that was issued on, ascending. */
  readonly months: readonly ClosedMonth[];
  /**
   * Σ of the months, by number. Openings are what earlier months leave, as they were issued; where
   * none were, those of the first month, of the wallet's accounts alone.
   */
  readonly accounts: readonly AccountTotals[];
  /** Sequences of the lines dated in closed months that came after those were closed. */
  readonly late: readonly number[];
}

export interface ClosedMonth extends Pick<Statement['integrity'], 'contentHash'> {
  readonly period: string;
  readonly revision: number;
  readonly recorded: number;
  /** Null: the books were not whole. */
  readonly due: number | null;
  readonly verdict: Statement['summary']['verdict']['state'];
  readonly closed: { readonly at: Instant; readonly by: string; readonly reason: string | null };
  /** Of those that are late, how many are dated before its end. */
  readonly lateLines: number;
}

/**
 * Statements as they were issued, one a month and at least one, beside what was decided of each.
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
    /** What the year begins with; null: it is not known. */
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
 * By number. Openings are those of the first month, null where they are not known: of all but the
 * wallet's accounts.
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

/** With the openings in the place of those that the months know. */
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
