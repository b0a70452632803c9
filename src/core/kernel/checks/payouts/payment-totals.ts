// Counts all payments by link of a merchant as they stream: how many and how much in all, by month
// and by day. Payments that may have been made, or may have ended, while they were read are counted
// apart (young). Memory grows with days, not with payments.

import type { Amount } from '../../../domain/amount.ts';
import { asDecimal, type Decimal } from '../../../domain/decimal.ts';
import { DAY, HOUR, type Instant } from '../../../domain/instant.ts';
import {
  LINK_END_NOTICED,
  LINK_LIFETIME,
  PAYMENT_STATUSES,
  type Payment,
} from '../../../domain/payment.ts';
import type { KeptCell, KeptSum, KeptTotals } from '../../../domain/published/payout-place.ts';
import { valueIn } from '../../../domain/value-in.ts';
import { localText, type Zone } from '../../../domain/zone.ts';

export interface Sum {
  count: number;
  amount: bigint;
}

/**
 * Sums by state. `certain` payments had that state when the service was asked for its figures;
 * `young` ones may not have had it yet.
 */
export type Cell = Readonly<Record<'certain' | 'young', Readonly<Record<Payment['status'], Sum>>>>;

export interface Fees {
  known: Decimal;
  /** Successes with unknown fees. */
  readonly unknown: Sum;
}

export interface PaymentTotals {
  readonly all: Cell;
  /**
   * One map for each zone, in the order of the zones: sums by local month (`YYYY-MM`) and by local
   * day (`YYYY-MM-DD`).
   */
  readonly periods: readonly ReadonlyMap<string, Cell>[];
  /** The fees of the successes in `all`. */
  readonly fees: { readonly certain: Fees; readonly young: Fees };
  /** `periods` lacks the days before this one, `YYYY-MM-DD`; `null` where it has all. */
  readonly daysFrom: string | null;
}

export interface PaymentTally extends PaymentTotals {
  readonly zones: readonly Zone[];
  readonly periods: readonly Map<string, Cell>[];
  /**
   * For each zone, by the number of the local day since 1970: the cells of the day and of its
   * month.
   */
  readonly days: readonly Map<number, readonly Cell[]>[];
  /** When the service was asked for its figures, before the payments were read. */
  readonly askedAt: Instant;
  readonly clockTolerance: number;
}

export function beginTotals(
  read: Pick<PaymentTally, 'zones' | 'askedAt' | 'clockTolerance'>,
): PaymentTally {
  const periods = read.zones.map(() => new Map<string, Cell>());
  const days = read.zones.map(() => new Map<number, readonly Cell[]>());
  const fees = { certain: noFees(), young: noFees() };
  return { ...read, all: emptyCell(), periods, days, fees, daysFrom: null };
}

/**
 * Adds a payment; each must be added once. `fees` is the text in its notification, `null` where
 * unknown.
 */
export function countPayment(tally: PaymentTally, payment: Payment, fees: string | null): void {
  const age = isYoung(tally, payment) ? 'young' : 'certain';
  add(tally.all[age][payment.status], payment.amount);
  tally.zones.forEach((_, i) => {
    for (const cell of cellsAt(tally, i, payment.createdAt))
      add(cell[age][payment.status], payment.amount);
  });
  if (payment.status !== 'SUCCESS') return;
  const known = fees === null ? null : asDecimal(fees);
  const side = tally.fees[age];
  if (known === null) add(side.unknown, payment.amount);
  else side.known = side.known.plus(known);
}

/**
 * Whether the payment may have been made, or may have ended, after the service was asked for its
 * figures.
 */
function isYoung({ askedAt, clockTolerance }: PaymentTally, { createdAt }: Payment): boolean {
  return createdAt > askedAt - LINK_LIFETIME - LINK_END_NOTICED - clockTolerance - HOUR;
}

function cellsAt(
  { zones, periods, days }: PaymentTally,
  place: number,
  at: Instant,
): readonly Cell[] {
  const zone = zones[place]!;
  const number = Math.floor((at + zone.offsetAt(at)) / DAY);
  const known = days[place]!.get(number);
  if (known !== undefined) return known;
  const day = localText(zone, at).slice(0, 10);
  const cells = [day, day.slice(0, 7)].map((period) => valueIn(periods[place]!, period, emptyCell));
  days[place]!.set(number, cells);
  return cells;
}

export function emptyCell(): Cell {
  const sums = () => ({ PENDING: nothing(), SUCCESS: nothing(), FAILED: nothing() });
  return { certain: sums(), young: sums() };
}

function noFees(): Fees {
  return { known: asDecimal('0')!, unknown: nothing() };
}

function nothing(): Sum {
  return { count: 0, amount: 0n };
}

function add(sum: Sum, amount: Amount): void {
  sum.count += 1;
  sum.amount += BigInt(amount);
}

/**
 * Returns the certain counts for storage. The tally must have only payments that were created
 * before `before` and are too old to change. `unread` is how many rows could not be read.
 */
export function keepTotals(tally: PaymentTally, before: Instant, unread: number): KeptTotals {
  const { zones, periods, all, fees } = tally;
  const months = zones.map(({ name }, i) => {
    const ofZone = [...periods[i]!]
      .filter(([period]) => period.length === 'YYYY-MM'.length)
      .map(([month, cell]) => [month, kept(cell)]);
    return [name, Object.fromEntries(ofZone)];
  });
  const { known, unknown } = fees.certain;
  return {
    before,
    all: kept(all),
    months: Object.fromEntries(months),
    told: known.toFixed(),
    untold: keptSum(unknown),
    unread,
  };
}

/** Adds stored counts to the tally. They have months but no days. */
export function addTotals(tally: PaymentTally, { all, months, told, untold }: KeptTotals): void {
  addCell(tally.all, all);
  for (const [i, { name }] of tally.zones.entries()) {
    for (const [month, cell] of Object.entries(months[name] ?? {}))
      addCell(valueIn(tally.periods[i]!, month, emptyCell), cell);
  }
  const { certain } = tally.fees;
  certain.known = certain.known.plus(asDecimal(told)!);
  addSum(certain.unknown, untold);
}

function kept({ certain }: Cell): KeptCell {
  const { PENDING, SUCCESS, FAILED } = certain;
  return { PENDING: keptSum(PENDING), SUCCESS: keptSum(SUCCESS), FAILED: keptSum(FAILED) };
}

function keptSum({ count, amount }: Sum): KeptSum {
  return [count, amount.toString()];
}

function addCell({ certain }: Cell, cell: KeptCell): void {
  for (const status of PAYMENT_STATUSES) addSum(certain[status], cell[status]);
}

function addSum(sum: Sum, [count, amount]: KeptSum): void {
  sum.count += count;
  sum.amount += BigInt(amount);
}
