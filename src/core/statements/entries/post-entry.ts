// Every entry of a journal passes here once, and five sums take from it what they need: totals by
// account, taxes and withheld commissions, pieces that come to 0, controls against the operations,
// and suspense by place. Nothing is decided here: `book.ts` and `close-book.ts` have decided what
// an entry posts.

import type { Amount } from '../../domain/amount.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type AccountRole,
  type AccountTotals,
  type FeeTax,
  isOpenItem,
  isSuspense,
  type JournalControl,
  type JournalControls,
  type JournalEntry,
  type JournalRow,
  type JournalSection,
  type NamedBalance,
  type NamedPlace,
  type TaxRow,
} from '../journal.ts';
import type { CommissionRow } from '../section-commissions.ts';
import { addBooked, type BookedSums, beginBooked, bookRows } from './books.ts';
import {
  codeOf,
  debitsFirst,
  type EntryMaker,
  type MadeEntry,
  OF_NONE,
  type RowParty,
  taxIn,
} from './make-entry.ts';
import type { Against, PostedNote } from './postings.ts';

/** An entry, with what else the sums must know of it. */
export interface Posting extends Pick<MadeEntry, 'entry'>, Partial<Pick<MadeEntry, 'taxes'>> {
  /**
   * `before`, `ahead`: the entry belongs to a month before or after the period, as findings make
   * it. `plain`: it belongs to a month before, as it would be without findings. Absent: it belongs
   * to the period.
   */
  readonly when?: 'before' | 'plain' | 'ahead' | undefined;
  /** True for a part of a day's entry, which is posted when all its parts have been. */
  readonly isOfDay?: boolean;
  /**
   * True when the entry's operation was reversed, or a finding names it. No other piece of lines
   * can come to 0.
   */
  readonly mayBeCleared?: boolean;
  /** The place that the entry is about, if a finding names it. */
  readonly place?: Place | undefined;
  /** Absent when the controls do not count the entry. */
  readonly control?: Control | undefined;
}

/**
 * How the controls count an entry: as a line of an operation, or, with `cutOff`, as an entry that
 * this period has for lines of another period. `cutOff` −1 takes such an entry back in the period
 * of the line.
 */
type Control = { readonly against: Against } & (
  | { readonly reference: string | null; readonly note: PostedNote | null }
  | { readonly cutOff: 1 | -1 }
);

export interface JournalSums {
  readonly maker: EntryMaker;
  readonly totals: Totals;
  readonly taxes: Taxes;
  readonly pieces: OpenPieces;
  readonly controls: Controls;
  readonly named: NamedPlaces;
}

export function beginSums(
  maker: EntryMaker,
  { isCounted, open }: Pick<Controls, 'isCounted'> & Pick<Totals, 'open'>,
): JournalSums {
  return {
    maker,
    totals: beginTotals(open),
    taxes: { sums: new Map(), withheld: new Map() },
    pieces: new Map(),
    controls: beginControls(isCounted),
    named: new Map(),
  };
}

export function postEntry(sums: JournalSums, posting: Posting): void {
  addTotals(sums, posting);
  addTaxes(sums, posting);
  followPiece(sums, posting);
  addControl(sums, posting);
  addNamed(sums, posting);
}

// Totals by account, in the books' currency too where that is another, and the balances that are
// open.

interface Totals {
  entryCount: number;
  /**
   * The entry with the lowest sequence, among the entries of one line each; `null` when there is
   * none.
   */
  first: JournalEntry | null;
  /**
   * The entry with the highest sequence, among the entries of one line each; `null` when there is
   * none.
   */
  last: JournalEntry | null;
  readonly lines: { -readonly [K in keyof JournalSection['lines']]: JournalSection['lines'][K] };
  readonly accounts: Map<string, MutableTotals>;
  readonly booked: BookedSums;
  /** Balances that the next year begins with; `null` when the period is not a year. */
  readonly open: OpenBalances | null;
  readonly byDay: Map<string, { head: Omit<JournalEntry, 'rows'>; rows: Map<string, JournalRow> }>;
}

interface MutableTotals extends Pick<AccountTotals, 'role' | 'account' | 'label'> {
  debit: Amount;
  credit: Amount;
}

/**
 * What an account has under one auxiliary account, or an account of suspense under one piece.
 * `date` is that of its first row, `YYYY-MM-DD`.
 */
