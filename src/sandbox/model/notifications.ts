// The notifications of the service: one body for each final state of an operation but CANCELLED, for a cash-in that waits for its
// payer, and for an adjustment. An id is drawn from what the notification is about, so that nothing else is drawn otherwise.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import type { OperationStatus } from '../../core/domain/operation.ts';
import { drawLetters, seedRandom } from './random.ts';
import type { ServedNotification, ServedOperation } from './served.ts';

/** The notification of the state that the operation has just taken; null where there is none. */
export function notificationOf(merchantReference: string, operation: ServedOperation): ServedNotification | null {
  const { reference, status, updatedAt } = operation;
  if (NOTIFIED[status] === null) return null;
  const side = status === 'REVERSED' ? 'operation' : operation.type === 'CASHIN' ? 'cashin' : 'cashout';
  const type = `${side}.${NOTIFIED[status]}`;
  const id = idFor(`${merchantReference}/${reference}/${status}`);
  return { id, type, createdAt: updatedAt, merchantReference, data: { operation: { ...operation } } };
}

/** `about` tells adjustments apart. The document does not show their `data`. */
export function adjustmentNotified(
  merchantReference: string,
  { about, createdAt }: { readonly about: string; readonly createdAt: string },
): ServedNotification {
  const id = idFor(`${merchantReference}/adjusted/${about}`);
  return { id, type: 'wallet.adjusted', createdAt, merchantReference, data: {} };
}

/** A test at `now`; the document does not show its `data`. */
export function pingNotified(
  merchantReference: string,
  { number, now }: { readonly number: number; readonly now: Instant },
): ServedNotification {
  const id = idFor(`${merchantReference}/ping/${number}`);
  return { id, type: 'ping', createdAt: formatInstant(now), merchantReference, data: {} };
}

/** The last word of the type; null: the state is not notified. */
const NOTIFIED: Readonly<Record<OperationStatus, string | null>> = {
  CREATED: null,
  PENDING: null,
  AWAITING_PAYER: 'awaiting_payer',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'expired',
  CANCELLED: null,
  REVERSED: 'reversed',
};

/** For a notification with another content than the one that was sent under its id. */
export function anotherId({ id }: ServedNotification): string {
  return idFor(`another than ${id}`);
}

/** Two seeds, for one has 32 bits only. */
function idFor(about: string): string {
  const halves = [about, `second half of ${about}`].map((seed) => drawLetters(seedRandom(seed), 10));
  return `evt_${halves.join('').toLowerCase()}`;
}
