// Places where a recorded figure does not follow: the first ones one by one, the others as a sum.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';

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