export interface OpenBalance
  extends Pick<JournalRow, 'role' | 'account' | 'accountLabel' | 'auxiliary'> {
  /** `null` when the account is not one of suspense. */
  readonly piece: string | null;
  date: string;
  balance: Amount;
  /** Balance in the books' currency; 0 when that is the wallet's. */
  booked: Amount;
}

export type OpenBalances = Map<string, OpenBalance>;

function beginTotals(open: Totals['open']): Totals {
  return {
    entryCount: 0,
    first: null,
    last: null,
    lines: { count: 0, debit: 0, credit: 0 },
    accounts: new Map(),
    booked: beginBooked(),
    open,
    byDay: new Map(),
  };
}

function addTotals({ totals, maker }: JournalSums, { entry, when, isOfDay }: Posting): void {
  if (when !== undefined) return;
  if (entry.sequence !== null && (entry.source === 'line' || entry.source === 'day'))
    countLine(totals, entry);
  if (isOfDay === true) {
    addToDay(totals, entry);
    return;
  }
  const { piece, date, rows, source } = entry;
  totals.entryCount += 1;
  const { accounts, books } = maker.settings;
  if (books !== undefined)
    addBooked(totals.booked, books, entry, source === 'transit' ? null : maker.monthOf(date));
  const ofSuspense = [accounts.suspenseDebit.number, accounts.suspenseCredit.number];
  for (const { role, account, accountLabel: label, auxiliary, debit, credit, booked = 0 } of rows) {
    if (totals.open !== null)
      addOpen(totals.open, {
        ...{ role, account, accountLabel: label, auxiliary, date, booked },
        piece: ofSuspense.includes(account) ? piece : null,
        balance: debit - credit,
      });
    const known = valueIn(totals.accounts, account, () => ({
      ...{ role, account, label },
      debit: 0,
      credit: 0,
    }));
    known.debit = plus(known.debit, debit);
    known.credit = plus(known.credit, credit);
  }
}

function countLine(totals: Totals, entry: JournalEntry): void {
  const { lines } = totals;
  lines.count += 1;
  for (const { role, debit, credit } of entry.rows) {
    if (role !== 'wallet') continue;
    lines.debit = plus(lines.debit, debit);
    lines.credit = plus(lines.credit, credit);
  }
  if (entry.source !== 'line') return;
  if (totals.first === null || isBefore(entry, totals.first)) totals.first = entry;
  if (totals.last === null || isBefore(totals.last, entry)) totals.last = entry;
}

/**
 * Compares by sequence, because lines that were kept back are posted last. Of entries that share a
 * sequence, the number `…-2` is the second.
 */
function isBefore(one: JournalEntry, other: JournalEntry): boolean {
  const [off, longer] = [one.sequence! - other.sequence!, one.number.length - other.number.length];
  return (off || longer || (one.number < other.number ? -1 : 1)) < 0;
}

/**
 * Adds the rows to those of their day. `entry` already has the number and the piece of the day.
 */
function addToDay({ byDay }: Totals, { rows, ...entry }: JournalEntry): void {
  const { operator } = entry;
  const day = valueIn(byDay, entry.number, () => ({
    head: { ...entry, ...OF_NONE, operator },
    rows: new Map(),
  }));
  // Amounts in the books' currency are left out, because the day's rows are converted when they are
  // complete.
  for (const { booked: _, ...row } of rows) {
    const key = JSON.stringify([row.account, row.auxiliary?.number, row.debit > 0]);
    const known = day.rows.get(key) ?? { ...row, debit: 0, credit: 0 };
    day.rows.set(key, {
      ...known,
      debit: plus(known.debit, row.debit),
      credit: plus(known.credit, row.credit),
    });
  }
}

/**
 * Returns the entries of days, made of their parts. Must be called after all parts were posted; the
 * caller must post the entries.
 */
export function dayEntries({ totals, maker }: JournalSums): readonly JournalEntry[] {
  return [...totals.byDay.values()].map(({ head, rows }) => ({
    ...head,
    rows: bookRows(maker.settings.books, debitsFirst([...rows.values()]), head.date),
  }));
}

export function addOpen(open: OpenBalances, one: OpenBalance): void {
  const { account, auxiliary, piece, date, balance, booked } = one;
  const known = valueIn(open, JSON.stringify([account, auxiliary?.number, piece]), () => ({
    ...one,
    balance: 0,
    booked: 0,
  }));
  known.balance = plus(known.balance, balance);
  known.booked += booked;
  if (date < known.date) known.date = date;
}

