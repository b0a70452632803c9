// Makes a month's figures out of its lines. Each line's effect goes into a bucket by the line's
// date: before, in or after the month. Opening and closing are sums of effects, never the recorded
// figure of some line.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import { isAdjustment } from '../../domain/ledger-entry.ts';
import { formatPeriod, type StatedPeriod } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { localText } from '../../domain/zone.ts';
import {
  beginJournal,
  type JournalBook,
  mayPostElsewhere,
  takeJournalLine,
  withheldIn,
} from '../entries/book.ts';
import type { SuspensePlan } from '../entries/suspense-plan.ts';
import { beginWalletAccounts, type WalletAccounts } from '../entries/wallet-accounts.ts';
import { beginDays, type DayFinder, plus } from '../exact.ts';
import { beginChain, chainLine } from '../integrity.ts';
import type { VisitedLine } from '../line-replay.ts';
import { maskPhoneNumbers, shownText } from '../mask-phone-numbers.ts';
import type { MonthSettings } from '../month-settings.ts';
import type { EarlierLine, Opening } from '../opening.ts';
import type { MovementRow } from '../section-movements.ts';
import type { CorrectionLine, EarlierReversal } from '../section-reconciliation.ts';
import type { PerpetualTotals } from '../summary.ts';
import {
  beginCrossings,
  beginCutOff,
  type CrossingFinder,
  type CutOff,
  findCrossing,
  followLine,
} from './cut-off.ts';
import { beginTransits, findTransit, type TransitFinder } from './in-transit.ts';
import { addToColumns, emptyColumns, type MutableColumns } from './money-columns.ts';
import type { MonthOperations, OperationNote, OperatorGroup } from './month-operations.ts';

type Bucket = { -readonly [Sum in keyof Opening['before']]: Opening['before'][Sum] };

const EMPTY: Bucket = {
  entries: 0,
  balance: 0,
  reserved: 0,
  creditCount: 0,
  credits: 0,
  debitCount: 0,
  debits: 0,
};

type KindSums = {
  -readonly [Sum in Exclude<keyof MovementRow, 'kind' | 'direction'>]: MovementRow[Sum];
};

export const NO_LINES: Readonly<KindSums> = {
  count: 0,
  amount: 0,
  balanceEffect: 0,
  reservedEffect: 0,
};

export interface DaySums {
  entryCount: number;
  /** Sequence of the last line dated on the day; 0 when there is none. */
  lastSequence: number;
  reserved: Amount;
  readonly columns: MutableColumns;
}

/** A line that puts a fault right, with what it moved. */
export interface SettlingLine {
  readonly sequence: number;
  readonly at: Instant;
  readonly balance: Amount;
  readonly reserved: Amount;
}

export interface Hold {
  sequence: number;
  since: Instant;
  held: Amount;
}

export interface MonthFigures {
  readonly settings: MonthSettings;
  readonly operations: MonthOperations;
  readonly finder: DayFinder;
  /** Effects of lines dated before the month, and the declared opening. */
  readonly before: Bucket;
  /** Effects of lines dated in the month. */
  readonly inside: Bucket;
  /** Effects of lines dated after the month. */
  readonly after: Bucket;
  /**
   * Sequences of lines dated in the month that came after it was closed, ascending. They are stated
   * in the month after.
   */
  readonly late: number[];
  /**
   * Number of lines that came after the month was closed, those dated in earlier months included.
   */
  lateCount: number;
  readonly columns: MutableColumns;
  readonly byKind: Map<string, KindSums>;
  /** The key `null` is of lines whose operation is not known. */
  readonly byGroup: Map<OperatorGroup | null, MutableColumns>;
  readonly byDay: readonly DaySums[];
  /** Recorded figures at the month's end. */
  readonly cutOff: CutOff;
  /** Recorded figures at the month's start. */
  readonly startCutOff: CutOff;
  readonly crossings: readonly CrossingFinder[];
  /** Operations in transit at the month's start, and at its end. */
  readonly transits: readonly [TransitFinder, TransitFinder];
  /** Lines that put a fault right, by sequence. */
  readonly settling: Map<number, SettlingLine>;
  /**
   * What each operation holds at the cut-off. The key `null` is of holds that name no operation.
   */
  readonly holds: Map<string | null, Hold>;
  readonly reversals: { readonly rows: EarlierReversal[]; count: number; total: Amount };
  readonly corrections: { readonly rows: CorrectionLine[]; count: number };
  readonly journal: JournalBook;
  readonly wallets: WalletAccounts;
  chainHead: string;
  firstSequence: number | null;
  lastSequence: number | null;
  /**
   * Dates of the lines that settled operations whose own dates do not say when they ended, by
   * reference.
   */
  readonly settledAt: Map<string, Instant>;
  /** Dates of lines that findings name, by sequence; `null` until the line is seen. */
  readonly wanted: Map<number, Instant | null>;
  /**
   * References of operations that lines of the month name and that `operations` has no note of.
   */
  readonly missing: Set<string>;
}

