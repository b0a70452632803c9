// How often, and from which seed, every property is drawn. A property states its usual number of
// runs, which `npm test` makes; PROPERTY_RUNS is how many times as many.

import fc from 'fast-check';
import { numericSeed } from './test-seed.ts';

const TIMES = Number(process.env.PROPERTY_RUNS || 1);

interface Usual<Values> extends Omit<fc.Parameters<Values>, 'numRuns'> {
  /** The usual number of runs; by default 100. */
  readonly runs?: number;
}

/** Fails with the seed, and with the smallest values found for which the property does not hold. */
export function assertProperty<Values>(
  property: fc.IAsyncProperty<Values>,
  usual?: Usual<Values>,
): Promise<void>;
export function assertProperty<Values>(property: fc.IProperty<Values>, usual?: Usual<Values>): void;
export function assertProperty<Values>(
  property: fc.IProperty<Values> | fc.IAsyncProperty<Values>,
  { runs = 100, ...others }: Usual<Values> = {},
): Promise<void> | void {
  return fc.assert(property as fc.IAsyncProperty<Values>, {
    seed: numericSeed(),
    ...others,
    numRuns: runsOf(runs),
  });
}

/** Returns how many runs are made where `usual` runs are stated. */
export function runsOf(usual: number): number {
  return Math.ceil(usual * TIMES);
}
