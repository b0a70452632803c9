// Money that lines moved beyond what is required of them: by an operation as a whole, by a line
// that belongs to none, or by a fee that no price gives. Causes are sought elsewhere.

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

/** By how much the figures are too high (+) or too low (−); exact. */
export interface Off {
  readonly balance: bigint;
  readonly reserved: bigint;
}

export const NOTHING_OFF: Off = { balance: 0n, reserved: 0n };

/**
 * What an operation, or a line of no operation, moved beyond what is required. Either `reference`
 * or `sequence` is set, and the other is `null`.
 */
export interface Excess extends Off {
  readonly reference: string | null;
  readonly sequence: number | null;
}

/**
 * What a line moved that no operation requires: the line names none, or moved another way than its
 * kind does.
 */
export interface Stray extends Moved {
  readonly sequence: number;
}

export interface Demand {
  /** What all the operations together must have moved. */
  readonly required: Off;
  readonly excesses: readonly Excess[];
}

/**
 * Compares what operations moved with what is required of them. Where `isJudged` is false,
 * something of the operation is unknown, and what it posted counts as required.
 */
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
 * Returns what fees that no price gives took, or keep held, beyond the price. It is no excess of
 * the operation itself, whose figures state the fee as charged.
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

/**
 * Only this many, the first, are combined, because all pairs and triples of more would take too
 * long.
 */
const FEW = 12;

/** Returns the first two or three of `all` that fit together; `null` where none do. */
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