const ROWS_KEPT = 1_000;

/**
 * Begins the figures after the opening `from`. `wanted` are sequences of lines whose dates findings
 * ask for. `plan` says which lines findings keep from being posted as they are.
 */
export function beginFigures(
  operations: MonthOperations,
  {
    from,
    plan,
    ...also
  }: { readonly from: Opening; readonly wanted: Iterable<number>; readonly plan: SuspensePlan },
): MonthFigures {
  const { settings } = operations;
  const wanted = new Map<number, Instant | null>(
    [...also.wanted].map((sequence) => [sequence, null]),
  );
  const finder = beginDays(settings.bounds, settings.zone);
  return {
    settings,
    operations,
    finder,
    before: { ...from.before },
    inside: { ...EMPTY },
    after: { ...EMPTY },
    late: [],
    lateCount: 0,
    columns: emptyColumns(),
    byKind: new Map(),
    byGroup: new Map(),
    byDay: finder.days.map(() => ({
      entryCount: 0,
      lastSequence: 0,
      reserved: 0,
      columns: emptyColumns(),
    })),
    cutOff: beginCutOff(from),
    startCutOff: beginCutOff(from),
    crossings: [
      beginCrossings('start', settings.bounds.start),
      beginCrossings('end', settings.bounds.end),
    ],
    transits: [
      beginTransits(settings.bounds.start),
      beginTransits(settings.bounds.end, settings.cut),
    ],
    settling: new Map(),
    holds: new Map(
      from.holds.map(({ reference, sequence, since, held }) => [
        reference,
        { sequence, since: since ?? settings.bounds.start, held },
      ]),
    ),
    reversals: { rows: [], count: 0, total: 0 },
    corrections: { rows: [], count: 0 },
    journal: openJournal(settings, plan, { sequences: wanted, operations: operations.wanted }),
    wallets: beginWalletAccounts(from.wallets),
    chainHead: beginChain(settings),
    firstSequence: null,
    lastSequence: null,
    settledAt: new Map(),
    wanted,
    missing: new Set(),
  };
}

function openJournal(
  settings: MonthSettings,
  plan: SuspensePlan,
  wanted: {
    readonly sequences: MonthFigures['wanted'];
    readonly operations: MonthOperations['wanted'];
  },
): JournalBook {
  const { bounds, period, profiles, standing, phoneNumbers, zone } = settings;
  const month = { monthOf: monthsOf(period), country: profiles.at(-1)?.country ?? null, standing };
  return beginJournal(settings.journal, month, {
    plan,
    isCounted: ({ succeededAt }) =>
      succeededAt !== null && succeededAt >= bounds.start && succeededAt < bounds.end,
    open: period.month === null ? new Map() : null,
    bounds,
    localDay: (at) => localText(zone, at).slice(0, 10),
    instantOf: ({ sequence, reference }) =>
      (sequence === null ? null : wanted.sequences.get(sequence)) ??
      wanted.operations.get(reference) ??
      null,
    shown: phoneNumbers === 'whole' ? (text) => text : maskPhoneNumbers,
  });
}

/**
 * Returns a function that gives the month (`YYYY-MM`) in which an entry of a day is numbered: the
 * stated month, or in a year the month of that day.
 */
