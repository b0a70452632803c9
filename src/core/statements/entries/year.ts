// What a year's journal has beside the entries of its months: the balances that it begins with, and
// at each end what had ended by then and has its line after it. Months have neither, so that a year
// is its months, the opening and these entries.

import type { Amount } from '../../domain/amount.ts';
import { DAY } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import { sumOf } from '../exact.ts';
import {
  type Account,
  type HeldAccount,
  isClosed,
  type JournalRow,
  type JournalSection,
  type JournalSettings,
  type SuspenseSection,
} from '../journal.ts';
import { type BookLine, entryOfLine, type JournalBook } from './book.ts';
import { dayBefore } from './books.ts';
import { debitsFirst, OF_NONE, ownNumber } from './make-entry.ts';
import type { OpenBalance, OpenBalances, Posting } from './post-entry.ts';
import type { PostedNote } from './postings.ts';

/** As the year before leaves its accounts; empty where the books begin in this one. */
export type Carried = readonly OpenBalance[];

/** Where the books begin in the year, the wallet has what it is declared to begin with. */
export function withWallet(
  carried: Carried,
  { number: account, label }: Account,
  { balance, booked }: Pick<OpenBalance, 'balance' | 'booked'>,
): Carried {
  if (carried.some(({ role }) => role === 'wallet')) return carried;
  const row = {
    role: 'wallet',
    account,
    accountLabel: label,
    auxiliary: null,
    piece: null,
    date: '',
  } as const;
  return [{ ...row, balance, booked }, ...carried];
}

export interface YearClose {
  /** `2027`. */
  readonly year: string;
  readonly carried: Carried;
  /**
   * By operation, the lines that came after a bound of the year: after its start, and after its
   * end.
   */
  readonly transits: readonly [Transits, Transits];
}

type Notes = ReadonlyMap<string, PostedNote>;
type Transits = ReadonlyMap<string, { readonly lines: readonly BookLine[] }>;

const [CODE, LABEL] = ['AN', 'À nouveaux'];

/**
 * `opening`: recorded at the year's start, which is what the wallet's accounts carry. Undefined
 * where there is nothing.
 */
export function carriedInto(
  {
    accounts: { openingResult },
    books,
    isShared,
    code,
  }: Pick<JournalSettings, 'accounts' | 'books' | 'isShared' | 'code'>,
  { year, carried }: YearClose,
  { opening, firstDay: date }: { readonly opening: Amount; readonly firstDay: string },
): JournalSection['carried'] {
  const held = sumOf(carried, ({ role, balance }) => (role === 'wallet' ? balance : 0));
  invariant(held === opening, "the wallet's accounts carry the recorded balance into a year");
  const rows = openingRows(carried, openingResult, books !== undefined);
  if (rows.length === 0) return undefined;
  const number = `${CODE}-${year}${isShared ? `-${code}` : ''}`;
  const entry = {
    number,
    date,
    piece: number,
    source: 'opening' as const,
    ...OF_NONE,
    rows: debitsFirst(rows),
  };
  return { code: CODE, label: LABEL, entry };
}

export type OpeningBalance = Omit<OpenBalance, 'piece' | 'date'>;

/**
 * Returns a row for each account and auxiliary account, by number. The account of the result takes
 * what the others leave, so that debits equal credits.
 */
export function openingRows(
  balances: readonly OpeningBalance[],
  { number: account, label: accountLabel }: Account,
  isBooked: boolean,
): readonly JournalRow[] {
  const kept = balances.filter((one) => !isClosed(one.account));
  const rest: OpeningBalance = {
    ...{ role: 'openingResult', account, accountLabel, auxiliary: null },
    balance: -sumOf(kept, ({ balance }) => balance),
    booked: -sumOf(kept, ({ booked }) => booked),
  };
  const sorted = [...kept, rest].sort((a, b) =>
    a.account < b.account ? -1 : a.account === b.account ? 0 : 1,
  );
  const byAccount = Map.groupBy(sorted, (one) =>
    JSON.stringify([one.account, one.auxiliary?.number]),
  );
  return [...byAccount.values()].flatMap((parts): JournalRow[] => {
    const { role, account: number, accountLabel: name, auxiliary } = parts[0]!;
    const sum = sumOf(parts, ({ balance }) => balance);
    const booked = sumOf(parts, (part) => part.booked);
    const row = {
      ...{ role, account: number, accountLabel: name, auxiliary },
      ...{ debit: Math.max(sum, 0), credit: Math.max(-sum, 0) },
      ...(isBooked ? { booked } : {}),
    };
    return sum === 0 && booked === 0 ? [] : [row];
  });
}

