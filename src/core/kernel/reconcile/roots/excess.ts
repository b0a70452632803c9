// Money that lines moved beyond what is required of them: of an operation as a whole, of a line
// that belongs to none, or of a fee that no price gives. What it follows from is sought elsewhere.

import { BITS, includes, type Standing } from '../../../domain/assumptions.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import { isFinal } from '../../../domain/operation.ts';
import type { Misfit } from '../../checks/across/pricing.ts';
import {
  factsOf,
  type Moved,
  postedBalance,
  requiredOf,
  undoesTheFee,
} from '../../replay/operation-facts.ts';
import type { Tally } from '../../replay/tally.ts';

/** Exact, and signed: what a figure is too high (+) or too low (−) by. */
export interface Off {
  readonly balance: bigint;
  readonly reserved: bigint;
}

export const NOTHING_OFF: Off = { balance: 0n, reserved: 0n };

/** Either the operation is named, or the line that names none. */
export interface Excess extends Off {
  readonly reference: string | null;
  readonly sequence: number | null;
}

/**
 * A line whose movement is no operation's: it names none, or moved another way than its kind does.
 */
export interface Stray extends Moved {
  readonly sequence: number;
}

export interface Demand {
  /** What all of them must have moved. */
  readonly required: Off;
  readonly excesses: readonly Excess[];
}

/** `isJudged`: all of the operation is known; of any other, what was posted counts as required. */
export function demandOf(
  tallies: readonly Tally[],
  standing: Standing,
  isJudged: (tally: Tally) => boolean,
): Demand {
  let required = NOTHING_OFF;
  const excesses: Excess[] = [];
  for (const tally of tallies) {
    const { reference, operation } = tally;
    const facts = factsOf(tally.lines);
    const posted = exact({ balance: postedBalance(facts), reserved: tally.held });
    const judged = isJudged(tally);
    const demanded =
      operation === null ? NOTHING_OFF : exact(requiredOf(operation, facts, standing));
    required = plus(required, judged ? demanded : posted);
    const excess = judged ? minus(posted, demanded) : NOTHING_OFF;
    if (excess.balance !== 0n || excess.reserved !== 0n)
      excesses.push({ reference, sequence: null, ...excess });
  }
  return { required, excesses };
}

export function strayExcesses(strays: readonly Stray[]): readonly Excess[] {
  return strays.map(({ sequence, ...moved }) => ({ reference: null, sequence, ...exact(moved) }));
}

/**
 * What a fee that no price gives took, or keeps held, beyond the price: the operation's figures
 * state the fee as charged.
 */
export function priceExcesses(
  drafts: readonly FindingDraft[],
  misfits: ReadonlyMap<string, Misfit>,
  standing: Standing,
): readonly Excess[] {
  return drafts.flatMap(({ kind, operationReference, difference }) => {
    const misfit = kind === 'FEE_NOT_AS_PRICED' ? misfits.get(operationReference!) : undefined;
    if (misfit === undefined) return [];
    return [
      {
        reference: operationReference,
        sequence: null,
        ...overcharge(misfit, difference!, standing),
      },
    ];
  });
}

function overcharge({ type, status }: Misfit, difference: bigint, standing: Standing): Off {
  const isTaken = status === 'SUCCEEDED' || (status === 'REVERSED' && !undoesTheFee(standing));
  const isHeld =
    type === 'CASHOUT' && !isFinal(status) && includes(standing.holdAmount, BITS.holdAmount.NET);
  return {
    balance: isTaken ? -difference : 0n,
    reserved: isHeld && status !== 'CREATED' ? difference : 0n,
  };
}

/** Of more than these, twos and threes are not tried. */
const FEW = 12;

/** The first two of `all`, or three, that fit together; null: none do. */
export function fewThatFit<One>(
  all: readonly One[],
  fits: (some: readonly One[]) => boolean,
): readonly One[] | null {
  const few = all.slice(0, FEW);
  for (const [i, a] of few.entries()) {
    for (const [j, b] of few.slice(i + 1).entries()) {
      if (fits([a, b])) return [a, b];
      const third = few.slice(i + j + 2).find((c) => fits([a, b, c]));
      if (third !== undefined) return [a, b, third];
    }
  }
  return null;
}

export function plus(a: Off, b: Off): Off {
  return { balance: a.balance + b.balance, reserved: a.reserved + b.reserved };
}

export function minus(a: Off, b: Off): Off {
  return { balance: a.balance - b.balance, reserved: a.reserved - b.reserved };
}

export function sumOf(all: readonly Off[]): Off {
  return all.reduce(plus, NOTHING_OFF);
}

function exact({ balance, reserved }: Moved): Off {
  return { balance: BigInt(balance), reserved: BigInt(reserved) };
}
