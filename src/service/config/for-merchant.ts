// What a configuration means for one merchant: its own settings over those for all, over the defaults.

import { QUESTIONS, type Standing, setOf } from '../../core/domain/assumptions.ts';
import { MINUTE } from '../../core/domain/instant.ts';
import type { LegalIdentity, Parties } from '../../core/domain/merchant.ts';
import { openZone, type Zone, zoneNameOf, zoneNamesOfCountries } from '../../core/domain/zone.ts';
import type { JournalSettings } from '../../core/statements/journal.ts';
import type { Configuration } from './check-configuration.ts';
import { journalOf } from './merge-journal.ts';
import type { GivenIdentity } from './party-settings.ts';

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
  return openZone(named === 'local' ? zoneNameOf(merchant.country) : named)!;
}

/** Every zone in which some merchant's months may begin, sorted. */
export function zonesOfMonths({ zone, merchants }: Configuration): readonly string[] {
  const named = [zone, ...Object.values(merchants).flatMap((one) => one.zone ?? [])];
  const zones = named.flatMap((name) => (name === 'local' ? zoneNamesOfCountries() : [name]));
  return [...new Set(zones)].sort();
}

/** The journal of a merchant: its own settings over those for all, over the defaults. */
export function journalFor(configuration: Configuration, reference: string): JournalSettings {
  return journalOf([configuration.journal, configuration.merchants[reference]?.journal ?? {}]);
}

/** Who stands on a merchant's documents: the first issuer that fits its country and its service, and the holder. */
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
