// Notifications that the service loses: one that was sent cannot be taken back, so that which is to be missing is said before it
// is due.

import type { Expected } from '../faults/fault.ts';
import type { ServedNotification } from '../served.ts';

/** Fault → types of notifications, the next of which is lost. A success may still be reversed, which would be notified. */
const LOST_TYPES: Readonly<Record<string, readonly string[]>> = {
  EVENT_MISSING: ['cashin.failed', 'cashin.expired', 'cashout.failed', 'cashout.expired'],
  'EVENT_MISSING/reversal': ['operation.reversed'],
};

export function isLoss(fault: string): boolean {
  return Object.hasOwn(LOST_TYPES, fault);
}

/** The fault among `losing` by which this notification is lost; null: it is sent. */
export function lossOf(losing: ReadonlySet<string>, { type }: ServedNotification): string | null {
  return [...losing].find((fault) => LOST_TYPES[fault]!.includes(type)) ?? null;
}

export function expectedOfLoss({ data }: ServedNotification): Expected {
  return { kind: 'EVENT_MISSING', sequence: null, operationReference: data.operation?.reference ?? null };
}