export function openingsOf(carried: JournalSection['carried']): readonly HeldAccount[] {
  return [...Map.groupBy(carried?.entry.rows ?? [], ({ account }) => account).values()].map(
    (rows) => {
      const { role, account, accountLabel: label } = rows[0]!;
      return { role, account, label, balance: sumOf(rows, ({ debit, credit }) => debit - credit) };
    },
  );
}

/** At the end of the year, oldest first, with its age then. */
export function ageSuspense(
  open: OpenBalances,
  { accounts: { suspenseDebit, suspenseCredit } }: Pick<JournalSettings, 'accounts'>,
  lastDay: string,
): SuspenseSection {
  const all = [...open.values()].flatMap(({ account, piece, date, balance }) => {
    const age = (Date.parse(lastDay) - Date.parse(date)) / DAY;
    const column = AGES.findIndex((most) => age <= most);
    const ages = AGES.map((_, i) => (i === column ? balance : 0));
    return piece === null || balance === 0 ? [] : [{ account, piece, date, age, ages, balance }];
  });
  const total = {
    ages: AGES.map((_, i) => sumOf(all, ({ ages }) => ages[i]!)),
    balance: sumOf(all, ({ balance }) => balance),
  };
  const rows = all
    .sort((a, b) => b.age - a.age || (a.piece < b.piece ? -1 : 1))
    .slice(0, ROWS_KEPT);
  return {
    accounts: [suspenseDebit.number, suspenseCredit.number],
    rows,
    count: all.length,
    total,
  };
}

/** In days. */
const AGES = [30, 60, 90, Number.POSITIVE_INFINITY];
const ROWS_KEPT = 500;

/**
 * Entries at both ends: each has the rows that its line has in the year of its date, with the
 * account of what is in transit in the wallet's place. Those at the start take back what the year
 * before has posted at its end.
 */
export function transitPostings(
  book: JournalBook,
  { transits: [before, after] }: YearClose,
  {
    notes,
    firstDay,
    lastDay,
  }: { readonly notes: Notes; readonly firstDay: string; readonly lastDay: string },
): readonly Posting[] {
  const posted = postingsAt(book, before, {
    notes,
    day: dayBefore(firstDay),
    date: firstDay,
    sign: -1,
  });
  const back = posted.map(({ entry, ...posting }) => ({
    ...posting,
    entry: { ...entry, rows: debitsFirst(entry.rows.map(otherWay)) },
  }));
  return [...back, ...postingsAt(book, after, { notes, day: lastDay, date: lastDay, sign: 1 })];
}

function postingsAt(
  book: JournalBook,
  transits: Transits,
  // The taxes are those of `day`.
  at: { readonly notes: Notes; readonly day: string; readonly date: string; readonly sign: 1 | -1 },
): readonly Posting[] {
  const { notes, day, date, sign } = at;
  // What ended in the year is its expense, whichever invoice clears its line.
  const plain = {
    ...book,
    maker: { ...book.maker, settings: { ...book.maker.settings, commissionInvoices: {} } },
  };
  return [...transits].flatMap(([reference, { lines }]) =>
    lines.flatMap((line): Posting[] => {
      if (line.effect === 0) return [];
      const note = notes.get(reference) ?? null;
      const { sequence } = line.entry;
      const number = ownNumber(book.maker, {
        day: date,
        name: `${String(sequence).padStart(6, '0')}-X`,
      });
      const { entry, against } = entryOfLine(plain, line, note, { number, day });
      const rows = entry.rows.map(({ letter, ...row }) =>
        row.role === 'wallet'
          ? inTransit(book, row)
          : { ...row, ...(letter === undefined ? {} : { letter: { ...letter, date } }) },
      );
      const made = {
        ...entry,
        number,
        date,
        piece: reference,
        source: 'transit',
        ratesOf: entry.ratesOf ?? day,
        rows,
      } as const;
      return [{ entry: made, control: { against, cutOff: sign } }];
    }),
  );
}

function inTransit({ maker }: JournalBook, row: JournalRow): JournalRow {
  const { number: account, label: accountLabel } = maker.settings.accounts.transit;
  return { ...row, role: 'transit', account, accountLabel, auxiliary: null };
}

export function otherWay(row: JournalRow): JournalRow {
  const { debit: credit, credit: debit, booked } = row;
  return { ...row, debit, credit, ...(booked === undefined ? {} : { booked: -booked }) };
}
