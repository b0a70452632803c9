// Gathers a month's journal while the ledger passes: what each line posts, what findings keep back
// until all lines of their operations have been seen, and what is posted by day. `close-book.ts`
// closes it.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { Instant } from '../../domain/instant.ts';
import { isAdjustment, type LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Bounds } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus } from '../exact.ts';
import type { AccountTotals, JournalEntry, JournalRow, JournalSettings } from '../journal.ts';
import type { VisitedLine } from '../line-replay.ts';
import { addBooked, type BookedSums, beginBooked } from './books.ts';
import { addOpen, followPiece, type OpenBalances, type OpenPieces } from './letters.ts';
import {
  beginControls,
  type ControlSums,
  controlEntry,
  type EntryMaker,
  type MadeEntry,
  makeEntry,
  OF_NONE,
  openEntries,
  ownNumber,
  ratesDiffer,
  type TaxSums,
  type Withheld,
} from './make-entry.ts';
import { addNamed, linePlace, type NamedPlaces } from './named-places.ts';
import {
  type Against,
  factsOf,
  type PostedNote,
  type PostingFacts,
  postingsOf,
} from './postings.ts';
import { rootNaming, type SuspensePlan } from './suspense-plan.ts';

export interface JournalBook {
  readonly maker: EntryMaker;
  readonly plan: SuspensePlan;
  readonly creditsAreNet: boolean;
  /**
   * Of collections that are credited net and in parts, by operation: the first part, which bears
   * the commission.
   */
  readonly bearers: Map<string, number>;
  /** True: the operation succeeded in the month. */
  readonly isCounted: (note: PostedNote) => boolean;
  /** As texts are shown. */
  readonly shown: (text: string) => string;
  readonly bounds: Bounds;
  /** `YYYY-MM-DD` of any instant, in the zone of the period. */
  readonly localDay: (at: Instant) => string;
  /** Of the line, else when the operation moved last; null: neither is known. */
  readonly instantOf: (place: {
    readonly sequence: number | null;
    readonly reference: string;
  }) => Instant | null;
  /** Of lines that findings name and that came late, their own dates, by sequence. */
  readonly ownDates: Map<number, Instant>;
  /** Of operations that may be undone, the first line that moved their money. */
  readonly charged: Map<string, { readonly sequence: number; readonly at: Instant }>;
  readonly numbering: Numbering;
  /** Lines of operations that findings name, of all months. */
  readonly keptBack: Map<string, KeptLine[]>;
  /**
   * Lines of no such operation that findings name, or named when the month before was stated: those
   * dated before the month.
   */
  readonly earlier: KeptLine[];
  readonly named: NamedPlaces;
  /** What those post, once it is known; by `keyOf`. */
  readonly allocated: Map<string, Against>;
  /** Of operations of which the lines decide when they succeeded. */
  readonly undated: UndatedPosting[];
  readonly controls: ControlSums;
  readonly taxes: Map<string, TaxSums>;
  /** What was withheld, by the number of its invoice. */
  readonly withheld: Map<string, Withheld>;
  readonly pieces: OpenPieces;
  readonly accounts: Map<string, MutableTotals>;
  /** Where the books are in another currency than the wallet. */
  readonly booked: BookedSums;
  /** Of a year, what the next begins with; null: it is none. */
  readonly open: OpenBalances | null;
  readonly byDay: Map<string, { head: Omit<JournalEntry, 'rows'>; rows: Map<string, JournalRow> }>;
  /** Days on which a line left the recorded balance below 0. */
  readonly daysInCredit: Set<string>;
  readonly lines: { count: number; debit: Amount; credit: Amount };
  entryCount: number;
  /** Of the entries of one line each, by sequence. */
  first: JournalEntry | null;
  last: JournalEntry | null;
}

export interface MutableTotals extends Pick<AccountTotals, 'role' | 'account' | 'label'> {
  debit: Amount;
  credit: Amount;
}

/** Of an operation whose lines decide when it succeeded. */
export interface UndatedPosting {
  readonly reference: string;
  readonly note: PostedNote;
  readonly against: Against;
  readonly isHere: boolean;
}

export type BookLine = Pick<VisitedLine, 'entry' | 'effect' | 'dated'>;

export interface KeptLine {
  readonly line: BookLine;
  readonly note: PostedNote | null;
  /** Null: of another month. */
  readonly here: EntryPlace | null;
}

