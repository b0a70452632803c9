// Closes the journal with the month's figures: what was recorded at both ends, the places where the
// recorded balance does not follow, and when operations moved.

import { formatPeriod } from '../../domain/period.ts';
import { dayBefore, inBooks } from '../entries/books.ts';
import { type JournalClose, journalSection } from '../entries/close-book.ts';
import type { LinkBooking } from '../entries/link-entries.ts';
import { addOpen } from '../entries/post-entry.ts';
import { type Carried, withWallet, type YearClose } from '../entries/year.ts';
import { plus } from '../exact.ts';
import type { JournalSection } from '../journal.ts';
import type { Drift } from '../opening.ts';
import type { MonthFigures } from './month-figures.ts';

/**
 * Closes the journal. `closing` is the balance recorded at the month's end. Must be called once,
 * after all operations are counted.
 */
export function closeJournal(
  figures: MonthFigures,
  {
    closing,
    commissions,
    suspended,
    carried,
    ...links
  }: Pick<JournalClose, 'closing' | 'commissions' | 'suspended'> &
    Pick<LinkBooking, 'money' | 'account'> & {
      /** Balances that the year before leaves. Only a year uses them. */
      readonly carried: Carried;
    },
): JournalSection {
  const { operations, settings, startCutOff, settledAt, journal: book } = figures;
  const balance = startCutOff.balance.recorded;
  const months = monthsOf(figures);
  const booked = inBooks(settings.journal.books, balance, dayBefore(months[0]!.first));
  const begun = withWallet(carried, settings.journal.accounts.wallet, { balance, booked });
  const { open } = book.sums.totals;
  if (open !== null) for (const one of begun) addOpen(open, one);
  const { start, end } = settings.bounds;
  return journalSection(book, {
    opening: balance,
    closing,
    wallets: figures.wallets.start,
    ahead: plus(figures.cutOff.balance.crossing, -startCutOff.balance.crossing),
    postsOpening: figures.before.entries === 0 || settings.period.month === null,
    ...driftsOf(figures),
    before: settings.before,
    suspended: areAllKept(figures) ? suspended : null,
    commissions,
    links,
    notes: operations.notes,
    months,
    firstDay: months[0]!.first,
    lastDay: months.at(-1)!.last,
    driftDay: (drift) => driftDay(figures, months, drift),
    isCounted: ({ succeededAt }, reference) => {
      const at = settledAt.get(reference) ?? succeededAt;
      return at !== null && at >= start && at < end;
    },
    hash: settings.hash,
    year: settings.period.month === null ? yearOf(figures, begun) : null,
  });
}

/** Returns the months of the period, with their first and last days. */
function monthsOf({ finder, journal }: MonthFigures): JournalClose['months'] {
  const byMonth = Map.groupBy(finder.days, ({ day }) => journal.maker.monthOf(day));
  return [...byMonth].map(([month, days]) => ({
    month,
    first: days[0]!.day,
    last: days.at(-1)!.day,
  }));
}

function yearOf(
  { settings: { period }, transits: [before, after] }: MonthFigures,
  carried: Carried,
): YearClose {
  return {
    year: formatPeriod(period),
    carried,
    transits: [before.byOperation, after.byOperation],
  };
}

/**
 * Returns the day on which a drift is posted: the day of its line, moved into the month whose
 * recorded end is the first to have the drift. So a year posts it on the same day as its months.
 */
function driftDay(
  { finder, byDay, journal }: MonthFigures,
  months: JournalClose['months'],
  { sequence, at }: Drift,
): string {
  const from = byDay.findIndex(({ lastSequence }) => lastSequence >= sequence);
  const of = finder.days[Math.max(from, 0)]!.day;
  const { first, last } = months.find((month) => of >= month.first && of <= month.last)!;
  const day = journal.localDay(at);
  return day < first ? first : day > last ? last : day;
}

/**
 * Returns the drifts that the recorded balance took on between the two ends, and those from before.
 */
function driftsOf({
  cutOff,
  startCutOff,
}: MonthFigures): Pick<JournalClose, 'drifts' | 'driftsBefore'> {
  const head = startCutOff.headSequence;
  const isHere = ({ sequence }: Drift): boolean => head === null || sequence > head;
  const { rows } = cutOff.balance.drifts;
  return { drifts: rows.filter(isHere), driftsBefore: rows.filter((drift) => !isHere(drift)) };
}

function areAllKept({ cutOff }: MonthFigures): boolean {
  const { count, rows } = cutOff.balance.drifts;
  return count === rows.length;
}
