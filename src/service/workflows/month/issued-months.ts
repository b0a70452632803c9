// The issued months of a merchant, and the bounds of a period next to them. An issued period keeps
// its bounds; a new one begins where the issued one before it ended. Refuses a period that would
// leave a gap or an overlap.

import { formatInstant } from '../../../core/domain/instant.ts';
import {
  type Bounds,
  boundsOf,
  formatPeriod,
  type MonthKey,
  parsePeriod,
  periodAfter,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import { openZone, type Zone, zoneNamesOfCountries } from '../../../core/domain/zone.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { statementIn } from '../../../io/formats/read-back/read-back.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import {
  listIssuedMonths,
  loadIssuedReport,
  type ReportRecord,
} from '../../../io/storage/issued/reports.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/**
 * The revision in force of one month. `period` is `YYYY-MM`. `statement` gives `null` when the JSON
 * form is not kept.
 */
export interface IssuedMonth extends Bounds {
  readonly period: string;
  readonly statement: () => Promise<Statement | null>;
}

/** Lists the issued months of a merchant, ascending: those of one `year` (`YYYY`), or all. */
export type ListIssued = (merchant: string, year?: string) => Promise<readonly IssuedMonth[]>;

export function issuedIn(store: Store): ListIssued {
  return async (merchant, year = '') => {
    const months = (await listIssuedMonths(store, merchant)).filter(({ period }) =>
      period.startsWith(year),
    );
    return months.map((month) => {
      const key = { merchant, period: month.period };
      return { ...month, statement: async () => (await openIssued(store, key))?.statement ?? null };
    });
  };
}

export type IssuedReport = { readonly report: ReportRecord; readonly statement: Statement | null };

/** Returns the revision in force; `null` when the month was not issued. */
export async function openIssued(store: Store, key: MonthKey): Promise<IssuedReport | null> {
  const report = await loadIssuedReport(store, key);
  return report && { report, statement: await statementIn(readReportFile(store, report, 'json')) };
}

/** The bounds of a period, where they come from, and the zone in which its days are counted. */
type Place = Pick<MonthSettings, 'bounds' | 'boundsFrom' | 'zone'>;

/** The bounds of an issued period, and its zone if it is known. */
export type PlaceIssued = Bounds & Partial<Pick<Statement['period'], 'zone' | 'boundsFrom'>>;

export async function placeIn(store: Store, report: ReportRecord): Promise<PlaceIssued> {
  const statement = await statementIn(readReportFile(store, report, 'json'));
  return { ...statement?.period, start: report.periodStart, end: report.periodEnd };
}

/**
 * Returns the bounds and the zone that the period was issued with, whatever is configured or
 * published now.
 */
export function keepPlace(
  { start, end, zone: name, boundsFrom }: PlaceIssued,
  wish: PlaceWish,
): Place {
  const zone = (name === undefined ? null : openZone(name)) ?? wish.zone;
  const isCalendar = areEqual({ start, end }, boundsOf(wish.period, zone));
  return {
    bounds: { start, end },
    zone,
    boundsFrom: boundsFrom ?? (isCalendar ? 'configuration' : 'report'),
  };
}

/**
 * The period to place. `stated` holds the bounds that the service publishes for it; `null` when it
 * publishes none.
 */
interface PlaceWish extends Pick<MonthSettings, 'merchant' | 'period' | 'zone'> {
  readonly stated: Bounds | null;
}

/**
 * Returns the bounds that the service states or, if these do not join the issued months around
 * them, those of the calendar. Throws `StatementRefused` (NOT_JOINED) when neither join.
 */
export async function choosePlace(wish: PlaceWish, issued: readonly IssuedMonth[]): Promise<Place> {
  const { period, zone, stated } = wish;
  const calendar: Place = { bounds: boundsOf(period, zone), zone, boundsFrom: 'configuration' };
  const isMonth = period.month !== null && !('day' in period);
  const isStated = stated !== null && (isMonth || !areEqual(stated, calendar.bounds));
  const around = monthsAround(period, issued);
  let apart: IssuedMonth | undefined;
  for (const place of [
    ...(isStated ? [{ ...calendar, bounds: stated, boundsFrom: 'report' as const }] : []),
    calendar,
  ]) {
    apart = await findApart(place, period, around);
    if (apart === undefined) return place;
  }
  throw await notJoined(wish, around, apart!);
}

/**
 * Returns the issued months nearest before and after the period, and the first and last within it.
 */
function monthsAround(
  period: StatedPeriod,
  issued: readonly IssuedMonth[],
): readonly IssuedMonth[] {
  const [first, last] = endsOf(period);
  const within = issued.filter((one) => one.period >= first && one.period <= last);
  const sides = [
    issued.findLast((one) => one.period < first),
    issued.find((one) => one.period > last),
  ];
  return [...sides, within[0], within.at(-1)].filter((one) => one !== undefined);
}

/** Returns the first and last month of a period as `YYYY-MM`. */
function endsOf(period: StatedPeriod): readonly [first: string, last: string] {
  const name = formatPeriod(period);
  return period.month === null
    ? [`${name}-01`, `${name}-12`]
    : [name.slice(0, 7), name.slice(0, 7)];
}

async function findApart(place: Place, period: StatedPeriod, around: readonly IssuedMonth[]) {
  for (const one of around) {
    const isJoined = joins(place, period, one);
    // Published bounds say nothing about the zone, so a month with published bounds must join only
    // when it touches the period.
    if (
      isJoined === false ||
      (isJoined === null && (await one.statement())?.period.boundsFrom === 'configuration')
    )
      return one;
  }
  return undefined;
}

/**
 * Tells whether the period, with these bounds and this zone, joins an issued month. `null` when the
 * two do not touch, and the calendar months between them in this zone could not join both.
 */
function joins(
  { bounds, zone }: Omit<Place, 'boundsFrom'>,
  period: StatedPeriod,
  one: IssuedMonth,
): boolean | null {
  const nextOf = (month: string): string => formatPeriod(periodAfter(parsePeriod(month)!));
  const [first, last] = endsOf(period);
  if (nextOf(one.period) === first) return one.end === bounds.start;
  if (nextOf(last) === one.period) return one.start === bounds.end;
  if (one.period === first && one.start !== bounds.start) return false;
  if (one.period === last && one.end !== bounds.end && !('day' in period)) return false;
  return areEqual(one, boundsOf(parsePeriod(one.period)!, zone)) || null;
}

async function notJoined(
  { merchant, period, zone }: PlaceWish,
  around: readonly IssuedMonth[],
  apart: IssuedMonth,
) {
  const own = (await apart.statement())?.period.zone;
  const inZone = (of: Zone) => ({ bounds: boundsOf(period, of), zone: of });
  const fitting = [own ?? 'UTC', 'UTC', ...zoneNamesOfCountries()].find((name) =>
    around.every((one) => joins(inZone(openZone(name)!), period, one)),
  );
  const sayBounds = ({ start, end }: Bounds): string =>
    `from ${formatInstant(start)} to ${formatInstant(end)}`;
  const todo =
    fitting === undefined
      ? 'Wait for a report of the service that joins'
      : `Set merchants.${merchant}.zone to '${fitting}'`;
  const message = `${formatPeriod(period)} of ${merchant} is not stated: in the zone ${zone.name} it is ${sayBounds(inZone(zone).bounds)}, which leaves a gap or an overlap to ${apart.period}, issued ${sayBounds(apart)}${own === undefined ? '' : ` (${own})`}. ${todo}.`;
  return new StatementRefused('NOT_JOINED', message);
}

export function areEqual(one: Bounds, other: Bounds): boolean {
  return one.start === other.start && one.end === other.end;
}
