// Sums that stay exact. A statement whose figures leave the safe integers is refused: no format
// could print them exactly.

import { type Amount, addTo, emptySum, totalOf } from '../domain/amount.ts';
import type { WalletSides } from '../domain/delivery/delivery-channel.ts';
import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import { type Bounds, daysWithin } from '../domain/period.ts';
import type { Zone } from '../domain/zone.ts';

/** a + b, both safe integers. Throws `StatementRefused` when the sum is not one. */
export function plus(a: Amount, b: Amount): Amount {
  return safe(a + b);
}

/** The figure as a safe integer. Throws `StatementRefused` when it is not one. */
export function safe(figure: number | bigint): Amount {
  const amount = Number(figure);
  if (Number.isSafeInteger(amount)) return amount;
  const message = `A figure of this month (${figure}) passes 2^53 whole units and cannot be stated exactly.`;
  throw new StatementRefused('AMOUNTS_TOO_LARGE', message);
}

/**
 * Returns the sum of what `pick` takes of each row. It is exact even where sums on the way are no
 * safe integers. Throws `StatementRefused` when the result is none.
 */
export function sumOf<Row>(rows: Iterable<Row>, pick: (row: Row) => Amount): Amount {
  const sum = emptySum();
  for (const row of rows) addTo(sum, pick(row));
  return safe(totalOf(sum));
}

/** The balance and the reserved amount of the wallet. */
export type Sides = Pick<WalletSides, 'balance' | 'reserved'>;

export function sumSides(rows: readonly Sides[]): Sides {
  return {
    balance: sumOf(rows, ({ balance }) => balance),
    reserved: sumOf(rows, ({ reserved }) => reserved),
  };
}

// Finds the local day of an instant of the month. Lines come nearly in the order of time, so the
// day that was found last is tried first.

export interface DayFinder {
  readonly days: readonly { readonly day: string; readonly start: Instant }[];
  /**
   * Returns the day of an instant and its place in `days`. The instant must lie within the bounds.
   */
  dayAt(instant: Instant): { readonly day: string; readonly index: number };
}

export function beginDays(bounds: Bounds, zone: Zone): DayFinder {
  const days = daysWithin(bounds, zone);
  let last = 0;
  const holds = (index: number, instant: Instant): boolean =>
    days[index]!.start <= instant && (days[index + 1]?.start ?? bounds.end) > instant;
  return {
    days,
    dayAt(instant) {
      invariant(
        instant >= bounds.start && instant < bounds.end,
        'a day is looked up within the bounds of its month',
      );
      if (!holds(last, instant)) last = days.findLastIndex(({ start }) => start <= instant);
      return { day: days[last]!.day, index: last };
    },
  };
}

// Reasons why a month cannot be stated. The message of `StatementRefused` says what is in the way.

type Unstated =
  | 'OTHER_LANGUAGE'
  | 'PERIOD_NOT_ENDED'
  | 'BOOKS_MOVE'
  | 'NOT_READ_AGAIN'
  | 'NOTHING_READ'
  | 'BEFORE_ACCOUNT'
  | 'NOT_JOINED'
  | 'ISSUED_OTHERWISE'
  | 'BEFORE_FIRST_LINE'
  | 'AMOUNTS_TOO_LARGE'
  | 'BOOKS_CURRENCY_CHANGED'
  | 'NO_RATE'
  | 'NAME_TAKEN'
  | 'SEAL_NOT_VALID';

/**
 * Returns whether the period was refused because the account was opened after it, so that there is
 * nothing to state and nothing is missing.
 */
export function isNothingYet(failure: unknown): boolean {
  return failure instanceof StatementRefused && failure.code === 'BEFORE_ACCOUNT';
}

export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
  readonly code: Unstated;
  constructor(code: Unstated, message: string) {
    super(message);
    this.code = code;
  }
}
