// Takes from an issued month what a later statement continues from in the books, and reports the
// accounts on which the issued months and a later statement do not agree.

import type { NotChecked } from '../domain/snapshot.ts';
import { valueIn } from '../domain/value-in.ts';
import { plus } from './exact.ts';
import {
  type AccountRole,
  type BooksBefore,
  type HeldAccount,
  isHeld,
  type JournalSection,
  type JournalSettings,
  type JournalTerms,
} from './journal.ts';
import type { AsIssued } from './statement.ts';

export function booksLeftBy(
  period: string,
  { named, terms, accounts: all, books, booked }: JournalSection,
): BooksBefore {
  const accounts = all.map(({ balance: _, ...account }) => account);
  const left = { period, named, terms, accounts };
  if (books === undefined || booked === undefined) return left;
  const { decimals, rates } = books;
  return { ...left, books: { decimals, rates, accounts: booked.accounts } };
}

/** Returns the month's held accounts (`isHeld`) with their balances at its end. */
export function heldIn({ accounts }: BooksBefore): readonly HeldAccount[] {
  return accounts.flatMap(({ opening, debit, credit, ...account }) =>
    opening === null || !isHeld(account.role)
      ? []
      : [{ ...account, balance: plus(opening, debit - credit) }],
  );
}

export function journalTerms(settings: JournalSettings): JournalTerms {
  const { code, books, accounts, rules, taxes } = settings;
  const numbers = Object.entries(accounts).map(([role, { number }]) => [role, number]);
  const ruled = [
    ...rules.flatMap(({ role, account, counterpart }) =>
      [account, counterpart].map((one) => ({ role, number: one?.number })),
    ),
    ...taxes.map(({ account }) => ({ role: 'feeTax', number: account?.number })),
  ].filter(({ number }) => number !== undefined);
  const given = [...Map.groupBy(ruled, ({ role }) => role)].map(([role, all]) => [
    role,
    [...new Set(all.map(({ number }) => number))],
  ]);
  return {
    code,
    currency: books?.currency ?? null,
    accounts: Object.fromEntries(numbers),
    given: Object.fromEntries(given),
  };
}

/**
 * Notes accounts that have another number now than in the issued month, or that rules now give
 * otherwise. It covers only roles whose balance no month knows: what is open on their old accounts
 * stays there.
 */
export function changedAccounts(
  { period, terms }: BooksBefore,
  settings: JournalSettings,
): readonly NotChecked[] {
  const now = journalTerms(settings);
  const roles = (Object.keys(now.accounts) as AccountRole[]).filter((role) => !isHeld(role));
  const changed = [
    ...(terms.code === now.code ? [] : [`${terms.code} → ${now.code}`]),
    ...roles
      .filter((role) => terms.accounts[role] !== now.accounts[role])
      .map((role) => `${terms.accounts[role]} → ${now.accounts[role]}`),
    ...roles.flatMap((role) => changedRules(role, terms, now)),
  ];
  if (changed.length === 0) return [];
  const accounts = [...new Set(changed)].join(', ');
  const why = `since ${period} they are others (${accounts}): what is open on those of before stays there until the books move it`;
  return [
    {
      what: 'accounts of before',
      why,
      incomplete: false,
      code: 'ACCOUNTS_CHANGED',
      figures: { period, accounts },
    },
  ];
}

/**
 * Returns texts like `4111 → 4112` for accounts that rules and taxes now give the role otherwise.
 * An account that was dropped without a successor is replaced by the role's own account, and an
 * account that is new replaces the role's own.
 */
function changedRules(role: AccountRole, then: JournalTerms, now: JournalTerms): readonly string[] {
  if (then.given === undefined) return [];
  const [old, given] = [then.given[role] ?? [], now.given![role] ?? []];
  const gone = old.filter((number) => !given.includes(number));
  const come = given.filter((number) => !old.includes(number));
  if (gone.length + come.length === 0) return [];
  const from = gone.length > 0 ? gone : [then.accounts[role]];
  const to = come.length > 0 ? come : [now.accounts[role]];
  return [`${from.join('/')} → ${to.join('/')}`];
}

/**
 * Returns the accounts whose movement (debit − credit) differs between the issued months together
 * and the year, by account number. Returns none when no months are given.
 */
export function differingAccounts(
  months: readonly BooksBefore[],
  year: JournalSection,
): readonly AsIssued[] {
  const sums = new Map<string, { issued: number; stated: number }>();
  const at = (account: string) => valueIn(sums, account, () => ({ issued: 0, stated: 0 }));
  for (const { account, debit, credit } of months.flatMap((month) => month.accounts))
    at(account).issued = plus(at(account).issued, debit - credit);
  for (const { account, debit, credit } of year.accounts)
    at(account).stated = plus(at(account).stated, debit - credit);
  // Only a year has transit entries, for operations that ended in it and have their line in the
  // next year, and for the same of the year before. The months have none, so they are taken out.
  for (const { account, debit, credit } of year.others
    .filter(({ source }) => source === 'transit')
    .flatMap(({ rows }) => rows))
    at(account).stated = plus(at(account).stated, credit - debit);
  return [...sums]
    .filter(([, { issued, stated }]) => months.length > 0 && issued !== stated)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, moved]) => ({ account, ...moved }));
}

/**
 * Returns the note that a statement shows about the differing accounts; empty when there are none.
 */
export function noteDiffering(differing: readonly AsIssued[]): readonly NotChecked[] {
  if (differing.length === 0) return [];
  const accounts = differing
    .map(({ account, issued, stated }) => `${account}: ${issued} ≠ ${stated}`)
    .join('; ');
  const why = `by account they come to otherwise than this statement (debit − credit): ${accounts}`;
  return [
    {
      what: 'months as issued',
      why,
      incomplete: false,
      code: 'MONTHS_DIFFER',
      figures: { accounts },
    },
  ];
}
