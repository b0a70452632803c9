// The opening of a month: what the lines before a position add to its statement, as plain data. All
// these lines are dated before the month. The opening knows no operations and no findings: what
// these need of earlier lines is looked up later.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type Dating, possibleAt, statedAt } from '../domain/period.ts';
import type { Recorded } from '../kernel/replay/replay-state.ts';
import type { Tally } from '../kernel/replay/tally.ts';
import type { PerpetualTotals } from './summary.ts';

export interface Opening {
  /**
   * The opening has every line of a lower sequence, and no other. `null` when it has no line, and
   * the ledger begins with it.
   */
  readonly position: number | null;
  /** Recorded figures after the last line before the position; `null` when there is no line. */
  readonly last: Recorded | null;
  /** Operations whose lines so far still decide how a line moves the reserved amount. */
  readonly tallies: readonly OpenTally[];
  /** Sums of the effects of these lines, and the declared opening. */
  readonly before: PerpetualTotals & {
    readonly entries: number;
    readonly balance: Amount;
    readonly reserved: Amount;
  };
  /** Drifts among these lines, in the recorded balance and in the recorded reserved amount. */
  readonly drifts: { readonly balance: Drifts; readonly reserved: Drifts };
  readonly holds: readonly OpenHold[];
  /**
   * Lines whose effect does not follow from the line alone, in their order; `null` when they are
   * too many to be kept.
   */
  readonly odd: readonly EarlierLine[] | null;
  /**
   * What the wallet's sub-accounts hold, by account number; empty where no rule gives the wallet
   * any.
   */
  readonly wallets: Readonly<Record<string, Amount>>;
}

export interface OpenTally extends Readonly<Pick<Tally, 'reference' | 'held' | 'settling'>> {
  /** Amount of the first hold among the operation's lines; `null` when there is none. */
  readonly hold: Amount | null;
  /**
   * Sequence of the operation's last line, because those with the newest lines are remembered
   * longest. 0 where there is no hold, and nothing has to be remembered.
   */
  readonly lastSequence: number;
}

/**
 * What an operation holds at the month's start. `reference` is `null` for holds that name no
 * operation.
 */
export interface OpenHold {
  readonly reference: string | null;
  readonly sequence: number;
  /** `null` when the hold was declared: it then holds from the beginning of any month. */
  readonly since: Instant | null;
  readonly held: Amount;
}

/**
 * A line of another month, as the replay took it. The date of `entry` is the date at which the line
 * is stated.
 */
export interface EarlierLine {
  readonly entry: LedgerEntry;
  /** Signed effect on the balance. */
  readonly effect: Amount;
  /** Signed effect on the reserved amount. */
  readonly move: Amount;
  /**
   * The line's possible date, where the line is stated at another date because its month was closed
   * before it came. Absent when that is the date of `entry`.
   */
  readonly dated?: Instant;
}

export function stateLine(
  entry: LedgerEntry,
  dating: Dating,
): Pick<EarlierLine, 'entry' | 'dated'> {
  const [at, dated] = [statedAt(entry, dating), possibleAt(entry, dating)];
  const stated = at === entry.createdAt ? entry : { ...entry, createdAt: at };
  return at === dated ? { entry: stated } : { entry: stated, dated };
}

/** Returns the opening of a ledger that begins with its first line. */
export function beginningOf({
  opening,
}: {
  readonly opening: { readonly balance: Amount; readonly reserved: Amount } | null;
}): Opening {
  const { balance, reserved } = opening ?? { balance: 0, reserved: 0 };
  return {
    position: null,
    last: null,
    tallies: [],
    before: { entries: 0, balance, reserved, creditCount: 0, credits: 0, debitCount: 0, debits: 0 },
    drifts: { balance: beginDrifts(), reserved: beginDrifts() },
    holds: reserved === 0 ? [] : [{ reference: null, sequence: 0, since: null, held: reserved }],
    odd: [],
    wallets: {},
  };
}

// Drifts: lines at which a recorded figure does not follow from the line before. The first ones are
// kept one by one, the others as a sum.

/**
 * A line at which a recorded figure does not follow. `amount` is the recorded figure less the
 * figure that was due.
 */
export interface Drift {
  readonly sequence: number;
  readonly at: Instant;
  /** True when no line is known before it. */
  readonly isFirst: boolean;
  readonly amount: Amount;
}

/**
 * All drifts up to a place: `count` and `amount` are of all of them, `rows` has the first ones.
 */
export interface Drifts {
  readonly rows: Drift[];
  count: number;
  amount: Amount;
}

export function beginDrifts(): Drifts {
  return { rows: [], count: 0, amount: 0 };
}

/** Returns a copy that may be added to. */
export function copyDrifts({ rows, count, amount }: Drifts): Drifts {
  return { rows: [...rows], count, amount };
}
