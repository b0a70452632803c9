// Notifications that the service loses: one that was sent cannot be taken back, so that which is to be missing is said before it
// is due.

import { HOUR, type Instant } from '../../core/domain/instant.ts';
import { instantsOf } from '../event-queue.ts';
import type { Expected } from '../faults/fault.ts';
import type { ServedNotification } from '../served.ts';
import type { Simulation } from '../simulation/state.ts';

/** Fault → types of notifications, the next of which is lost. A success may still be reversed, which would be notified. */
const LOST_TYPES: Readonly<Record<string, readonly string[]>> = {
  EVENT_MISSING: ['cashin.failed', 'cashin.expired', 'cashout.failed', 'cashout.expired'],
  'EVENT_MISSING/reversal': ['operation.reversed'],
  'EVENT_MISSING/adjustment': ['wallet.adjusted'],
};

/** What `wallet.adjusted` says is not documented: one within this time of a line may be the line's. */
const NEAR = HOUR;

interface Loser {
  readonly simulation: Simulation;
  readonly notifiedSince: Instant | null;
  readonly losing: Set<string>;
  planted: readonly Expected[];
}

export function isLoss(fault: string): boolean {
  return Object.hasOwn(LOST_TYPES, fault);
}

/** Whether this notification of what has just happened is never sent: a fault has waited for it, which is planted with it. */
export function isLost(loser: Loser, notification: ServedNotification): boolean {
  const { losing, simulation } = loser;
  const { type, data } = notification;
  const fault = [...losing].find((one) => LOST_TYPES[one]!.includes(type));
  if (fault === undefined || !isMissed(loser, notification)) return false;
  losing.delete(fault);
  const { operation } = data;
  const place =
    operation === undefined
      ? { sequence: simulation.sequence, operationReference: null }
      : { sequence: null, operationReference: operation.reference };
  loser.planted = [...loser.planted, { kind: 'EVENT_MISSING', ...place }];
  return true;
}

/** Whoever received nothing of the kind yet misses nothing; nor does anybody miss an adjustment that another one stands near. */
function isMissed({ simulation, notifiedSince }: Loser, notification: ServedNotification): boolean {
  const { type, data, createdAt } = notification;
  const at = Date.parse(createdAt);
  const isAdjustment = data.operation === undefined;
  const before = simulation.notifications
    .filter((one) => one !== notification && (!isAdjustment || one.type === type))
    .map((one) => Date.parse(one.createdAt));
  const planned = isAdjustment ? instantsOf(simulation.queue, ({ what }) => what === 'ADJUSTMENT') : [];
  const isNear = (other: Instant) => Math.abs(other - at) <= NEAR;
  if (isAdjustment && [...before, ...planned].some(isNear)) return false;
  return before.some((other) => notifiedSince !== null && other >= notifiedSince && other < at - NEAR);
}
