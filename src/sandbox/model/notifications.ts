// What the service notifies: one body for each final state of an operation but CANCELLED, for a cash-in that waits for its
// payer, and for an adjustment. An id is drawn from what the notification is about, so that nothing else is drawn otherwise.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { assertNever } from '../../core/domain/invariant.ts';
import { drawLetters, seedRandom } from './random.ts';
import type { ServedNotification, ServedOperation } from './served.ts';

/** The notification of the state that the operation has just taken; null where there is none. */
export function notificationOf(merchantReference: string, operation: ServedOperation): ServedNotification | null {
  const type = typeOf(operation);
  if (type === null) return null;
  const { reference, status, updatedAt } = operation;
  const id = idFor(`${merchantReference}/${reference}/${status}`);
  return { id, type, createdAt: updatedAt, merchantReference, data: { operation: { ...operation } } };
}

/** `about` tells adjustments apart. What the service puts into `data` is not documented. */
export function adjustmentNotified(
  merchantReference: string,
  { about, createdAt }: { readonly about: string; readonly createdAt: string },
): ServedNotification {
  const id = idFor(`${merchantReference}/adjusted/${about}`);
  return { id, type: 'wallet.adjusted', createdAt, merchantReference, data: {} };
}

/** A test, asked for at `now`; what is in its `data` is not documented. */
export function pingNotified(
  merchantReference: string,
  { number, now }: { readonly number: number; readonly now: Instant },
): ServedNotification {
  const id = idFor(`${merchantReference}/ping/${number}`);
  return { id, type: 'ping', createdAt: formatInstant(now), merchantReference, data: {} };
}

function typeOf({ type, status }: ServedOperation): string | null {
  const side = type === 'CASHIN' ? 'cashin' : 'cashout';
  switch (status) {
    case 'AWAITING_PAYER':
      return 'cashin.awaiting_payer';
    case 'SUCCEEDED':
      return `${side}.succeeded`;
    case 'FAILED':
      return `${side}.failed`;
    case 'EXPIRED':
      return `${side}.expired`;
    case 'REVERSED':
      return 'operation.reversed';
    case 'CREATED':
    case 'PENDING':
    case 'CANCELLED':
      return null;
    default:
      return assertNever(status);
  }
}

/** For one that says something else than what was sent under its id. */
export function anotherId({ id }: ServedNotification): string {
  return idFor(`another than ${id}`);
}

/** Two seeds, for one has 32 bits only. */
function idFor(about: string): string {
  const halves = [about, `second half of ${about}`].map((seed) => drawLetters(seedRandom(seed), 10));
  return `evt_${halves.join('').toLowerCase()}`;
}