// Taxes that commissions contain, by operator, tax and month, and what was withheld, by invoice.

interface Taxes {
  readonly sums: Map<string, TaxSums>;
  /**
   * Withheld commissions by invoice number: debit − credit in the wallet's currency, and in the
   * books'.
   */
  readonly withheld: Map<string, readonly [amount: Amount, booked: Amount]>;
}

/** Commissions of one operator under one tax, in one month. */
interface TaxSums {
  readonly operator: string | null;
  readonly tax: FeeTax;
  /** `YYYY-MM`. */
  readonly month: string;
  whole: Amount;
  /** Sum of the taxes that the entries state. */
  stated: Amount;
}

function addTaxes(
  { taxes: { sums, withheld }, maker }: JournalSums,
  { entry, taxes = [], when, isOfDay }: Posting,
): void {
  if (when !== undefined) return;
  const { operator, date, rows } = entry;
  const month = maker.monthOf(date);
  for (const { tax, whole, stated } of taxes) {
    const key = JSON.stringify([operator, tax, month]);
    const own = valueIn(sums, key, () => ({ operator, tax, month, whole: 0, stated: 0 }));
    own.whole = plus(own.whole, whole);
    own.stated = plus(own.stated, stated);
  }
  const invoice = maker.settings.commissionInvoices?.[month]?.number;
  if (invoice === undefined || isOfDay === true) return;
  for (const { letter, debit, credit, booked = 0 } of rows) {
    if (letter?.code !== invoice) continue;
    const [amount, inBooks] = withheld.get(invoice) ?? [0, 0];
    withheld.set(invoice, [plus(amount, debit - credit), inBooks + booked]);
  }
}

/** Returns the taxes by operator; unknown operators come last. Each month is rounded by itself. */
export function taxRows({ sums }: Taxes): readonly TaxRow[] {
  const rows = Map.groupBy(sums.values(), ({ operator, tax }) => JSON.stringify([operator, tax]));
  return [...rows.values()]
    .map((months): TaxRow => {
      const { operator, tax } = months[0]!;
      const whole = months.reduce((sum, one) => sum + one.whole, 0);
      const taxed = months.reduce((sum, one) => sum + taxIn(one.whole, tax.bps), 0);
      return { operator, name: tax.name, bps: tax.bps, net: whole - taxed, tax: taxed, whole };
    })
    .sort((a, b) =>
      a.operator === b.operator ? 0 : (a.operator ?? '\uffff') < (b.operator ?? '\uffff') ? -1 : 1,
    );
}

// Letters: rows of an account that clear each other have the same letter. They share a piece, as a
// collection and its reversal do, or a fault and the line that puts it right. A row without a
// letter is an open item, so the open items sum to the account's balance.

/** Sums by piece, account and auxiliary account (`pieceKey`). */
type OpenPieces = Map<string, Clearing>;

interface Clearing {
  sum: Amount;
  /** Sum in the books' currency; 0 when that is the wallet's. */
  booked: Amount;
  /** Sequence of the first of its lines; infinite when none of its rows is of a line. */
  sequence: number;
  /** Date of the last of its rows, `YYYY-MM-DD`. */
  date: string;
}

/** Sums the rows of pieces that may come to 0 in several rows. Other pieces are not kept. */
function followPiece({ pieces }: JournalSums, { entry, when, mayBeCleared }: Posting): void {
  if (when !== undefined || !(mayBeCleared === true || isNamedSource(entry))) return;
  const { piece, date, sequence, rows } = entry;
  for (const row of rows.filter(isCleared)) {
    const clearing = valueIn(pieces, pieceKey(piece, row), () => ({ ...UNCLEARED, date }));
    clearing.sum = plus(clearing.sum, row.debit - row.credit);
    clearing.booked += row.booked ?? 0;
    clearing.sequence = Math.min(clearing.sequence, sequence ?? Number.POSITIVE_INFINITY);
    if (date > clearing.date) clearing.date = date;
  }
}

/** Returns whether the entry has no line and is about a place that a finding names. */
export function isNamedSource({ source }: JournalEntry): boolean {
  return source === 'drift' || source === 'suspense' || source === 'joining';
}

