// The opening of a month: what the lines before a position add to its statement, as plain data.
// Each of them is dated before the month. It knows nothing of operations and findings: what these
// need of earlier lines is looked up later.

import type { Amount } from '../domain/amount.ts';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type Dating, possibleAt, statedAt } from '../domain/period.ts';
import type { Recorded } from '../kernel/replay/replay-state.ts';
import type { Tally } from '../kernel/replay/tally.ts';
import type { PerpetualTotals } from './summary.ts';

export interface Opening {
  /**
   * It has every line of a lower sequence, and no other; null: it has none, and the ledger begins
   * with it.
   */
  readonly position: number | null;
  /** Recorded figures after the last of them. */
  readonly last: Recorded | null;
  /** Operations whose lines so far still decide how a line moves the reserved amount. */
  readonly tallies: readonly OpenTally[];
  /** Sums of their effects, the declared opening among them. */
  readonly before: PerpetualTotals & {
    readonly entries: number;
    readonly balance: Amount;
    readonly reserved: Amount;
  };
  /** Places where the recorded figures do not follow. */
  readonly drifts: { readonly balance: Drifts; readonly reserved: Drifts };
  readonly holds: readonly OpenHold[];
  /** In their order; null: they are too many to be kept. */
  readonly odd: readonly EarlierLine[] | null;
  /** What the wallet's sub-accounts hold, by their number; empty where no rule gives it any. */
  readonly wallets: Readonly<Record<string, Amount>>;
}

export interface OpenTally extends Readonly<Pick<Tally, 'reference' | 'held' | 'settling'>> {
  /** Amount of the first hold among its lines; null: there is none. */
  readonly hold: Amount | null;
  /**
   * Those with the newest lines are remembered longest; 0 where there is no hold, and nothing is
   * remembered.
   */
  readonly lastSequence: number;
}

/** What an operation holds at the month's start; null: what names none. */
export interface OpenHold {
  readonly reference: string | null;
  readonly sequence: number;
  /** Null: it was declared, and holds from the beginning of any month. */
  readonly since: Instant | null;
  readonly held: Amount;
}

/** A line of another month, as the replay took it. Its date is the one at which it is stated. */
export interface EarlierLine {
  readonly entry: LedgerEntry;
  /** Signed, on the balance. */
  readonly effect: Amount;
  /** Signed, on the reserved amount. */
  readonly move: Amount;
  /**
   * Its possible date, where its month was closed before it came and it is stated at another;
   * absent: that of `entry`.
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

/** Of a ledger from its first line on. */
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

// Places where a recorded figure does not follow: the first ones one by one, the others as a sum.

/** A place where a recorded figure does not follow: recorded less due. */
export interface Drift {
  readonly sequence: number;
  readonly at: Instant;
  /** No line is known before it. */
  readonly isFirst: boolean;
  readonly amount: Amount;
}

/** Drifts of the month one by one up to a number, the others as a sum. */
export interface Drifts {
  readonly rows: Drift[];
  count: number;
  amount: Amount;
}

export function beginDrifts(): Drifts {
  return { rows: [], count: 0, amount: 0 };
}

/** Which may be added to. */
export function copyDrifts({ rows, count, amount }: Drifts): Drifts {
  return { rows: [...rows], count, amount };
}
