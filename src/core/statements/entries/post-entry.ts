// The stream of a journal: each entry comes here once, and five sums take from it what they need:
// totals by account, taxes and what was withheld, pieces that come to 0, controls against the
// operations, and what is in suspense by place. Decides nothing: `book.ts` and `close-book.ts` have
// decided what an entry posts before it comes.

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

/** An entry, and what the sums must know of it beside. */
export interface Posting extends Pick<MadeEntry, 'entry'>, Partial<Pick<MadeEntry, 'taxes'>> {
  /**
   * `before`, `ahead`: of a month before or after the period, as the findings make it; `plain`: of
   * a month before, as it would be without any. Absent: of the period.
   */
  readonly when?: 'before' | 'plain' | 'ahead' | undefined;
  /** True: a part of the entry of its day, which is posted when all parts have been. */
  readonly isOfDay?: boolean;
  /** True: its operation was reversed, or a finding names it. No other piece of lines comes to 0. */
  readonly mayBeCleared?: boolean;
  /** That a finding names. */
  readonly place?: Place | undefined;
  /** Absent: the controls do not count it. */
  readonly control?: Control | undefined;
}

/**
 * As a line of an operation; or as an entry without its line, in the year that the operation is of:
 * `cutOff` −1 takes it back in the year of the line.
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

// Totals: by account, in the currency of the books where that is another, and of what is open.

interface Totals {
  entryCount: number;
  /** Of the entries of one line each, by sequence. */
  first: JournalEntry | null;
  last: JournalEntry | null;
  readonly lines: { -readonly [K in keyof JournalSection['lines']]: JournalSection['lines'][K] };
  readonly accounts: Map<string, MutableTotals>;
  readonly booked: BookedSums;
  /** Of a year, what the next begins with; null: it is none. */
  readonly open: OpenBalances | null;
  readonly byDay: Map<string, { head: Omit<JournalEntry, 'rows'>; rows: Map<string, JournalRow> }>;
}

interface MutableTotals extends Pick<AccountTotals, 'role' | 'account' | 'label'> {
  debit: Amount;
  credit: Amount;
}

/**
 * What an account has under one auxiliary account, and one of suspense under one piece; and since
 * when.
 */
export interface OpenBalance
  extends Pick<JournalRow, 'role' | 'account' | 'accountLabel' | 'auxiliary'> {
  /** Null: it is no account of suspense. */
  readonly piece: string | null;
  date: string;
  balance: Amount;
  /** In the currency of the books, where that is another. */
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

/** Lines that were kept back are posted last; of those that share a sequence `…-2` is the second. */
function isBefore(one: JournalEntry, other: JournalEntry): boolean {
  const [off, longer] = [one.sequence! - other.sequence!, one.number.length - other.number.length];
  return (off || longer || (one.number < other.number ? -1 : 1)) < 0;
}

/** The entry has the number and the piece of its day. */
function addToDay({ byDay }: Totals, { rows, ...entry }: JournalEntry): void {
  const { operator } = entry;
  const day = valueIn(byDay, entry.number, () => ({
    head: { ...entry, ...OF_NONE, operator },
    rows: new Map(),
  }));
  // Converted when the day's are all there.
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

/** The entries of days out of their parts, to be posted. Call when all parts have been. */
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
  /** By the number of the invoice, also in the currency of the books. */
  readonly withheld: Map<string, readonly [amount: Amount, booked: Amount]>;
}

/** Commissions of one operator under one tax, in one month. */
interface TaxSums {
  readonly operator: string | null;
  readonly tax: FeeTax;
  /** `YYYY-MM`. */
  readonly month: string;
  whole: Amount;
  /** Σ of what entries state. */
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

/**
 * By operator, then in the order of the configuration; unknown operators last. Months were rounded
 * one by one.
 */
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

// Letters: the rows of an account that clear each other have one, by the piece that they have in
// common: a collection and its reversal, a fault and the line that puts it right. What has no
// letter is an open item, so the open items sum to the account's balance.

/** By piece, account and auxiliary account. */
type OpenPieces = Map<string, Clearing>;

interface Clearing {
  sum: Amount;
  /** In the currency of the books, where that is another. */
  booked: Amount;
  /** Of its first line; infinite: none of its rows is of a line. */
  sequence: number;
  /** Of its last row, `YYYY-MM-DD`. */
  date: string;
}

/** Pieces that may come to 0 in several rows: others are not kept. */
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

/** Of no line, and about a place that a finding names. */
export function isNamedSource({ source }: JournalEntry): boolean {
  return source === 'drift' || source === 'suspense' || source === 'joining';
}

/** An entry that was followed, with its letters. Call when all of the period have been. */
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

// Controls: what the journal posts against what operations state: commissions, collections,
// payouts, counted each for itself. Names what lawfully differs; the rest is printed.

type Controlled = Exclude<keyof JournalControls, 'suspended'>;
type ControlSums = { -readonly [K in 'posted' | 'otherMonth' | 'undone' | 'priced']: number };

interface Controls extends Readonly<Record<Controlled, ControlSums>> {
  /** True: the operation succeeded in the month. */
  readonly isCounted: (note: PostedNote) => boolean;
  /** Of operations of which the lines decide when they succeeded. */
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

/** `isHere`: the entry is of this month. `isCounted`: its operation succeeded in it. */
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

/** With the amount as what an operation asks for has it: positive, and what is undone negative. */
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
 * What an operation that succeeded in the month states, and what was undone of it, with a line for
 * neither.
 */
export function controlPassedOver(
  controls: Controls,
  passedOver: ReadonlyMap<AccountRole, Amount>,
): void {
  for (const [own, amount] of controlled(controls, passedOver))
    own.undone = plus(own.undone, Math.abs(amount));
}

/**
 * `rows`: of the commission section, which has the operations that succeeded in the month. Call
 * once, when all is posted.
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

// Named places: what the books hold of each place that a finding names, from month to month.

export type Place = Omit<NamedPlace, 'rows' | 'ratesOf'>;

/** A place has a value for one of the three. */
export const NO_PLACE = { operation: null, line: null, drift: null } as const;

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

export type Balances = Map<string, RowParty & { balance: Amount }>;

/** Behind every day. */
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

/** Places stay in the order in which they were first asked for. */
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

/** The wallet's account has what was recorded, whatever a finding says. */
export function addBalance(balances: Balances, party: RowParty, amount: Amount): void {
  const { role, account, accountLabel, auxiliary } = party;
  if (role === 'wallet') return;
  const row = valueIn(balances, JSON.stringify([account, auxiliary?.number]), () => {
    return { role, account, accountLabel, auxiliary, balance: 0 };
  });
  row.balance = plus(row.balance, amount);
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

export function placeKey({ operation, line, drift }: Place): string {
  return line !== null
    ? `line ${line}`
    : operation !== null
      ? `operation ${operation}`
      : `drift ${drift}`;
}