/**
 * Returns an entry with letters on the rows whose piece comes to 0. `followPiece` must have seen
 * it, and all other entries of the period.
 */
export function lettered({ pieces }: JournalSums, entry: JournalEntry): JournalEntry {
  const rows = entry.rows.map((row): JournalRow => {
    const { sum, booked, sequence, date } =
      (isCleared(row) && pieces.get(pieceKey(entry.piece, row))) || UNCLEARED;
    return sum === 0 && booked === 0 && Number.isFinite(sequence)
      ? { ...row, letter: { code: codeOf(sequence), date } }
      : row;
  });
  return { ...entry, rows };
}

const UNCLEARED: Clearing = { sum: 0, booked: 0, sequence: Number.POSITIVE_INFINITY, date: '' };

function isCleared({ role, letter }: JournalRow): boolean {
  return letter === undefined && isOpenItem(role);
}

function pieceKey(piece: string, { account, auxiliary }: JournalRow): string {
  return JSON.stringify([piece, account, auxiliary?.number]);
}

// Controls compare what the journal posts with what operations state, for commissions, collections
// and payouts each. Lawful differences are summed under their names; a difference that remains is
// printed.

type Controlled = Exclude<keyof JournalControls, 'suspended'>;
type ControlSums = { -readonly [K in 'posted' | 'otherMonth' | 'undone' | 'priced']: number };

interface Controls extends Readonly<Record<Controlled, ControlSums>> {
  /** Returns whether the operation succeeded in the month. */
  readonly isCounted: (note: PostedNote) => boolean;
  /**
   * Postings of operations whose lines decide when they succeeded. They are counted at the end.
   */
  readonly undated: {
    readonly against: Against;
    readonly reference: string;
    readonly note: PostedNote;
    readonly isHere: boolean;
  }[];
}

function beginControls(isCounted: Controls['isCounted']): Controls {
  const none = (): ControlSums => ({ posted: 0, otherMonth: 0, undone: 0, priced: 0 });
  return { fees: none(), customers: none(), suppliers: none(), isCounted, undated: [] };
}

function addControl({ controls }: JournalSums, { control, when }: Posting): void {
  if (control === undefined) return;
  const { against } = control;
  const isHere = when === undefined;
  if ('cutOff' in control) {
    for (const [own, forward] of controlled(controls, against)) {
      own.posted = plus(own.posted, control.cutOff * forward);
      own.otherMonth = plus(own.otherMonth, control.cutOff * forward);
    }
    return;
  }
  const { note, reference } = control;
  if (note?.settlesByLine === true)
    controls.undated.push({ against, reference: reference!, note, isHere });
  else
    countControl(controls, against, {
      isHere,
      isCounted: note !== null && controls.isCounted(note),
    });
}

/**
 * Counts a posting. `isHere` is true when the entry is of this month, `isCounted` when its
 * operation succeeded in it.
 */
function countControl(
  controls: Controls,
  against: Against,
  { isHere, isCounted }: { readonly isHere: boolean; readonly isCounted: boolean },
): void {
  for (const [own, forward] of controlled(controls, against)) {
    if (isHere) own.posted = plus(own.posted, forward);
    if (forward < 0) own.undone = plus(own.undone, isHere ? -forward : 0);
    else if (isHere !== isCounted)
      own.otherMonth = plus(own.otherMonth, isHere ? forward : -forward);
  }
}

/**
 * Returns the sums that each posting belongs to, with its amount signed as operations state it:
 * positive, and negative for an amount that is undone.
 */
function controlled(
  controls: Controls,
  against: Iterable<readonly [AccountRole, Amount]>,
): readonly (readonly [ControlSums, Amount])[] {
  return [...against].flatMap(([role, amount]) =>
    role === 'fees' || role === 'customers' || role === 'suppliers'
      ? [[controls[role], role === 'customers' ? -amount : amount] as const]
      : [],
  );
}

/**
 * Counts as undone what an operation that succeeded in the month states and what undid it, where no
 * line posts either.
 */
export function controlPassedOver(
  controls: Controls,
  passedOver: ReadonlyMap<AccountRole, Amount>,
): void {
  for (const [own, amount] of controlled(controls, passedOver))
    own.undone = plus(own.undone, Math.abs(amount));
}

/**
 * Returns the controls. `rows` are those of the commission section, which has the operations that
 * succeeded in the month. Must be called once, after all entries are posted.
 */
