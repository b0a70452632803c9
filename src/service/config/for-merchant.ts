// What a configuration means for one merchant: its own settings go before those for all, and these
// before the defaults.

import { QUESTIONS, type Standing, setOf } from '../../core/domain/assumptions.ts';
import { MINUTE } from '../../core/domain/instant.ts';
import type { LegalIdentity, Parties } from '../../core/domain/merchant.ts';
import { valueIn } from '../../core/domain/value-in.ts';
import { openZone, type Zone, zoneNameOf, zoneNamesOfCountries } from '../../core/domain/zone.ts';
import {
  DEFAULT_JOURNAL,
  type FeeTax,
  type JournalSettings,
  type PostingField,
  type PostingRule,
} from '../../core/statements/journal.ts';
import type { Configuration } from './check-configuration.ts';
import type { GivenIdentity, GivenJournal } from './check-merchant.ts';
import { requireOwnAccounts } from './own-accounts.ts';

/** The interpretations pinned for a merchant: its own, else those for all. */
export function pinnedFor(configuration: Configuration, reference: string): Partial<Standing> {
  const named = {
    ...configuration.assumptions,
    ...configuration.merchants[reference]?.assumptions,
  };
  const sets = QUESTIONS.flatMap((question) => {
    const interpretation = named[question];
    return interpretation === undefined
      ? []
      : [[question, setOf(question, interpretation)] as const];
  });
  return Object.fromEntries(sets);
}

/**
 * The zone of a merchant's months: its own, else the one for all; `local` is that of its country.
 */
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

/**
 * The zones opened so far, by name, because to open a zone takes as long as much of a merchant's
 * quiet night.
 */
const zones = new Map<string, Zone>();

/** Every zone in which some merchant's months may begin, sorted. */
export function zonesOfMonths({ zone, merchants }: Configuration): readonly string[] {
  const named = [zone, ...Object.values(merchants).flatMap((one) => one.zone ?? [])];
  const zones = named.flatMap((name) => (name === 'local' ? zoneNamesOfCountries() : [name]));
  return [...new Set(zones)].sort();
}

/**
 * Returns who is named on a merchant's documents: the first issuer that fits its country and its
 * source, and the holder.
 */
export function partiesFor(
  configuration: Configuration,
  merchant: { readonly reference: string; readonly country: string | null },
): Parties {
  const { merchants } = configuration;
  const { reference } = merchant;
  const issuer = issuerFor(configuration, merchant);
  const holder = merchants[reference]?.holder;
  return {
    issuer: issuer === undefined ? null : identityOf(issuer),
    holder: holder === undefined ? null : identityOf(holder, isShared(merchants, reference)),
  };
}

/** Returns the certificate that seals a merchant's documents; `null`: they are not sealed. */
export function sealFileFor(
  ...[configuration, merchant]: Parameters<typeof issuerFor>
): NonNullable<Configuration['issuers'][number]['seal']> | null {
  return issuerFor(configuration, merchant)?.seal ?? null;
}

function issuerFor(
  { issuers, merchants, source }: Configuration,
  { reference, country }: { readonly reference: string; readonly country: string | null },
): Configuration['issuers'][number] | undefined {
  const own = merchants[reference]?.source ?? source;
  return issuers.find(
    ({ countries, sources }) =>
      (countries === undefined || (country !== null && countries.includes(country))) &&
      (sources === undefined || (own !== undefined && sources.includes(own))),
  );
}

type Companies = ReadonlyMap<string, readonly string[]>;
const companies = new WeakMap<Configuration['merchants'], Companies>();

/**
 * Returns the merchants by the tax number of their company, in letters and digits. A merchant
 * without a number is alone.
 */
function companiesOf(merchants: Configuration['merchants']): Companies {
  return valueIn(companies, merchants, () =>
    Map.groupBy(Object.keys(merchants), (one) => companyOf(merchants, one)),
  );
}

function companyOf(merchants: Configuration['merchants'], reference: string): string {
  const number = merchants[reference]?.holder?.taxNumber
    ?.replace(/[^A-Za-z0-9]/g, '')
    .toUpperCase();
  return number || `merchant ${reference}`;
}