function monthsOf(period: StatedPeriod): (day: string) => string {
  if (period.month === null) return (day) => day.slice(0, 7);
  const { year, month } = period;
  return () => formatPeriod({ year, month });
}

/** Returns the totals of all lines up to the month's end. */
export function perpetualOf({
  before,
  inside,
}: Pick<MonthFigures, 'before' | 'inside'>): PerpetualTotals {
  return {
    creditCount: before.creditCount + inside.creditCount,
    credits: plus(before.credits, inside.credits),
    debitCount: before.debitCount + inside.debitCount,
    debits: plus(before.debits, inside.debits),
  };
}

/** Must be called with every line from the month's opening on, as the replay visits it. */
export function takeLine(figures: MonthFigures, line: VisitedLine): void {
  const { entry, effect, move } = line;
  const { settings } = figures;
  const { start, end } = settings.bounds;
  const { createdAt } = entry;
  const bucket =
    createdAt < start ? figures.before : createdAt < end ? figures.inside : figures.after;
  bucket.entries += 1;
  bucket.balance = plus(bucket.balance, effect);
  bucket.creditCount += effect > 0 ? 1 : 0;
  bucket.credits = plus(bucket.credits, Math.max(0, effect));
  bucket.debitCount += effect < 0 ? 1 : 0;
  bucket.debits = plus(bucket.debits, Math.max(0, -effect));
  bucket.reserved = plus(bucket.reserved, move);
  followLine(figures.cutOff, line, createdAt < end);
  followLine(figures.startCutOff, line, createdAt < start);
  for (const finder of figures.crossings) findCrossing(finder, line);
  if (createdAt < end && move !== 0) holdMoney(figures.holds, line);
  const isInside = bucket === figures.inside;
  // A line behind the cut is no fact of the month, whatever it puts right.
  if (createdAt >= end && settings.cut?.isBehind(entry) === true) return;
  const note = takeNamed(figures, line, isInside ? figures.finder.dayAt(createdAt).day : null);
  const { plan } = figures.journal;
  const isKept =
    plan.settling.has(entry.sequence) || plan.operations.has(entry.operationReference ?? '');
  if (note !== null)
    for (const finder of figures.transits)
      if (finder.cut !== null || !isKept) findTransit(finder, line, note);
  if (!isInside) return;
  if (note === null && entry.operationReference !== null)
    figures.missing.add(entry.operationReference);
  takeMonthLine(figures, line, note);
}

/**
 * Must be called with lines that stand before the opening, by sequence and before any other line.
 * They must include all lines that `earlierWanted` asks for; other lines do no harm.
 */
export function takeEarlier(figures: MonthFigures, line: EarlierLine): void {
  takeNamed(figures, line, null);
}

/**
 * Returns the operations whose lines before the opening matter to this month, and the sequences of
 * lines whose dates are needed. `parts` are operations that are credited in parts.
 */
export function earlierWanted(
  { operations, journal, wanted }: MonthFigures,
  parts: ReadonlySet<string>,
): {
  readonly references: ReadonlySet<string>;
  readonly sequences: ReadonlySet<number>;
} {
  const references = new Set([...journal.plan.operations.keys(), ...parts]);
  const { taxes, books } = journal.maker.settings;
  const haveChanged = taxes.some(({ from }) => from !== null) || (books?.rates.length ?? 0) > 1;
  for (const note of operations.notes.values())
    if (mayPostElsewhere(journal, note) || (haveChanged && note.status === 'REVERSED'))
      references.add(note.reference);
  const { settling, strays, released } = journal.plan;
  const named = [settling, strays, released].flatMap((lines) => [...lines.keys()]);
  return { references, sequences: new Set([...wanted.keys(), ...named]) };
}

/**
 * Notes what findings and the line's operation need of a line, whatever its month. `day` is `null`
 * when the line is not of this month.
 */
