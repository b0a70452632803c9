// What a fault in payments by link or payouts is: a named change to a merchant's living dashboard, of which all that it serves
// follows. The ledger stays as it is.

import type { LinkPayment } from '../../dashboard/payments.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import type { Random } from '../../random.ts';
import type { Expected } from '../fault.ts';

/**
 * Who sees it: whoever looks once; who has looked before it was planted; who looks before and after what it prevents; who is
 * notified of the results of payments.
 */
export type Showing = 'AT_ONCE' | 'AFTER_A_LOOK' | 'BETWEEN_LOOKS' | 'WHEN_NOTIFIED';

export interface DashboardFault {
  /** The kind of the expected root, and after a slash what tells this way of planting it from the first. */
  readonly name: string;
  /** What is done. */
  readonly says: string;
  readonly shows: Showing;
  /**
   * What the evidence of the root must name; null: the dashboard offers no place, and nothing was changed. Absent: it waits for a
   * payment whose result is notified.
   */
  readonly plantIn?: (life: DashboardLife, random: Random) => string | null;
}

export function expectedAt({ name }: Pick<DashboardFault, 'name'>, about: string): Expected {
  return { kind: name.split('/')[0]!, sequence: null, operationReference: null, about };
}

/** Puts another in its place: what follows from payments follows from that one. It must have ended. */
export function replacePayment(life: DashboardLife, payment: LinkPayment, others: readonly LinkPayment[]): void {
  life.payments.splice(life.payments.indexOf(payment), 1, ...others);
  life.collected += others.reduce((sum, one) => sum + collectedBy(one), 0) - collectedBy(payment);
}

function collectedBy({ outcome, served, fees }: LinkPayment): number {
  return outcome === 'SUCCESS' ? 100 * served.amount - fees : 0;
}
