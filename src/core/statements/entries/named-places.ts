// What the books hold of each place that a finding names, from month to month. A finding may have
// another kind or amount a month later, or be gone, while what was issued before it stays in the
// books: the first day takes over the difference, so that suspense is always what the findings of
// the month make it.

import type { Amount } from '../../domain/amount.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type BooksBefore,
  type HeldAccount,
  isSuspense,
  type JournalEntry,
  type NamedBalance,
  type NamedPlace,
  type SuspenseRoot,
} from '../journal.ts';
import { bookRows } from './books.ts';
import { debitsFirst, type EntryMaker, headOf, type RowParty, sided } from './make-entry.ts';

export type Place = Omit<NamedPlace, 'rows' | 'ratesOf'>;

/** By the place's key. */
export type NamedPlaces = Map<string, Named>;

interface Named {
  readonly place: Place;
  /**
   * By account, of entries dated before the month: as the findings of today make them, and as they
   * would be without any.
   */
  readonly before: Balances;
  readonly plain: Balances;
  /** Of those in the month. */
  readonly here: Balances;
  ratesOf: string;
  /**
   * Debit − credit in suspense that is of no item: what lines that are on their way will put there,
   * less what adjustments have.
   */
  apart: Amount;
}

type Balances = Map<string, RowParty & { balance: Amount }>;

/** Behind every day. */
const NEVER = '9999-12-31';

export function linePlace(
  { entry }: { readonly entry: Pick<LedgerEntry, 'sequence'> },
  root: SuspenseRoot,
): Place {
  return { line: entry.sequence, operation: null, drift: null, root };
}

export function addNamed(
  places: NamedPlaces,
  place: Place,
  when: 'before' | 'plain' | 'here',
  { rows, date, ratesOf = date }: Pick<JournalEntry, 'rows' | 'date' | 'ratesOf'>,
): void {
  const named = namedAt(places, place);
  if (ratesOf < named.ratesOf) named.ratesOf = ratesOf;
  const balances = named[when];
  for (const { debit, credit, ...row } of rows) addBalance(balances, row, debit - credit);
}

export function setApart(places: NamedPlaces, place: Place, amount: Amount): void {
  const named = namedAt(places, place);
  named.apart = plus(named.apart, amount);
}

function namedAt(places: NamedPlaces, place: Place): Named {
  return valueIn(places, keyOf(place), () => ({
    place,
    before: new Map(),
    plain: new Map(),
    here: new Map(),
    ratesOf: NEVER,
    apart: 0,
  }));
}

/** The wallet's account has what was recorded, whatever a finding says. */
function addBalance(balances: Balances, party: RowParty, amount: Amount): void {
  const { role, account, accountLabel, auxiliary } = party;
  if (role === 'wallet') return;
  const row = valueIn(balances, JSON.stringify([account, auxiliary?.number]), () => {
    return { role, account, accountLabel, auxiliary, balance: 0 };
  });
  row.balance = plus(row.balance, amount);
}

/**
 * One entry a piece, on the first day: what the findings of today make of the months before, less
 * what these have booked, at the rates of the first of that.
 */
