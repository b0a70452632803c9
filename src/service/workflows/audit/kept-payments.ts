// What the mirror stores about a merchant's payments by link: what earlier looks saw, and
// notifications. It is a file of its own because an audit of files takes a look without a database.

import type { ReceivedClaim } from '../../../core/domain/payment.ts';
import type { KeptPayments } from '../../../core/domain/published/payout-place.ts';
import { decodePaymentClaim } from '../../../io/sources/decode/notifications.ts';
import {
  type AskedPayments,
  loadPaymentSignals,
  loadPaymentVersions,
} from '../../../io/storage/published/published-versions.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/**
 * Loads what is stored about payments from an instant on, as it stood at `at`. Notifications that
 * cannot be read were refused when they came.
 */
export async function loadKeptPayments(store: Store, asked: AskedPayments): Promise<KeptPayments> {
  const [versions, claims] = await Promise.all([
    loadPaymentVersions(store, asked),
    loadClaims(store, asked),
  ]);
  return { versions, claims: claims.length === 0 ? null : claims };
}

/** Loads the claims of notifications in the order in which they came. */
export async function loadClaims(
  store: Store,
  asked: AskedPayments,
): Promise<readonly ReceivedClaim[]> {
  const signals = await loadPaymentSignals(store, asked);
  return signals.flatMap(({ body, receivedAt }) => {
    const decoded = decodePaymentClaim(body);
    return decoded.ok ? [{ ...decoded.value, receivedAt }] : [];
  });
}
