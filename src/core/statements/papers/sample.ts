// A sample of a period's operations for tests of details (ISA 530), drawn in one pass from a seed: a third party who has the operations
// and the seed draws the same ones (docs/STATEMENTS.md, "Working papers"). Holds no operation but those that are drawn.

import type { Amount } from '../../domain/amount.ts';
import { invariant } from '../../domain/invariant.ts';
import { hasSettled } from '../../domain/operation.ts';
import type { Bounds } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import type { Statement } from '../statement.ts';
import type { StatementLine, StatementOperation } from '../statement-line.ts';

/** `monetary`: each unit of money has the same chance, systematically from a random start. `random`: each operation has. */
export const METHODS = ['monetary', 'random'] as const;
type Method = (typeof METHODS)[number];
/** How many items are wanted. */
export type Sizes = Readonly<Record<Method, number>>;

/** An operation that was drawn: its place among all, from 1, the part of their amount that it represents, its lines in the period. */
export interface SampleItem extends StatementOperation {
  readonly method: Method;
  readonly place: number;
  /** `certain`: as large as the interval, and drawn whatever the seed. */
  readonly stratum: 'certain' | 'drawn';
  readonly represents: Amount;
  readonly lines: readonly StatementLine[];
}

/**
 * `hash`: SHA-256 of a text, in hexadecimal digits. Of the cash-ins and cash-outs that succeeded, as the statements count them: one
 * for each `interval` units of money, the first at `start`, 1 … interval; and those at `places`.
 */
export function beginDraw(
  statements: readonly Statement[],
  { seed, sizes, hash }: { readonly seed: string; readonly sizes: Sizes; readonly hash: (text: string) => string },
) {
  const count = statements.reduce((sum, { commissions }) => sum + commissions.total.count, 0);
  const amount = statements.reduce((sum, { commissions }) => sum + commissions.total.base, 0);
  // Number `i` of a series: 64 bits of its hash, less than `below`.
  const number = (series: Method, i: number, below: number): number =>
    Number(BigInt(`0x${hash(`${seed}\n${series}\n${i}`).slice(0, 16)}`) % BigInt(below));
  const places = new Set<number>();
  for (let i = 1; places.size < Math.min(sizes.random, count); i++) places.add(number('random', i, count) + 1);
  const interval = Math.max(1, Math.floor(amount / Math.max(1, sizes.monetary)));
  const start = sizes.monetary === 0 ? amount + 1 : number('monetary', 1, interval) + 1;
  const seen = {
    count: 0,
    amount: 0,
    next: start,
    items: [] as SampleItem[],
    lines: new Map<string, StatementLine[]>(),
  };
  return { seed, sizes, count, amount, interval, start, places, seen } as const;
}

export type Draw = ReturnType<typeof beginDraw>;

/** Takes the operations of each statement in their order; those that did not succeed within its bounds are left out. */
export function drawOperation(draw: Draw, operation: StatementOperation, { start, end }: Bounds): void {
  const { seen, interval, places } = draw;
  const { reference, status, completedAt, amount } = operation;
  if (status === 'OPEN' || !hasSettled(status) || completedAt! < start || completedAt! >= end) return;
  seen.count += 1;
  seen.amount += amount;
  const { count: place } = seen;
  const add = (drawn: Pick<SampleItem, 'method' | 'stratum' | 'represents'>): void => {
    seen.items.push({ ...operation, ...drawn, place, lines: valueIn(seen.lines, reference, () => []) });
  };
  if (seen.amount >= seen.next) {
    const stratum = amount >= interval ? 'certain' : 'drawn';
    add({ method: 'monetary', stratum, represents: Math.max(amount, interval) });
    seen.next += interval * Math.ceil((seen.amount - seen.next + 1) / interval);
  }
  const represents = Math.round((amount * draw.count) / places.size);
  if (places.has(place)) add({ method: 'random', stratum: 'drawn', represents });
}

/** The monetary sample first, each by its place. Expects that the operations were those that the statements count. */
export function endDraw({ count, amount, seen }: Draw): readonly SampleItem[] {
  invariant(seen.count === count && seen.amount === amount, 'a sample is of the whole population');
  return METHODS.flatMap((method) => seen.items.filter((item) => item.method === method));
}
