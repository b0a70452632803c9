// Refuses a journal in which two roles share an account. Does not load the check of a
// configuration, so that commands that read a journal need not wait for it.

import {
  ACCOUNT_ROLES,
  DEFAULT_JOURNAL,
  type JournalSettings,
} from '../../core/statements/journal.ts';
import type { GivenJournal } from './check-merchant.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';

/**
 * Throws `ConfigurationInvalid` where two roles share an account, or the wallet and a rule, because
 * the balance of the account would no longer be the wallet's. A later layer overrides an earlier
 * one.
 */
export function requireOwnAccounts(place: string, ...layers: readonly GivenJournal[]): void {
  const accounts = { ...DEFAULT_JOURNAL.accounts } as JournalSettings['accounts'];
  for (const { accounts: given } of layers) Object.assign(accounts, given);
  const roles = ACCOUNT_ROLES.map((role) => ({ role, number: accounts[role].number }));
  const rules = layers.flatMap(({ rules: given = [] }) =>
    given.map(({ role, account: { number = '' } = {} }) => ({ role, number })),
  );
  for (const one of [...roles, ...rules]) {
    const others = roles.filter(
      ({ role }) => role === 'wallet' || one.role === 'wallet' || roles.includes(one),
    );
    const other = others.find(({ role, number }) => role !== one.role && number === one.number);
    if (other === undefined) continue;
    const shared = `${other.role} and ${one.role} have one account, ${one.number}`;
    throw new ConfigurationInvalid(`${place}: ${shared}: give each an account of its own.`);
  }
}
