// Finds the day on which each entry of a statement was validated: the day of the first edition that
// had the entry as it is. An entry never changes its number, so an edition lists the numbers of its
// own entries, and all others keep the day that they have.

import { invariant } from '../../domain/invariant.ts';
import { localText, openZone } from '../../domain/zone.ts';
import type { JournalEntry } from '../journal.ts';
import type { Statement, Validated } from '../statement.ts';

type Edition = Pick<Statement, 'period' | 'generatedAt' | 'revision'>;

/** Returns the day of an edition, `YYYY-MM-DD`, in the statement's zone. */
export function dayOfEdition({ period, generatedAt }: Omit<Edition, 'revision'>): string {
  const zone = openZone(period.zone);
  invariant(zone !== null, `the statement's zone ${period.zone} is not known`);
  return localText(zone, generatedAt).slice(0, 10);
}

/**
 * Returns the days of an edition with the numbers of their entries. The first day is that of all
 * entries that no other day lists.
 */
export function validatedBy(edition: Edition): readonly Validated[] {
  return edition.revision.validated ?? [{ day: dayOfEdition(edition), numbers: [] }];
}

/**
 * Returns a function that gives the day of an entry, `YYYY-MM-DD`. In a year with issued months it
 * is the earlier of the year's day and the month's.
 */
export function validationOf(edition: Edition): (entry: JournalEntry) => string {
  const byMonth = [...Map.groupBy(validatedBy(edition), ({ month }) => month)].map(
    ([month, lists]) => {
      const days = new Map(
        lists.flatMap(({ day, numbers }) => numbers.map((number) => [number, day] as const)),
      );
      return [month, { days, first: lists[0]! }] as const;
    },
  );
  const groups = new Map(byMonth);
  return ({ number, source, sequence }) => {
    const own = groups.get(undefined)!;
    const month = groups.get(/-(\d{4}-\d\d)-/.exec(number)?.[1]);
    const day = own.days.get(number) ?? own.first.day;
    // An entry that came after the month was issued, and an entry that only a year has, are in no
    // edition of the month.
    if (month === undefined || source === 'transit' || (sequence ?? 0) > (month.first.until ?? 0))
      return day;
    const ofMonth = month.days.get(number) ?? month.first.day;
    return ofMonth < day ? ofMonth : day;
  };
}
