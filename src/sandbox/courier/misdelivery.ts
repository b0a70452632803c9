// Lawful and unlawful trouble on the way, by name. Each falls on a share of the deliveries, drawn from the delivery's id: what
// befalls one does not depend on the others.

import { HOUR, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { drawInteger, drawUnit, seedRandom } from '../random.ts';

/** What each does. All but NEVER_SENT are lawful: delivery is at least once, and order is not guaranteed. */
export const MISDELIVERIES = {
  DELIVERED_TWICE: 'is delivered, and delivered once more a second later',
  OUT_OF_ORDER: 'is held back for one to thirty minutes, so that later ones overtake it',
  LATE: 'is held back for one to twenty-four hours',
  ANSWER_LOST: 'has its first 2xx lost on the way back, so that it is sent again',
  NEVER_SENT: 'is lost before the first attempt and listed nowhere: a fault of the service',
} as const;
export type MisdeliveryName = keyof typeof MISDELIVERIES;

/** Shares of all deliveries, 0 … 1; a name that is absent never happens. */
export type Misdelivery = Partial<Readonly<Record<MisdeliveryName, number>>>;

/** True when the trouble of that name falls on the delivery. */
export function befalls(misdelivery: Misdelivery, name: MisdeliveryName, of: { readonly id: string }): boolean {
  const share = misdelivery[name] ?? 0;
  return share > 0 && drawUnit(seedRandom(`${of.id}/${name}`)) < share;
}

/** How much longer than usual the first attempt waits, milliseconds. */
export function heldBack(misdelivery: Misdelivery, of: { readonly id: string }): number {
  const random = seedRandom(`${of.id}/held back`);
  const minutes = befalls(misdelivery, 'OUT_OF_ORDER', of) ? drawInteger(random, { from: MINUTE, to: 30 * MINUTE }) : 0;
  return minutes + (befalls(misdelivery, 'LATE', of) ? drawInteger(random, { from: HOUR, to: 24 * HOUR }) : 0);
}

/** How long after a delivery its double follows. */
export const DOUBLE_AFTER = SECOND;
