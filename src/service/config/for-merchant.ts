// What a configuration means for one merchant: its own settings over those for all, over the defaults.

import { CURRENCIES } from '../../core/domain/amount.ts';
import { QUESTIONS, type Standing, setOf } from '../../core/domain/assumptions.ts';
import { MINUTE } from '../../core/domain/instant.ts';
import type { LegalIdentity, Parties } from '../../core/domain/merchant.ts';
import { openZone, type Zone, zoneNameOf, zoneNamesOfCountries } from '../../core/domain/zone.ts';
import {
  DEFAULT_JOURNAL,
  type FeeTax,
  type JournalSettings,
  type PostingField,
  type PostingRule,
} from '../../core/statements/journal.ts';
import type { Configuration } from './check-configuration.ts';
import { type GivenIdentity, type GivenJournal, requireOwnAccounts } from './check-merchant.ts';

/** The interpretations pinned for a merchant: its own, else those for all. */
export function pinnedFor(configuration: Configuration, reference: string): Partial<Standing> {
  const named = { ...configuration.assumptions, ...configuration.merchants[reference]?.assumptions };
  const sets = QUESTIONS.flatMap((question) => {
    const interpretation = named[question];
    return interpretation === undefined ? [] : [[question, setOf(question, interpretation)] as const];
  });
  return Object.fromEntries(sets);
}

/** The zone of a merchant's months: its own, else the one for all; `local` is that of its country. */
export function zoneFor(
  configuration: Configuration,
  merchant: { readonly reference: string; readonly country: string | null },
): Zone {
  const named = configuration.merchants[merchant.reference]?.zone ?? configuration.zone;
  const name = named === 'local' ? zoneNameOf(merchant.country) : named;
  const zone = zones.get(name) ?? openZone(name)!;
  zones.set(name, zone);
  return zone;
}

/** To open one takes as long as much of a merchant's quiet night. */
const zones = new Map<string, Zone>();

/** Every zone in which some merchant's months may begin, sorted. */
export function zonesOfMonths({ zone, merchants }: Configuration): readonly string[] {
  const named = [zone, ...Object.values(merchants).flatMap((one) => one.zone ?? [])];
  const zones = named.flatMap((name) => (name === 'local' ? zoneNamesOfCountries() : [name]));
  return [...new Set(zones)].sort();
}

/** Who is named on a merchant's documents: the first issuer that fits its country and its service, and the holder. */
export function partiesFor(
  { issuers, merchants, source }: Configuration,
  { reference, country }: { readonly reference: string; readonly country: string | null },
): Parties {
  const { holder, source: own = source } = merchants[reference] ?? {};
  const issuer = issuers.find(
    ({ countries, sources }) =>
      (countries === undefined || (country !== null && countries.includes(country))) &&
      (sources === undefined || (own !== undefined && sources.includes(own))),
  );
  return {
    issuer: issuer === undefined ? null : identityOf(issuer),
    holder: holder === undefined ? null : identityOf(holder),
  };
}

function identityOf({ legalName, registration, taxLabel, taxNumber, address }: GivenIdentity): LegalIdentity {
  return {
    legalName: legalName ?? null,
    registration: registration ?? null,
    taxNumber: taxNumber === undefined ? null : { label: taxLabel, number: taxNumber },
    address,
  };
}

export function toleranceOf(configuration: Configuration): { readonly grace: number; readonly clockTolerance: number } {
  return {
    grace: configuration.graceMinutes * MINUTE,
    clockTolerance: configuration.clockToleranceMinutes * MINUTE,
  };
}

type GivenRule = NonNullable<GivenJournal['rules']>[number];

/** The journal of a merchant: its own settings over those for all, over the defaults. Its own rules are tried first. */
export function journalFor(configuration: Configuration, reference: string): JournalSettings {
  const layers = [configuration.journal, configuration.merchants[reference]?.journal ?? {}];
  requireOwnAccounts(`The journal of ${reference}`, ...layers);
  const { feeTaxBps: _, books, ...own }: GivenJournal = Object.assign({}, ...layers);
  return {
    ...DEFAULT_JOURNAL,
    ...own,
    links: { ...DEFAULT_JOURNAL.links, ...own.links },
    accounts: Object.assign({}, DEFAULT_JOURNAL.accounts, ...layers.map(({ accounts }) => accounts)),
    rules: layers.toReversed().flatMap((layer) => (layer.rules ?? []).map(ruleOf)),
    taxes: layers.map(taxesOf).findLast((one) => one !== undefined) ?? DEFAULT_JOURNAL.taxes,
    books: books && { decimals: (CURRENCIES as readonly string[]).includes(books.currency) ? 0 : 2, ...books },
  } as JournalSettings;
}

function ruleOf({ role, when, account: given, auxiliary, counterpart }: GivenRule): PostingRule {
  const asked = Object.entries(when).filter(([, one]) => one !== undefined) as [PostingField, readonly string[]][];
  const account = given ?? null;
  return { role, when: Object.fromEntries(asked), account, auxiliary: auxiliary ?? null, counterpart };
}

function taxesOf({ taxes, feeTaxBps: bps }: GivenJournal): readonly FeeTax[] | undefined {
  const ofBps: GivenJournal['taxes'] = bps ? [{ name: 'TVA', bps, recoverable: true }] : bps === 0 ? [] : undefined;
  return (taxes ?? ofBps)?.map(({ name, bps: rate, from, countries, account, recoverable }) => ({
    ...{ name, bps: rate, from: from ?? null, countries: countries ?? null, account: account ?? null },
    isRecoverable: recoverable,
  }));
}
