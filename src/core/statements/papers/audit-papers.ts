// The working papers of a period, as rows: the line numbers and unusual entries (ISA 240), the
// cut-off, month against month (ISA 520), and uncorrected misstatements (ISA 450). Nothing is
// judged anew: a flag asks a question.

import type { Amount } from '../../domain/amount.ts';
import { DAY, type Instant, MINUTE } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { askedAt, hasSettled, type Operation } from '../../domain/operation.ts';
import {
  type Bounds,
  formatPeriod,
  type Period,
  parsePeriod,
  periodBefore,
} from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { sumOf } from '../exact.ts';
import type { Statement } from '../statement.ts';
import { effectOf, type StatementLine, type StatementOperation } from '../statement-line.ts';
import type { StatementSummary } from '../summary.ts';

/**
 * `hash` returns the SHA-256 of a text, in hexadecimal digits. `limit` is the amount above which
 * two people decide; `null` when always one person does.
 */
interface TestWish {
  readonly seed: string;
  readonly sizes: Sizes;
  readonly hash: (text: string) => string;
  readonly limit: Amount | null;
}

/**
 * Begins the tests and the sample of some months. The caller must pass all their operations first,
 * then all their lines. The operations must be those that the statements count.
 */
export function openTests(statements: readonly Statement[], wish: TestWish) {
  const { draw, take, linesOf, itemsOf } = openDraw(statements, wish);
  const tests = beginLineTests();
  const takeLine = (line: StatementLine): void => {
    linesOf.get(line.operationReference ?? '')?.push(line);
    testLine(tests, line);
  };
  const end = () => {
    const outside = new Set(
      statements.flatMap(({ crossing }) => crossing.rows.map(({ sequence }) => sequence)),
    );
    const own = { statements, draw, items: itemsOf(), entryCount: tests.entryCount };
    return {
      ...own,
      sequences: certifySequences(tests, outside),
      entries: testEntries(tests, wish.limit),
    };
  };
  return { takeOperation: take, takeLine, end };
}

const MOST_REPEATED = 1_000;
const MOST_ENTRIES = 5_000;

export function beginLineTests() {
  const stretches: { readonly first: number; last: number }[] = [];
  return {
    stretches,
    repeated: new Set<number>(),
    lines: 0,
    entries: [] as StatementLine[],
    entryCount: 0,
  };
}

type LineTests = ReturnType<typeof beginLineTests>;

/** Must be called with the lines of each statement, in their order. */
export function testLine(tests: LineTests, line: StatementLine): void {
  const { stretches, repeated, entries } = tests;
  const { sequence, kind } = line;
  const open = stretches.at(-1);
  tests.lines += 1;
  if (open?.last === sequence - 1) open.last = sequence;
  else if (open?.last === sequence && repeated.size < MOST_REPEATED) repeated.add(sequence);
  else stretches.push({ first: sequence, last: sequence });
  if (!/^(ADJUSTMENT|REVERSAL)_/.test(kind)) return;
  tests.entryCount += 1;
  if (entries.length < MOST_ENTRIES) entries.push(line);
}

/**
 * Tells which sequences are missing or repeated. `gaps` are numbers between the first and the last
 * that no line has, neither a line of the period nor one of `outside`. `repeated` are numbers that
 * several lines have, at most 1,000. All stretches are put together first, because months meet out
 * of order where lines cross their bounds.
 */
export function certifySequences(
  { stretches, repeated, lines }: LineTests,
  outside: ReadonlySet<number>,
) {
  const sorted = stretches.toSorted((a, b) => a.first - b.first);
  const twice = new Set(repeated);
  const first = sorted[0]?.first ?? null;
  let last = (first ?? 0) - 1;
  const gaps = sorted.flatMap((stretch) => {
    const gap = { first: last + 1, last: stretch.first - 1 };
    const shared = Math.min(last, stretch.last);
    for (let number = stretch.first; number <= shared && twice.size < MOST_REPEATED; number++)
      twice.add(number);
    last = Math.max(last, stretch.last);
    const missing =
      gap.last -
      gap.first +
      1 -
      [...outside].filter((one) => one >= gap.first && one <= gap.last).length;
    return missing > 0 ? [{ ...gap, missing }] : [];
  });
  return {
    first,
    last: first === null ? null : last,
    lines,
    gaps,
    repeated: [...twice].sort((a, b) => a - b),
  };
}