export interface EntryPlace {
  readonly number: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * Lines that share a sequence follow each other: the second and later ones get their place among
 * them beside it.
 */
export interface Numbering {
  sequence: number | null;
  place: number;
}

export function beginNumbering(): Numbering {
  return { sequence: null, place: 0 };
}

export function nextNumber(
  numbering: Numbering,
  maker: EntryMaker,
  { sequence, day }: { readonly sequence: number; readonly day: string },
): string {
  numbering.place = numbering.sequence === sequence ? numbering.place + 1 : 1;
  numbering.sequence = sequence;
  const shared = numbering.place < 2 ? '' : `-${numbering.place}`;
  return ownNumber(maker, { day, name: `${String(sequence).padStart(6, '0')}${shared}` });
}

export function beginJournal(
  settings: JournalSettings,
  month: Pick<EntryMaker, 'monthOf' | 'country'> & { readonly standing: Standing },
  also: Pick<
    JournalBook,
    'plan' | 'isCounted' | 'shown' | 'open' | 'bounds' | 'localDay' | 'instantOf'
  >,
): JournalBook {
  return {
    maker: openEntries(settings, month),
    ...also,
    creditsAreNet: !includes(month.standing.cashinCredit, BITS.cashinCredit.GROSS_AND_FEE),
    bearers: new Map(),
    ownDates: new Map(),
    charged: new Map(),
    numbering: beginNumbering(),
    keptBack: new Map(),
    earlier: [],
    named: new Map(),
    allocated: new Map(),
    undated: [],
    controls: beginControls(),
    taxes: new Map(),
    withheld: new Map(),
    pieces: new Map(),
    accounts: new Map(),
    booked: beginBooked(),
    byDay: new Map(),
    daysInCredit: new Set(),
    lines: { count: 0, debit: 0, credit: 0 },
    entryCount: 0,
    first: null,
    last: null,
  };
}

/** True: lines of other months may belong to this one, for its operation does. */
export function mayPostElsewhere(book: JournalBook, note: PostedNote): boolean {
  return note.settlesByLine || book.isCounted(note);
}

/** Takes lines by sequence. `day`: where it is of the month; else null. */
export function takeJournalLine(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
  day: string | null,
): void {
  const { entry, effect } = line;
  if (day !== null && entry.balanceAfter < 0) book.daysInCredit.add(day);
  if (effect === 0) return;
  noteCharged(book, line, note);
  const here =
    day === null
      ? null
      : { number: nextNumber(book.numbering, book.maker, { sequence: entry.sequence, day }), day };
  if (here !== null) countLine(book, effect);
  if (note !== null && isPart(book, line, note))
    valueIn(book.bearers, entry.operationReference!, () => entry.sequence);
  const reference = entry.operationReference;
  if (
    reference !== null &&
    book.plan.operations.has(reference) &&
    !book.plan.settling.has(entry.sequence)
  ) {
    const kept: KeptLine = { line, note, here };
    valueIn(book.keptBack, reference, () => []).push(kept);
    return;
  }
  if (here === null && rootNaming(book.plan, entry) !== null)
    book.earlier.push({ line, note, here });
  if (here === null && (note === null || !mayPostElsewhere(book, note))) return;
  const { against } = postingOf(book, line, note);
  controlLine(book, against, { reference, note, isHere: here !== null });
  if (here !== null) addLine(book, { line, note, here });
}

/** A credit that is net of a commission, and not all that the operation asks for. */
function isPart(
  { creditsAreNet }: JournalBook,
  { entry, effect }: BookLine,
  { amount, fees }: PostedNote,
): boolean {
  return (
    creditsAreNet &&
    entry.kind === 'CASHIN_CREDIT' &&
    effect > 0 &&
    fees !== 0 &&
    effect !== amount - fees
  );
}

/**
 * The commission that a collection is posted net of; else 0. Of one that is credited in parts the
 * first bears it.
 */
export function withheldIn(book: JournalBook, line: BookLine, note: PostedNote | null): Amount {
  const { entry, effect } = line;
  if (note === null || !book.creditsAreNet || entry.kind !== 'CASHIN_CREDIT' || effect <= 0)
    return 0;
  const isBearer =
    !isPart(book, line, note) || book.bearers.get(entry.operationReference!) === entry.sequence;
  return isBearer ? note.fees : 0;
}

function countLine({ lines }: JournalBook, effect: Amount): void {
  lines.count += 1;
  if (effect > 0) lines.debit = plus(lines.debit, effect);
  else lines.credit = plus(lines.credit, -effect);
}

export function controlLine(
  book: JournalBook,
  against: Against,
  {
    reference,
    note,
    isHere,
  }: Pick<UndatedPosting, 'isHere'> & {
    readonly reference: string | null;
    readonly note: PostedNote | null;
  },
): void {
  if (note?.settlesByLine === true)
    book.undated.push({ reference: reference!, note, against, isHere });
  else
    controlEntry(book.controls, against, {
      isHere,
      isCounted: note !== null && book.isCounted(note),
    });
}

function noteCharged(
  { plan, charged }: JournalBook,
  line: BookLine,
  note: PostedNote | null,
): void {
  const { kind, sequence, operationReference, createdAt } = line.entry;
  const mayBeUndone =
    note !== null && (note.status === 'REVERSED' || plan.operations.has(operationReference!));
  if (mayBeUndone && /^CASH(?:IN|OUT)_(?:CREDIT|DEBIT|FEE)$/.test(kind))
    valueIn(charged, operationReference!, () => ({ sequence, at: line.dated ?? createdAt }));
}

/**
 * The day whose rates an entry takes: of a reversal that on which the operation was charged, of a
 * line that puts a fault right that of the fault, of one that came late its own.
 */
function ratesDayOf(
  book: JournalBook,
  { entry, dated }: BookLine,
  note: PostedNote | null,
): Instant | null {
  const { sequence, operationReference, kind } = entry;
  const root = book.plan.settling.get(sequence);
  if (root !== undefined && (root.sequence ?? 0) < sequence)
    return (
      book.ownDates.get(root.sequence ?? -1) ??
      book.instantOf({ sequence: root.sequence, reference: root.piece })
    );
  if (!kind.startsWith('REVERSAL_')) return dated ?? null;
  const charged = book.charged.get(operationReference ?? '');
  return charged !== undefined && charged.sequence < sequence
    ? charged.at
    : (note?.succeededAt ?? dated ?? null);
}

/**
 * What a line posts against the wallet's account, and under which piece; `isNamed`: a finding names
 * it.
 */
export function postingOf(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
): { readonly against: Against; readonly piece: string; readonly isNamed: boolean } {
  const { plan, allocated } = book;
  const { entry, effect } = line;
  const piece = entry.operationReference ?? `LINE-${entry.sequence}`;
  const settled = plan.settling.get(entry.sequence);
  if (settled !== undefined)
    return { against: [[settled.role, -effect]], piece: settled.piece, isNamed: true };
  const known = allocated.get(keyOf(entry));
  if (known !== undefined) return { against: known, piece, isNamed: true };
  const stray = plan.strays.get(entry.sequence);
  if (stray !== undefined) return { against: [[stray.role, -effect]], piece, isNamed: true };
  return {
    against: postingsOf({ entry, effect, operation: note }, withheldIn(book, line, note)),
    piece,
    isNamed: false,
  };
}

export function keyOf({ sequence, id }: Pick<LedgerEntry, 'sequence' | 'id'>): string {
  return `${sequence}:${id}`;
}

/** Counts the entry of a line of the month, or adds it to that of its day. */
export function addLine(
  book: JournalBook,
  { line, note, here }: Pick<KeptLine, 'line' | 'note'> & { readonly here: EntryPlace },
): void {
  const made = entryOfLine(book, line, note, here);
  const root = rootNaming(book.plan, line.entry);
  if (root !== null) addNamed(book.named, linePlace(line, root), 'here', made.entry);
  addTaxes(book, made, made.entry.operator);
  if (made.entry.source === 'day') addToDay(book, made.entry);
  else {
    addTotals(book, made.entry);
    if (made.mayBeCleared) followPiece(book.pieces, made.entry);
    if (book.first === null || isBefore(made.entry, book.first)) book.first = made.entry;
    if (book.last === null || isBefore(book.last, made.entry)) book.last = made.entry;
  }
}

/** Lines that were kept back are posted last; of those that share a sequence `…-2` is the second. */
function isBefore(one: JournalEntry, other: JournalEntry): boolean {
  const [off, longer] = [one.sequence! - other.sequence!, one.number.length - other.number.length];
  return (off || longer || (one.number < other.number ? -1 : 1)) < 0;
}

/**
 * In the passage that counts, and in the one that writes. The entry of a day is named; the rows are
 * the line's own. `mayBeCleared`: its operation was reversed, or a finding names it. No other piece
 * comes to 0.
 */
export function entryOfLine(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
  { number, day }: EntryPlace,
): MadeEntry & { readonly mayBeCleared: boolean } {
  const { entry, effect } = line;
  const { maker } = book;
  const { against, piece, isNamed } = postingOf(book, line, note);
  const operator = note?.group.operator ?? null;
  const at = ratesDayOf(book, line, note);
  const ratesOf = at === null ? day : book.localDay(at);
  const hasOwn = ratesDiffer(maker, [ratesOf, day], note?.group.country ?? null);
  const isOfDay =
    !hasOwn &&
    maker.settings.entries === 'day' &&
    note !== null &&
    !isNamed &&
    /^CASH(?:IN|OUT)_/.test(entry.kind);
  const ofDay = isOfDay ? ownNumber(maker, { day, name: `${day.slice(8)}-${operator}` }) : null;
  const { sequence, operationReference } = entry;
  const source = isOfDay ? 'day' : 'line';
  const of = { sequence, operationReference, operator };
  const head = {
    number: ofDay ?? number,
    date: day,
    piece: ofDay ?? piece,
    source,
    ...(hasOwn ? { ratesOf } : {}),
    ...of,
  } as const;
  const facts = factsIn(book, line, note, isNamed);
  const made = makeEntry(maker, head, { effect, against, facts });
  return { ...made, mayBeCleared: !isOfDay && (isNamed || note?.status === 'REVERSED') };
}

/** What rules may ask of the line; `isNamed`: a finding names it. */
export function factsIn(
  { maker, shown }: JournalBook,
  { entry }: BookLine,
  note: PostedNote | null,
  isNamed = false,
): PostingFacts {
  const known = factsOf(maker.settings, entry, { note, shown });
  return { ...known, mayBeExplained: !isNamed && isAdjustment(entry.kind) };
}

/** The entry has the number and the piece of its day. */
export function addToDay(book: JournalBook, { rows, ...entry }: JournalEntry): void {
  const { operator } = entry;
  const day = valueIn(book.byDay, entry.number, () => ({
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

export function addTaxes(
  { taxes, maker }: JournalBook,
  made: MadeEntry,
  operator: string | null,
): void {
  for (const { tax, whole, stated } of made.taxes) {
    const month = maker.monthOf(made.entry.date);
    const key = JSON.stringify([operator, tax, month]);
    const sums = valueIn(taxes, key, () => ({ operator, tax, month, whole: 0, stated: 0 }));
    sums.whole = plus(sums.whole, whole);
    sums.stated = plus(sums.stated, stated);
  }
}

export function addTotals(book: JournalBook, entry: JournalEntry): void {
  const { piece, date, rows, source } = entry;
  book.entryCount += 1;
  const { accounts, books, commissionInvoices } = book.maker.settings;
  if (books !== undefined)
    addBooked(book.booked, books, entry, source === 'transit' ? null : book.maker.monthOf(date));
  const { suspenseDebit, suspenseCredit } = accounts;
  const invoice = commissionInvoices?.[book.maker.monthOf(date)]?.number;
  const ofSuspense = [suspenseDebit.number, suspenseCredit.number];
  for (const {
    role,
    account,
    accountLabel: label,
    auxiliary,
    debit,
    credit,
    letter,
    booked = 0,
  } of rows) {
    if (letter !== undefined && letter.code === invoice) {
      const [amount, inBooks] = book.withheld.get(invoice) ?? [0, 0];
      book.withheld.set(invoice, [plus(amount, debit - credit), inBooks + booked]);
    }
    const own = {
      role,
      account,
      accountLabel: label,
      auxiliary,
      piece: ofSuspense.includes(account) ? piece : null,
    };
    if (book.open !== null) addOpen(book.open, { ...own, date, balance: debit - credit, booked });
    const known = valueIn(book.accounts, account, () => ({
      role,
      account,
      label,
      debit: 0,
      credit: 0,
    }));
    known.debit = plus(known.debit, debit);
    known.credit = plus(known.credit, credit);
  }
}
