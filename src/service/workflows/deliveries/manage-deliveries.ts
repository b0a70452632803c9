// What people do with deliveries: list them, look at one, have them tried again. A beginning of an id is enough where it
// names one delivery only.

import type { Instant } from '../../../core/domain/instant.ts';
import {
  type DeliveryFilter,
  listDeliveries,
  loadDelivery,
  retryAllIn,
  retryDeliveries,
  type StoredDelivery,
} from '../../../io/storage/deliveries/deliveries.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export type { StoredDelivery };

/** Throws `StoreFailed` (UNKNOWN_MERCHANT). */
export async function listKnownDeliveries(store: Store, filter: DeliveryFilter): Promise<readonly StoredDelivery[]> {
  if (filter.merchant !== undefined) await requireMerchant(store, filter.merchant);
  return listDeliveries(store, filter);
}

/** Throws `StoreFailed` when there is none, or more than one, with that beginning. */
export function findDelivery(store: Store, id: string): ReturnType<typeof loadDelivery> {
  return loadDelivery(store, id);
}

/**
 * Of those named, all or none; `states` adds every delivery that waits in one of them. Returns how many are due again.
 * Throws `StoreFailed` for one that is not there, was delivered, or is being sent.
 */
export async function retryNamedDeliveries(
  store: Store,
  wanted: { readonly ids: readonly string[]; readonly states: readonly ('IN_DOUBT' | 'ABANDONED')[] },
  now: Instant,
): Promise<number> {
  const ids: string[] = [];
  for (const id of wanted.ids) ids.push((await loadDelivery(store, id)).id);
  const named = await retryDeliveries(store, ids, now);
  return named + (await retryAllIn(store, wanted.states, now));
}