/**
 * Flags of unusual entries. `weekend`: on Saturday or Sunday. `near`: the limit, or at most a tenth
 * below it. `opposite`: an entry of the opposite amount lies within seven days.
 */
export const ENTRY_FLAGS = [
  'night',
  'weekend',
  'round',
  'near',
  'opposite',
  'unreferenced',
  'unexplained',
] as const;
export type EntryFlag = (typeof ENTRY_FLAGS)[number];
export const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
/**
 * From this amount on, whole thousands are round; from ten times this amount on, only whole ten
 * thousands are.
 */
const ROUND_FROM = 10_000;

/**
 * Returns the entries with their flags. A flag is 1 when it is raised, or else `null`. `limit` is
 * the amount above which two people decide. `night` is before 6 or from 22 on, local time.
 */
export function testEntries({ entries }: LineTests, limit: Amount | null) {
  const opposed = new Set<StatementLine>();
  const last = new Map<Amount, Instant>();
  const inOrder = entries.toSorted((a, b) => a.createdAt - b.createdAt);
  // Each entry is compared with the last entry of the opposite amount before it, and on the way
  // back with the next one after it.
  for (const line of [...inOrder, ...inOrder.toReversed()]) {
    const effect = effectOf(line);
    const other = effect === 0 ? undefined : last.get(-effect);
    if (other !== undefined && Math.abs(line.createdAt - other) <= 7 * DAY) opposed.add(line);
    last.set(effect, line.createdAt);
  }
  return entries.map((line) => {
    const { sequence, kind, amount, localTime, operationReference, label } = line;
    const effect = effectOf(line);
    const hour = Number(localTime.slice(11, 13));
    // Day 0 (1 January 1970) was a Thursday.
    const weekday =
      WEEKDAYS[(Math.floor(Date.parse(`${localTime.slice(0, 10)}T00:00:00Z`) / DAY) + 3) % 7]!;
    const flagged: Readonly<Record<EntryFlag, boolean>> = {
      night: hour < 6 || hour >= 22,
      weekend: weekday === 'saturday' || weekday === 'sunday',
      round: amount >= ROUND_FROM && amount % (amount >= 10 * ROUND_FROM ? 10_000 : 1_000) === 0,
      near: limit !== null && amount <= limit && amount >= limit * 0.9,
      opposite: opposed.has(line),
      unreferenced: operationReference === null,
      unexplained: (label ?? '').trim() === '',
    };
    const raised = ENTRY_FLAGS.map((flag) => [flag, flagged[flag] ? 1 : null] as const);
    const flags = raised.filter(([, is]) => is !== null).length;
    const facts = {
      sequence,
      localTime,
      kind,
      operationReference,
      label,
      effect,
      hour,
      weekday,
      flags,
    };
    return { ...facts, ...Object.fromEntries(raised), tone: flags < 2 ? 'plain' : 'alert' };
  });
}

const MOST_A_SIDE = 20;

/**
 * Returns the lines of the last twenty operations that are dated before the instant, and of the
 * first twenty after it. `lines` must be in ascending sequence.
 */
export function linesAbout(lines: readonly LedgerEntry[], cutOff: Instant): readonly LedgerEntry[] {
  const [before, after] = [true, false].map((isBefore) => {
    const own = lines.filter(({ createdAt }) => createdAt < cutOff === isBefore);
    return [...Map.groupBy(own, ({ operationReference: of, sequence }) => of ?? sequence).values()];
  });
  return [...before!.slice(-MOST_A_SIDE), ...after!.slice(0, MOST_A_SIDE)].flat();
}

/**
 * Returns the lines about a bound with their delays, in minutes; a delay is `null` where an instant
 * is not known. `operations` are as they were read last. `crosses` is 1 when the operation
 * succeeded (or was reversed, for the line of a reversal) on the other side of the bound than its
 * line is dated.
 */
