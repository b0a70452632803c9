// Makes what a year's journal has besides the entries of its months: the opening balances, and at
// each end the operations that had ended by then and have their line after it. Months have neither,
// so that a year is its months, its opening and these entries.

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

/**
 * Balances that the year before leaves on its accounts; empty where the books begin in this year.
 */
export type Carried = readonly OpenBalance[];

/**
 * Returns the carried balances with the wallet's among them. Where the books begin in the year
 * nothing is carried for the wallet, so it gets `balance`, which is declared.
 */
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
   * Lines by operation that came after a bound of the year although their operation ended before
   * it: after its start, and after its end.
   */
  readonly transits: readonly [Transits, Transits];
}

type Notes = ReadonlyMap<string, PostedNote>;
type Transits = ReadonlyMap<string, { readonly lines: readonly BookLine[] }>;

const [CODE, LABEL] = ['AN', 'À nouveaux'];

/**
 * Makes the opening entry of a year; `undefined` when nothing is carried. `opening` is the balance
 * recorded at the year's start, which the wallet's accounts must carry.
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
 * Returns a row for each account and auxiliary account, by account number. The account of the
 * result takes what the others leave, so that debits equal credits.
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

/** Returns what is open in suspense at the end of the year, oldest first, with its age in days. */
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

/** The greatest age of each column, in days. */
const AGES = [30, 60, 90, Number.POSITIVE_INFINITY];
const ROWS_KEPT = 500;

/**
 * Makes the entries for operations in transit at both ends of the year. Each has the rows that its
 * line has in the year of the line, with the transit account in place of the wallet's. The entries
 * at the start take back what the year before posted at its end.
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
  // `day` decides which taxes and rates apply; `date` is the date of the entries.
  at: { readonly notes: Notes; readonly day: string; readonly date: string; readonly sign: 1 | -1 },
): readonly Posting[] {
  const { notes, day, date, sign } = at;
  // Invoices are ignored, because the commission is an expense of the year in which the operation
  // ended, whichever invoice clears its line.
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
