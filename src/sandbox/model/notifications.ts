// The notifications of the service: one body for each final state of an operation but CANCELLED,
// for a cash-in that waits for its payer, and for an adjustment. An id is drawn from what the
// notification is about, so that nothing else is drawn otherwise.

import { TYPES_OF_NOTIFICATIONS } from '../../core/domain/notification.ts';
import { drawLetters, seedRandom } from './random.ts';
import type { ServedNotification, ServedOperation } from './served.ts';

/** The notification of the state that the operation has just taken; null where there is none. */
export function notificationOf(
  merchantReference: string,
  operation: ServedOperation,
): ServedNotification | null {
  const { reference, status, updatedAt } = operation;
  const side = status === 'REVERSED' ? 'operation' : operation.type.toLowerCase();
  const type = `${side}.${status.toLowerCase()}`;
  if (!TYPES_OF_NOTIFICATIONS.includes(type)) return null;
  const id = idFor(`${merchantReference}/${reference}/${status}`);
  return {
    id,
    type,
    createdAt: updatedAt,
    merchantReference,
    data: { operation: { ...operation } },
  };
}

/**
 * An adjustment, or a test. `about` tells it from the merchant's others. The document does not show
 * its `data`.
 */
export function notificationAbout(
  merchantReference: string,
  {
    type,
    about,
    createdAt,
  }: {
    readonly type: 'wallet.adjusted' | 'ping';
    readonly about: string;
    readonly createdAt: string;
  },
): ServedNotification {
  return {
    id: idFor(`${merchantReference}/${about}`),
    type,
    createdAt,
    merchantReference,
    data: {},
  };
}

/** For a notification with another content than the one that was sent under its id. */
export function anotherId({ id }: ServedNotification): string {
  return idFor(`another than ${id}`);
}

/** Two seeds, for one has 32 bits only. */
function idFor(about: string): string {
  const halves = [about, `second half of ${about}`].map((seed) =>
    drawLetters(seedRandom(seed), 10),
  );
  return `evt_${halves.join('').toLowerCase()}`;
}