export function controlsOf(
  controls: Controls,
  rows: readonly CommissionRow[],
  isCounted: (note: PostedNote, reference: string) => boolean,
): Omit<JournalControls, 'suspended'> {
  for (const { reference, note, against, isHere } of controls.undated)
    countControl(controls, against, { isHere, isCounted: isCounted(note, reference) });
  const charged = sumOf(rows, (row) => row.charged);
  const baseOf = (type: CommissionRow['type']) =>
    sumOf(rows, (row) => (row.type === type ? row.base : 0));
  return {
    fees: controlOf(controls.fees, charged),
    customers: controlOf(controls.customers, baseOf('CASHIN')),
    suppliers: controlOf(controls.suppliers, baseOf('CASHOUT')),
  };
}

function controlOf(
  { posted, otherMonth, undone, priced }: ControlSums,
  stated: Amount,
): JournalControl {
  const explained = [stated, otherMonth, -undone, priced].reduce(plus, 0);
  return { posted, stated, otherMonth, undone, priced, rest: plus(posted, -explained) };
}

// Named places: what the books hold for each place that a finding names, from month to month.

export type Place = Omit<NamedPlace, 'rows' | 'ratesOf'>;

/** Fields of a place with no value. Exactly one of the three must be set. */
export const NO_PLACE = { operation: null, line: null, drift: null } as const;

/** Sums by the key of their place (`placeKey`). */
export type NamedPlaces = Map<string, Named>;

interface Named {
  readonly place: Place;
  /** Balances by account of entries dated before the month, as today's findings make them. */
  readonly before: Balances;
  /** Balances by account of the same entries as they would be without findings. */
  readonly plain: Balances;
  /** Balances by account of entries dated in the month. */
  readonly here: Balances;
  ratesOf: string;
  /**
   * Debit − credit in suspense that no item of the statement has: what lines on their way will put
   * there, less what adjustments have put there.
   */
  apart: Amount;
}

export type Balances = Map<string, RowParty & { balance: Amount }>;

/** A day after every other, `YYYY-MM-DD`. */
export const NEVER = '9999-12-31';

function addNamed({ named }: JournalSums, { entry, place, when }: Posting): void {
  if (place === undefined) return;
  if (when === 'ahead') {
    const suspended = entry.rows.filter(({ role }) => isSuspense(role));
    setApart(
      named,
      place,
      sumOf(suspended, ({ debit, credit }) => debit - credit),
    );
    return;
  }
  const { rows, date, ratesOf = date } = entry;
  const own = namedAt(named, place);
  if (ratesOf < own.ratesOf) own.ratesOf = ratesOf;
  for (const { debit, credit, ...row } of rows)
    addBalance(own[when ?? 'here'], row, debit - credit);
}

export function setApart(places: NamedPlaces, place: Place, amount: Amount): void {
  const named = namedAt(places, place);
  named.apart = plus(named.apart, amount);
}

/**
 * Returns the sums of a place, and begins them if there are none. Places stay in the order in which
 * they were first asked for.
 */
export function namedAt(places: NamedPlaces, place: Place): Named {
  return valueIn(places, placeKey(place), () => ({
    place,
    before: new Map(),
    plain: new Map(),
    here: new Map(),
    ratesOf: NEVER,
    apart: 0,
  }));
}

/**
 * Adds an amount to its account's balance. The wallet's account is left out, because it has what
 * was recorded, whatever a finding says.
 */
export function addBalance(balances: Balances, party: RowParty, amount: Amount): void {
  const { role, account, accountLabel, auxiliary } = party;
  if (role === 'wallet') return;
  const row = valueIn(balances, JSON.stringify([account, auxiliary?.number]), () => {
    return { role, account, accountLabel, auxiliary, balance: 0 };
  });
  row.balance = plus(row.balance, amount);
}

/**
 * Returns the places that the next month goes on from: those with something in suspense, and those
 * that are booked otherwise than they would be without a finding.
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

/**
 * Returns what the places have in suspense. `posted` is credit − debit of the places in `named`;
 * `apart` is the sum of `apart` over all places.
 */
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

export function placeKey({ operation, line, drift }: Place): string {
  return line !== null
    ? `line ${line}`
    : operation !== null
      ? `operation ${operation}`
      : `drift ${drift}`;
}