export function joinPlaces(
  places: NamedPlaces,
  { named }: Pick<BooksBefore, 'named'>,
  {
    maker,
    date,
    hash,
  }: { readonly maker: EntryMaker; readonly date: string; readonly hash: (text: string) => string },
): readonly JournalEntry[] {
  const pieces = new Map<string, { readonly left: Balances; ratesOf: string }>();
  const issued = new Map(named.map((one) => [keyOf(one), one]));
  for (const one of named) namedAt(places, placeOf(one));
  for (const [key, { place, before, plain, ratesOf }] of places) {
    const known = issued.get(key);
    const piece = valueIn(pieces, place.root.piece, () => ({ left: new Map(), ratesOf: NEVER }));
    for (const row of before.values()) addBalance(piece.left, row, row.balance);
    for (const row of known?.rows ?? plain.values()) addBalance(piece.left, row, -row.balance);
    for (const day of [ratesOf, known?.ratesOf ?? NEVER])
      if (day < piece.ratesOf) piece.ratesOf = day;
  }
  return [...pieces].flatMap(([piece, { left, ratesOf }]): readonly JournalEntry[] => {
    const rows = [...left.values()].filter(({ balance }) => balance !== 0);
    // Where the books have other lines than were stated, the months before are to be revised first:
    // the controls say so.
    if (rows.length === 0 || sumOf(rows, ({ balance }) => balance) !== 0) return [];
    const head = headOf(maker, 'joining', { date, name: `J-${hash(piece).slice(0, 8)}` });
    const made = debitsFirst(rows.map(({ balance, ...party }) => sided(party, balance)));
    return [{ ...head, piece, ratesOf, rows: bookRows(maker.settings.books, made, ratesOf) }];
  });
}

function placeOf({ rows: _, ratesOf: _day, ...place }: NamedPlace): Place {
  return place;
}

/**
 * Of each role of which a month knows the balance: moved, on the first day, from the accounts that
 * had it to those that have it now.
 */
export function joinAccounts(
  now: readonly HeldAccount[],
  held: readonly HeldAccount[],
  { maker, date }: { readonly maker: EntryMaker; readonly date: string },
): readonly JournalEntry[] {
  const rows = [...now, ...held.map((one) => ({ ...one, balance: -one.balance }))];
  const moved = [...Map.groupBy(rows, ({ role }) => role).values()]
    .filter((ofRole) => sumOf(ofRole, ({ balance }) => balance) === 0)
    .flatMap((ofRole) => [...Map.groupBy(ofRole, ({ account }) => account).values()])
    .map((ofAccount) => ({ ...ofAccount[0]!, balance: sumOf(ofAccount, ({ balance }) => balance) }))
    .filter(({ balance }) => balance !== 0);
  if (moved.length === 0) return [];
  const head = headOf(maker, 'joining', { date, name: 'J' });
  const made = moved.map(({ role, account, label: accountLabel, balance }) =>
    sided({ role, account, accountLabel, auxiliary: null }, balance),
  );
  return [{ ...head, rows: bookRows(maker.settings.books, debitsFirst(made), date) }];
}

/**
 * What the next month goes on from: places with something in suspense, and those that are booked
 * otherwise than without a finding.
 */
export function namedRows(places: NamedPlaces): readonly NamedPlace[] {
  return [...places.values()].flatMap(
    ({ place, before, plain, here, ratesOf }): readonly NamedPlace[] => {
      const all: Balances = new Map([...before].map(([account, row]) => [account, { ...row }]));
      for (const row of here.values()) addBalance(all, row, row.balance);
      const rows: readonly NamedBalance[] = [...all.values()].filter(
        ({ balance }) => balance !== 0,
      );
      const isPlain =
        here.size === 0 &&
        textOf(before) === textOf(plain) &&
        !rows.some(({ role }) => isSuspense(role));
      return rows.length === 0 || isPlain ? [] : [{ ...place, ratesOf, rows }];
    },
  );
}

/** Credit − debit of the places together; and `apart` of all of them. */
export function suspendedIn(
  places: NamedPlaces,
  named: readonly NamedPlace[],
): { readonly posted: Amount; readonly apart: Amount } {
  const rows = named.flatMap((one) => one.rows).filter(({ role }) => isSuspense(role));
  return {
    posted: plus(0, -sumOf(rows, ({ balance }) => balance)),
    apart: sumOf([...places.values()], (one) => one.apart),
  };
}

function textOf(balances: Balances): string {
  return JSON.stringify([...balances].map(([account, { balance }]) => [account, balance]).sort());
}

function keyOf({ operation, line, drift }: Place): string {
  return line !== null
    ? `line ${line}`
    : operation !== null
      ? `operation ${operation}`
      : `drift ${drift}`;
}
