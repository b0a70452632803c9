// A merchant whose October has an exact number of operations, with or without payments by link: for
// tests of how long documents are.

import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { simulateBooks } from './simulate-books.ts';

export interface Counted {
  /** Begun in October. */
  readonly operations: number;
  readonly withLinks: boolean;
  /** With it ordinary traffic comes to just as many. */
  readonly seed: string;
}

export const COUNTED: readonly Counted[] = [
  { operations: 0, withLinks: false, seed: 's3' },
  { operations: 1, withLinks: false, seed: 's0' },
  { operations: 10, withLinks: false, seed: 's6' },
  { operations: 60, withLinks: false, seed: 's4' },
  { operations: 455, withLinks: false, seed: 's34' },
  { operations: 0, withLinks: true, seed: 's0' },
  { operations: 1, withLinks: true, seed: 's0' },
  { operations: 10, withLinks: true, seed: 's0' },
  { operations: 60, withLinks: true, seed: 's16' },
  { operations: 455, withLinks: true, seed: 's121' },
];

export const referenceOf = ({ operations, withLinks }: Counted): string =>
  `N${operations}${withLinks ? 'L' : ''}`;

/** As of 4 November. Throws when the traffic is no longer what the seed was found for. */
export function countedBooks(counted: Counted): Books {
  const { operations, withLinks, seed } = counted;
  const plan = planMerchant({
    reference: referenceOf(counted),
    opensAt: Date.UTC(2026, 8, 1),
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: operations === 0 ? 0.03 : operations / 31,
      adjustmentsPerMonth: operations < 60 ? 0 : 2,
      paymentsPerDay: withLinks ? ORDINARY_TRAFFIC.paymentsPerDay : 0,
    },
  });
  const books = simulateBooks(plan, { seed, until: Date.UTC(2026, 10, 4) });
  const begun = books.operations.filter(({ createdAt }) => createdAt.startsWith('2026-10'));
  if (begun.length !== operations || books.entries.length === 0)
    throw new Error(`${plan.reference}: seed ${seed} gives ${begun.length} operations in October`);
  return books;
}