function takeNamed(
  figures: MonthFigures,
  line: EarlierLine,
  day: string | null,
): OperationNote | null {
  const { entry, effect, move, dated } = line;
  const { sequence, createdAt: at } = entry;
  if (figures.journal.plan.settling.has(sequence))
    figures.settling.set(sequence, { sequence, at, balance: effect, reserved: move });
  if (figures.wanted.has(sequence)) {
    figures.wanted.set(sequence, at);
    if (dated !== undefined) figures.journal.ownDates.set(sequence, dated);
  }
  const reference = entry.operationReference;
  const note = reference === null ? null : (figures.operations.notes.get(reference) ?? null);
  const isPrincipal = entry.kind === 'CASHIN_CREDIT' || entry.kind === 'CASHOUT_DEBIT';
  if (note?.settlesByLine && isPrincipal && !figures.settledAt.has(note.reference)) {
    figures.settledAt.set(note.reference, entry.createdAt);
  }
  takeJournalLine(figures.journal, line, note, day);
  return note;
}

function holdMoney(holds: Map<string | null, Hold>, { entry, move }: VisitedLine): void {
  const { operationReference: reference, sequence, createdAt: since } = entry;
  const known = valueIn(holds, reference, () => ({ sequence, since, held: 0 }));
  known.held = plus(known.held, move);
  if (known.held === 0) holds.delete(reference);
}

function takeMonthLine(figures: MonthFigures, line: VisitedLine, note: OperationNote | null): void {
  const { entry, effect, move } = line;
  figures.firstSequence = Math.min(figures.firstSequence ?? entry.sequence, entry.sequence);
  figures.lastSequence = Math.max(figures.lastSequence ?? entry.sequence, entry.sequence);
  figures.chainHead = chainLine(figures.chainHead, entry, figures.settings.hash);
  const day = figures.finder.dayAt(entry.createdAt);
  const ofDay = figures.byDay[day.index]!;
  ofDay.entryCount += 1;
  ofDay.lastSequence = entry.sequence;
  ofDay.reserved = plus(ofDay.reserved, move);
  const commission = withheldIn(figures.journal, line, note);
  const ofGroup = valueIn(figures.byGroup, note?.group ?? null, emptyColumns);
  for (const columns of [figures.columns, ofDay.columns, ofGroup]) {
    addToColumns(columns, entry, { effect, commission });
  }
  addToKind(figures, line);
  if (isCorrection(entry.kind)) noteCorrection(figures, line);
  if (
    note !== null &&
    entry.kind.startsWith('REVERSAL_') &&
    note.createdAt < figures.settings.bounds.start
  ) {
    noteReversal(figures, line, note);
  }
}

function addToKind({ byKind }: MonthFigures, { entry, effect, move }: VisitedLine): void {
  const sums = valueIn(byKind, entry.kind, () => ({ ...NO_LINES }));
  sums.count += 1;
  sums.amount = plus(sums.amount, entry.amount);
  sums.balanceEffect = plus(sums.balanceEffect, effect);
  sums.reservedEffect = plus(sums.reservedEffect, move);
}

function isCorrection(kind: string): boolean {
  return isAdjustment(kind) || kind === 'REVERSAL_CREDIT' || kind === 'REVERSAL_DEBIT';
}

function noteCorrection(
  { corrections, settings }: MonthFigures,
  { entry, effect }: VisitedLine,
): void {
  corrections.count += 1;
  if (corrections.rows.length >= ROWS_KEPT) return;
  const { sequence, createdAt: at, kind, operationReference, description } = entry;
  const reason = shownText(settings.phoneNumbers, description);
  corrections.rows.push({ sequence, at, kind, operationReference, amount: effect, reason });
}

function noteReversal(
  { reversals }: MonthFigures,
  { entry, effect }: VisitedLine,
  note: OperationNote,
): void {
  reversals.count += 1;
  reversals.total = plus(reversals.total, effect);
  if (reversals.rows.length >= ROWS_KEPT) return;
  const { sequence, createdAt: at } = entry;
  const { reference: operationReference, type, group, createdAt: operationCreatedAt } = note;
  const { operator } = group;
  reversals.rows.push({
    sequence,
    at,
    operationReference,
    type,
    operator,
    operationCreatedAt,
    amount: effect,
  });
}
