// What a configuration means for one merchant: its own settings over those for all, over the defaults.

import { QUESTIONS, type Standing, setOf } from '../domain/assumptions.ts';
import { MINUTE } from '../domain/instant.ts';
import { openZone, type Zone, zoneNameOf, zoneNamesOfCountries } from '../domain/zone.ts';
import type { JournalSettings } from '../statements/journal.ts';
import type { Configuration } from './check-configuration.ts';
import { journalOf } from './merge-journal.ts';

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

export function toleranceOf(configuration: Configuration): { readonly grace: number; readonly clockTolerance: number } {
  return {
    grace: configuration.graceMinutes * MINUTE,
    clockTolerance: configuration.clockToleranceMinutes * MINUTE,
  };
}