export function testCutOff(
  lines: readonly LedgerEntry[],
  operations: ReadonlyMap<string, Operation>,
  { bound, at: cutOff }: { readonly bound: 'start' | 'end'; readonly at: Instant },
) {
  const sideOf = (instant: Instant) => (instant < cutOff ? 'before' : 'after');
  const minutes = (from: Instant | null, to: Instant | null) =>
    from === null || to === null ? null : Math.round((to - from) / MINUTE);
  return lines.map(({ sequence, kind, operationReference, amount, createdAt: at }) => {
    const operation = operations.get(operationReference ?? '');
    const createdAt = operation?.createdAt ?? null;
    const isOwn = operation !== undefined && hasSettled(operation.status);
    // `completedAt` of a reversed operation may be the instant of the reversal. The line itself
    // then says when the operation succeeded.
    const byLine = kind.startsWith('CASH') ? at : null;
    const succeededAt = isOwn ? (askedAt(operation, kind) ?? byLine) : null;
    const crosses = succeededAt !== null && sideOf(succeededAt) !== sideOf(at) ? 1 : null;
    const delays = { toSuccess: minutes(createdAt, succeededAt), toLine: minutes(succeededAt, at) };
    const places = {
      bound,
      side: sideOf(at),
      sequence,
      kind,
      operationReference,
      amount,
      createdAt,
      succeededAt,
      at,
    };
    return { ...places, ...delays, crosses, tone: crosses === 1 ? 'alert' : 'plain' };
  });
}

/**
 * Compares each month of `periods` with the month before and with the same month of the year
 * before, as far as these are `known`. Rates are in basis points. `successRate`: of the operations
 * created in the month that had ended by its end, how many succeeded. `feeRate`: the commissions of
 * collections.
 */
export function compareMonths(
  known: ReadonlyMap<string, StatementSummary>,
  periods: readonly string[],
) {
  const collectedIn = (period: Period): Amount | null =>
    known.get(formatPeriod(period))?.totalAmount ?? null;
  return periods.map((month) => {
    const summary = known.get(month)!;
    const {
      totalAmount: collected,
      paymentCount: count,
      totalFees: fees,
      byStatus,
      closingBalance: closing,
    } = summary;
    const { disbursed, adjustments, reversals } = summary;
    const { OPEN, ...ended } = byStatus;
    const all = Object.values(ended).reduce((sum, some) => sum + some, 0);
    const successRate = shareOf(ended.SUCCEEDED + ended.REVERSED, all);
    const mean = count === 0 ? 0 : Math.round(collected / count);
    const own = {
      month,
      collected,
      count,
      mean,
      successRate,
      fees,
      feeRate: shareOf(fees, collected),
      disbursed,
    };
    const period = parsePeriod(month)!;
    const monthBefore = collectedIn(periodBefore(period));
    const yearBefore = collectedIn({ ...period, year: period.year - 1 });
    const changeFrom = (other: Amount | null) =>
      other === null ? null : shareOf(collected - other, other);
    const changes = { change: changeFrom(monthBefore), yearChange: changeFrom(yearBefore) };
    return { ...own, adjustments, reversals, closing, monthBefore, yearBefore, ...changes };
  });
}

/** Returns basis points, rounded to the nearest; 0 when the whole is 0. */
function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.sign(part) * Math.round((Math.abs(part) * 10_000) / whole);
}

/**
 * Returns the items that were open at the end, with their age in whole days; the age is `null`
 * where an item has no date.
 */
export function uncorrectedOf({ due, period }: Statement) {
  return due.items
    .filter(({ state }) => state !== 'settled')
    .map((item) => ({
      ...item,
      age: item.at === null ? null : Math.floor((period.end - item.at) / DAY),
    }));
}

/**
 * Returns the drawn items, numbered from 1. `moved` is what an item's own lines moved in the
 * period, without the lines that undid or adjusted it.
 */
