// What a year's journal has beside the entries of its months: the balances that it begins with, and at each end what had ended by
// then and has its line after it. Months have neither, so that a year is its months, the opening and these entries.

import type { Amount } from '../../domain/amount.ts';
import { DAY } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import type { LinkAccount } from '../comparison.ts';
import { plus, sumOf } from '../exact.ts';
import type {
  AccountTotals,
  JournalEntry,
  JournalRow,
  JournalSection,
  JournalSettings,
  SuspenseRow,
  SuspenseSection,
  SuspenseSums,
} from '../journal.ts';
import { type BookLine, entryOfLine, type JournalBook, postingOf } from './book.ts';
import type { OpenBalance, OpenBalances } from './letters.ts';
import { controlCutOff, debitsFirst, type EntryMaker, OF_NONE, ownNumber } from './make-entry.ts';
import { NO_FACTS, type PostedNote } from './postings.ts';

/** As the year before leaves them; empty where the books begin in this one. */
export interface Carried {
  readonly accounts: readonly Pick<AccountTotals, 'role' | 'account' | 'label' | 'balance'>[];
  readonly open: readonly OpenBalance[];
}

export const NOTHING_CARRIED: Carried = { accounts: [], open: [] };

/** What a year begins with, and what payments by link of the years before have left on the accounts, apart from the bank's side of them. */
export function linksCarried({ accountOf }: EntryMaker, account: LinkAccount | null, carried: Carried): Carried {
  if (account === null) return carried;
  const { opening, collected, paidOut, perpetual } = account;
  const left = [
    ['linkReceivable', 'PAYMENT_BY_LINK', opening],
    ['customers', 'PAYMENT_BY_LINK', plus(collected, -perpetual.collected)],
    ['transfers', 'PAYOUT', plus(perpetual.paidOut, -paidOut)],
  ] as const;
  const all = new Map(carried.accounts.map((one) => [one.account, one]));
  for (const [role, kind, amount] of left) {
    const { account: own, counterpart } = accountOf(role, { ...NO_FACTS, kind });
    const known = all.get(own.number) ?? { role, account: own.number, label: own.label, balance: 0 };
    // Where the invoice is beside the payment, nothing is left on the account.
    if (amount !== 0 && counterpart === null) all.set(own.number, { ...known, balance: plus(known.balance, amount) });
  }
  return { ...carried, accounts: [...all.values()] };
}

export interface YearClose {
  /** `2027`. */
  readonly year: string;
  readonly carried: Carried;
  /** By operation, the lines that came after a bound of the year: after its start, and after its end. */
  readonly transits: readonly [Transits, Transits];
  /** `YYYY-MM-DD`. */
  readonly firstDay: string;
  readonly lastDay: string;
  readonly dayBefore: string;
}

type Transits = ReadonlyMap<string, { readonly lines: readonly BookLine[] }>;

const LABEL = 'À nouveaux';

/** `opening`: recorded at the year's start, which is what the wallet's accounts carry. Undefined where there is nothing. */
export function carriedInto(
  { accounts, openingCode: code }: Pick<JournalSettings, 'accounts' | 'openingCode'>,
  { year, carried, firstDay: date }: YearClose,
  opening: Amount,
): JournalSection['carried'] {
  const { wallet, openingResult } = accounts;
  const begun = { role: 'wallet', account: wallet.number, label: wallet.label, balance: opening } as const;
  const known = carried.accounts.some(({ role }) => role === 'wallet')
    ? carried.accounts
    : [begun, ...carried.accounts];
  const held = sumOf(known, ({ role, balance }) => (role === 'wallet' ? balance : 0));
  invariant(held === opening, "the wallet's accounts carry the recorded balance into a year");
  const kept = known.filter(({ role, account }) => role !== 'openingResult' && !isOfResult(account));
  const { number: account, label } = openingResult;
  const rest = { role: 'openingResult', account, label, balance: -sumOf(kept, ({ balance }) => balance) } as const;
  const rows = [...kept, rest].flatMap((one) => rowsOf(one, carried.open));
  if (rows.length === 0) return undefined;
  const number = `${code}-${year}`;
  const entry = { number, date, piece: number, source: 'opening' as const, ...OF_NONE, rows: debitsFirst(rows) };
  return { code, label: LABEL, entry };
}

