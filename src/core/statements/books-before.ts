// What the books hold of the months that were issued, as far as a later statement goes on from it,
// and what it says where the two do not agree by account.

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

/** Its accounts that are held. */
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
 * Of accounts that have another number since, or that rules give otherwise, and whose balance no
 * month knows: what is open on them stays there.
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

/** An account that has none in its place is replaced by that of the role, and the reverse. */
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
 * By account, what the months of a year have moved otherwise as they were issued than the year
 * states; none where no months are given.
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
  // A year alone has these: what ended in it and has its line in the next, and the same of the year
  // before.
  for (const { account, debit, credit } of year.others
    .filter(({ source }) => source === 'transit')
    .flatMap(({ rows }) => rows))
    at(account).stated = plus(at(account).stated, credit - debit);
  return [...sums]
    .filter(([, { issued, stated }]) => months.length > 0 && issued !== stated)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([account, moved]) => ({ account, ...moved }));
}

/** What a statement says of them. */
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