function isShared(merchants: Configuration['merchants'], reference: string): boolean {
  return (companiesOf(merchants).get(companyOf(merchants, reference))?.length ?? 0) > 1;
}

/**
 * Returns which two merchants of one company have journals of one code, and what to do, because
 * their entries would have the same numbers in one journal. Codes are compared in the three
 * characters that Sage has of them. `null`: there are no such merchants.
 */
export function journalInCommon(
  configuration: Configuration,
): readonly [says: string, todo: string] | null {
  for (const [company, references] of companiesOf(configuration.merchants)) {
    const owners = new Map<string, string>();
    for (const other of references.length === 1 ? [] : references) {
      const { code } = journalFor(configuration, other);
      const one = valueIn(owners, code.slice(0, 3).toUpperCase(), () => other);
      const says = `${one} and ${other} are of one company (${company}), and the journals of both are ${code}: entries have the same numbers`;
      const todo = `give merchants.${other}.journal a code and a links.code of its own, before its first month is issued`;
      if (one !== other) return [says, todo];
    }
  }
  return null;
}

function identityOf(
  { legalName, registration, taxLabel: label, taxNumber: number, address }: GivenIdentity,
  isOfSeveral = false,
): LegalIdentity {
  return {
    legalName: legalName ?? null,
    registration: registration ?? null,
    taxNumber:
      number === undefined ? null : { label, number, ...(isOfSeveral ? { isShared: true } : {}) },
    address,
  };
}

export function toleranceOf(configuration: Configuration): {
  readonly grace: number;
  readonly clockTolerance: number;
} {
  return {
    grace: configuration.graceMinutes * MINUTE,
    clockTolerance: configuration.clockToleranceMinutes * MINUTE,
  };
}

type GivenRule = NonNullable<GivenJournal['rules']>[number];

/**
 * The journal of a merchant: its own settings over those for all, over the defaults. Its own rules
 * are tried first.
 */
export function journalFor(configuration: Configuration, reference: string): JournalSettings {
  const layers = [configuration.journal, configuration.merchants[reference]?.journal ?? {}];
  requireOwnAccounts(`The journal of ${reference}`, ...layers);
  const { feeTaxBps: _, books, ...own }: GivenJournal = Object.assign({}, ...layers);
  return {
    ...DEFAULT_JOURNAL,
    ...own,
    ...(isShared(configuration.merchants, reference) ? { isShared: true } : {}),
    links: { ...DEFAULT_JOURNAL.links, ...own.links },
    accounts: Object.assign(
      {},
      DEFAULT_JOURNAL.accounts,
      ...layers.map(({ accounts }) => accounts),
    ),
    rules: layers.toReversed().flatMap((layer) => (layer.rules ?? []).map(ruleOf)),
    taxes: layers.map(taxesOf).findLast((one) => one !== undefined) ?? DEFAULT_JOURNAL.taxes,
    books: books && { decimals: decimalsOf(books.currency), ...books },
  } as JournalSettings;
}

/** Currencies that have other than two decimals in ISO 4217. */
const NO_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF';
const THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND';

function decimalsOf(currency: string): number {
  if (NO_DECIMALS.split(' ').includes(currency)) return 0;
  return THREE_DECIMALS.split(' ').includes(currency) ? 3 : 2;
}

function ruleOf({ role, when, account: given, auxiliary, counterpart }: GivenRule): PostingRule {
  const asked = Object.entries(when).filter(([, one]) => one !== undefined) as [
    PostingField,
    readonly string[],
  ][];
  const account = given ?? null;
  return {
    role,
    when: Object.fromEntries(asked),
    account,
    auxiliary: auxiliary ?? null,
    counterpart,
  };
}

function taxesOf({ taxes, feeTaxBps: bps }: GivenJournal): readonly FeeTax[] | undefined {
  const ofBps: GivenJournal['taxes'] = bps
    ? [{ name: 'TVA', bps, recoverable: true }]
    : bps === 0
      ? []
      : undefined;
  return (taxes ?? ofBps)?.map(({ name, bps: rate, from, countries, account, recoverable }) => ({
    ...{
      name,
      bps: rate,
      from: from ?? null,
      countries: countries ?? null,
      account: account ?? null,
    },
    isRecoverable: recoverable,
  }));
}