export function itemRows(
  items: readonly SampleItem[],
  notifiedAt: ReadonlyMap<string, Instant | null>,
) {
  return items.map((drawn, i) => {
    const expected = drawn.type === 'CASHIN' ? drawn.netAmount : 0 - drawn.netAmount;
    const moved = sumOf(
      drawn.lines.filter(({ kind }) => /^CASH(IN|OUT)_/.test(kind)),
      effectOf,
    );
    const lines = drawn.lines.map(({ sequence }) => sequence).join(', ');
    const known = { lines, notifiedAt: notifiedAt.get(drawn.reference) ?? null };
    return { ...drawn, item: i + 1, expected, moved, off: moved - expected, ...known };
  });
}

// A sample of the period's operations for tests of details (ISA 530), drawn in one pass from a
// seed. A third party who has the operations and the seed draws the same sample
// (docs/STATEMENTS.md, "Working papers"). Only operations that are drawn are kept in memory.

/**
 * `monetary`: each unit of money has the same chance, systematically from a random start. `random`:
 * each operation has the same chance.
 */
export const METHODS = ['monetary', 'random'] as const;
type Method = (typeof METHODS)[number];
/** How many items each method must draw. */
export type Sizes = Readonly<Record<Method, number>>;

/**
 * An operation that was drawn. `place` is its place among all operations, from 1. `represents` is
 * the part of their total amount that it represents in the sample. `lines` are its lines in the
 * period.
 */
export interface SampleItem extends StatementOperation {
  readonly method: Method;
  readonly place: number;
  /**
   * `certain` when the operation is as large as the interval, and so is drawn whatever the seed.
   */
  readonly stratum: 'certain' | 'drawn';
  readonly represents: Amount;
  readonly lines: readonly StatementLine[];
}

/**
 * Draws from the cash-ins and cash-outs that succeeded, as the statements count them. The monetary
 * sample has one operation for each `interval` units of money, the first at the unit `start` (1 …
 * interval). The random sample has the operations at places that the seed gives. The caller must
 * pass the operations of each statement in their order.
 */
function openDraw(statements: readonly Statement[], { seed, sizes, hash }: TestWish) {
  const count = statements.reduce((sum, { commissions }) => sum + commissions.total.count, 0);
  const amount = statements.reduce((sum, { commissions }) => sum + commissions.total.base, 0);
  // Returns number `i` of a series, less than `below`: the first 64 bits of a hash.
  const number = (series: Method, i: number, below: number): number =>
    Number(BigInt(`0x${hash(`${seed}\n${series}\n${i}`).slice(0, 16)}`) % BigInt(below));
  const places = new Set<number>();
  for (let i = 1; places.size < Math.min(sizes.random, count); i++)
    places.add(number('random', i, count) + 1);
  const interval = Math.max(1, Math.floor(amount / Math.max(1, sizes.monetary)));
  const start = sizes.monetary === 0 ? amount + 1 : number('monetary', 1, interval) + 1;
  const linesOf = new Map<string, StatementLine[]>();
  const drawn: SampleItem[] = [];
  let [place, passed, next] = [0, 0, start];
  const take = (operation: StatementOperation, bounds: Bounds): void => {
    const { reference, status, completedAt, amount: own } = operation;
    if (
      status === 'OPEN' ||
      !hasSettled(status) ||
      completedAt! < bounds.start ||
      completedAt! >= bounds.end
    )
      return;
    place += 1;
    passed += own;
    const add = (item: Pick<SampleItem, 'method' | 'stratum' | 'represents'>): void => {
      drawn.push({ ...operation, ...item, place, lines: valueIn(linesOf, reference, () => []) });
    };
    if (passed >= next) {
      const stratum = own >= interval ? 'certain' : 'drawn';
      add({ method: 'monetary', stratum, represents: Math.max(own, interval) });
      next += interval * Math.ceil((passed - next + 1) / interval);
    }
    const represents = Math.round((own * count) / places.size);
    if (places.has(place)) add({ method: 'random', stratum: 'drawn', represents });
  };
  // Items of the monetary sample come first; within a method, items are in order of place.
  const itemsOf = () => {
    invariant(place === count && passed === amount, 'a sample is of the whole population');
    return METHODS.flatMap((method) => drawn.filter((item) => item.method === method));
  };
  return { draw: { seed, sizes, count, amount, interval, start }, take, linesOf, itemsOf };
}
