// From where a month's lines need be passed: the newest opening that is kept and stands. What a passage has found on its way is
// kept for the next one.

import type { Instant } from '../../../core/domain/instant.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import { beginningOf, type Opening, termsOf } from '../../../core/statements/opening.ts';
import type { Openings } from '../../../io/storage/mirror/openings.ts';

/** The beginning of the ledger where none stands. */
export async function openingFor(openings: Openings, settings: MonthSettings, engine: string): Promise<Opening> {
  const kept = await openings.list(settings.bounds.start);
  const good = kept.find((one) => one.engine === engine && one.terms === termsOf(settings, one.position));
  if (good === undefined) return beginningOf(settings);
  const state = await openings.stateAt(good.startsAt);
  return state === null ? beginningOf(settings) : (JSON.parse(state) as Opening);
}

/** Of the month, and of the one after it. */
export async function keepOpenings(
  openings: Openings,
  found: { readonly opening: Opening; readonly next: Opening },
  { settings, engine }: { readonly settings: MonthSettings; readonly engine: string },
): Promise<void> {
  const { start, end } = settings.bounds;
  const kept = new Map((await openings.list(end)).map((one) => [one.startsAt, one]));
  const keep = async (startsAt: Instant, opening: Opening): Promise<void> => {
    const { position, odd } = opening;
    if (position === null || odd === null) return;
    const terms = termsOf(settings, position);
    const known = kept.get(startsAt);
    if (known?.position === position && known.terms === terms && known.engine === engine) return;
    await openings.keep({ startsAt, position, engine, terms, state: JSON.stringify(opening) });
  };
  await keep(start, found.opening);
  await keep(end, found.next);
}
