// The journal's settings of a merchant, put together from what is configured for it and for all, over the defaults. Knows nothing
// of how they are checked, so that a command without a journal need not load the checks.

import {
  ACCOUNT_ROLES,
  type AccountRole,
  DEFAULT_JOURNAL,
  type FeeTax,
  type JournalSettings,
  type PostingField,
  type PostingRule,
} from '../../core/statements/journal.ts';
import type { GivenJournal } from './journal-settings.ts';

type GivenRule = NonNullable<GivenJournal['rules']>[number];

/** `layers`: the later over the earlier, all over the defaults. Rules of a later layer are tried first. */
export function journalOf(layers: readonly GivenJournal[]): JournalSettings {
  const last = <Value>(pick: (layer: GivenJournal) => Value | undefined): Value | undefined =>
    layers.map(pick).findLast((one) => one !== undefined);
  const accountOf = (role: AccountRole) => last((layer) => layer.accounts?.[role]) ?? DEFAULT_JOURNAL.accounts[role];
  return {
    code: last((layer) => layer.code) ?? DEFAULT_JOURNAL.code,
    label: last((layer) => layer.label) ?? DEFAULT_JOURNAL.label,
    accounts: Object.fromEntries(ACCOUNT_ROLES.map((role) => [role, accountOf(role)])) as JournalSettings['accounts'],
    rules: layers.toReversed().flatMap((layer) => (layer.rules ?? []).map(ruleOf)),
    taxes: last(taxesOf) ?? DEFAULT_JOURNAL.taxes,
    entries: last((layer) => layer.entries) ?? DEFAULT_JOURNAL.entries,
    opening: last((layer) => layer.opening) ?? DEFAULT_JOURNAL.opening,
  };
}

function ruleOf({ role, when, account: given, auxiliary }: GivenRule): PostingRule {
  const asked = Object.entries(when).filter(([, one]) => one !== undefined) as [PostingField, readonly string[]][];
  return { role, when: Object.fromEntries(asked), account: given ?? null, auxiliary: auxiliary ?? null };
}

function taxesOf({ taxes, feeTaxBps }: GivenJournal): readonly FeeTax[] | undefined {
  if (taxes !== undefined) {
    return taxes.map(({ name, bps, from, countries, account: given, recoverable }) => ({
      name,
      bps,
      from: from ?? null,
      countries: countries ?? null,
      account: given ?? null,
      isRecoverable: recoverable,
    }));
  }
  if (feeTaxBps === undefined) return undefined;
  if (feeTaxBps === 0) return [];
  return [{ name: 'TVA', bps: feeTaxBps, from: null, countries: null, account: null, isRecoverable: true }];
}