/** One for each auxiliary account, and one for what is on none. */
function rowsOf({ role, account, label: accountLabel, balance }: Carried['accounts'][number], open: Carried['open']) {
  const own = open.filter((one) => one.account === account && one.auxiliary !== null);
  const sums = [...Map.groupBy(own, ({ auxiliary }) => auxiliary!.number).values()].map((parts) => {
    return { auxiliary: parts[0]!.auxiliary, sum: sumOf(parts, (one) => one.balance) };
  });
  const rest = { auxiliary: null, sum: plus(balance, -sumOf(sums, ({ sum }) => sum)) };
  return [...sums, rest].flatMap(({ auxiliary, sum }): JournalRow[] => {
    const sides = { debit: Math.max(sum, 0), credit: Math.max(-sum, 0) };
    return sum === 0 ? [] : [{ role, account, accountLabel, auxiliary, ...sides }];
  });
}

/** Charges and products are closed with their year: in SYSCOHADA classes 6, 7 and 8. */
function isOfResult(account: string): boolean {
  return /^[678]/.test(account);
}

export function openingsOf(carried: JournalSection['carried']): Carried['accounts'] {
  return [...Map.groupBy(carried?.entry.rows ?? [], ({ account }) => account).values()].map((rows) => {
    const { role, account, accountLabel: label } = rows[0]!;
    return { role, account, label, balance: sumOf(rows, ({ debit, credit }) => debit - credit) };
  });
}

/** At the end of the year, oldest first, with its age then. */
export function ageSuspense(
  open: OpenBalances,
  { accounts: { suspenseDebit, suspenseCredit } }: Pick<JournalSettings, 'accounts'>,
  lastDay: string,
): SuspenseSection {
  const rows = [...open.values()]
    .flatMap(({ account, piece, date, balance }): SuspenseRow[] => {
      if (piece === null || balance === 0) return [];
      const age = (Date.parse(lastDay) - Date.parse(date)) / DAY;
      const column = age <= 30 ? 'upTo30' : age <= 60 ? 'upTo60' : age <= 90 ? 'upTo90' : 'older';
      return [{ account, piece, date, age, [column]: balance, balance }];
    })
    .sort((a, b) => b.age - a.age || (a.piece < b.piece ? -1 : 1));
  const sum = (key: keyof SuspenseSums): number => sumOf(rows, (row) => row[key] ?? 0);
  const ages = { upTo30: sum('upTo30'), upTo60: sum('upTo60'), upTo90: sum('upTo90'), older: sum('older') };
  const accounts = [suspenseDebit.number, suspenseCredit.number];
  return { accounts, rows: rows.slice(0, ROWS_KEPT), count: rows.length, total: { ...ages, balance: sum('balance') } };
}

const ROWS_KEPT = 500;

/**
 * Entries at both ends: each has the rows that its line has in the year of its date, with the account of what is in transit in the
 * wallet's place. Those at the start take back what the year before has posted at its end.
 */
export function transitEntries(
  book: JournalBook,
  { transits: [before, after], firstDay, lastDay, dayBefore }: YearClose,
  notes: ReadonlyMap<string, PostedNote>,
): readonly JournalEntry[] {
  const posted = entriesAt(book, before, { notes, day: dayBefore, date: firstDay, sign: -1 });
  const back = posted.map((entry) => ({ ...entry, rows: debitsFirst(entry.rows.map(otherWay)) }));
  return [...back, ...entriesAt(book, after, { notes, day: lastDay, date: lastDay, sign: 1 })];
}

function entriesAt(
  book: JournalBook,
  transits: Transits,
  {
    notes,
    day,
    date,
    sign,
  }: {
    readonly notes: ReadonlyMap<string, PostedNote>;
    /** Which taxes are valid. */
    readonly day: string;
    readonly date: string;
    readonly sign: 1 | -1;
  },
): readonly JournalEntry[] {
  return [...transits].flatMap(([reference, { lines }]) =>
    lines.flatMap((line): JournalEntry[] => {
      if (line.effect === 0) return [];
      const note = notes.get(reference) ?? null;
      const { sequence } = line.entry;
      const number = ownNumber(book.maker, { day: date, name: `${String(sequence).padStart(6, '0')}-X` });
      const { entry } = entryOfLine(book, line, note, { number, day });
      const rows = entry.rows.map(({ letter, ...row }) =>
        row.role === 'wallet'
          ? inTransit(book, row)
          : { ...row, ...(letter === undefined ? {} : { letter: { ...letter, date } }) },
      );
      controlCutOff(book.controls, postingOf(book, line, note).against, sign);
      return [{ ...entry, number, date, piece: reference, source: 'transit', rows }];
    }),
  );
}

function inTransit({ maker }: JournalBook, row: JournalRow): JournalRow {
  const { number: account, label: accountLabel } = maker.settings.accounts.transit;
  return { ...row, role: 'transit', account, accountLabel, auxiliary: null };
}

function otherWay(row: JournalRow): JournalRow {
  return { ...row, debit: row.credit, credit: row.debit };
}
