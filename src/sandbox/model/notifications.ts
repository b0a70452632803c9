// The notifications of the service: one body for each final state of an operation except CANCELLED,
// for a cash-in that waits for its payer, and for an adjustment. Ids are derived from the subject
// of the notification and not drawn, because a draw would change every later draw.

import { TYPES_OF_NOTIFICATIONS } from '../../core/domain/notification.ts';
import { drawLetters, seedRandom } from './random.ts';
import type { ServedNotification, ServedOperation } from './served.ts';

/**
 * Returns the notification for the state that the operation has just reached; `null` when that
 * state has none.
 */
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
 * Returns the notification of an adjustment, or a test. `about` must differ from the merchant's
 * others, because the id is derived from it. The document does not show the `data` of these types.
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

/** Returns the id for a notification that replaces one which was sent with other content. */
export function anotherId({ id }: ServedNotification): string {
  return idFor(`another than ${id}`);
}

/** Uses two seeds, because one has 32 bits only. */
function idFor(about: string): string {
  const halves = [about, `second half of ${about}`].map((seed) =>
    drawLetters(seedRandom(seed), 10),
  );
  return `evt_${halves.join('').toLowerCase()}`;
}
