// Compares each merchant's stored lines with their hash chain, and other rows with their digests,
// once within thirty nights, staggered by merchant, and every night where they did not fit. Refuses
// to compare what this very night stored: it was chained as it was written.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { compareWithChain, keepComparison } from '../../../io/storage/mirror/stored-chain.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { HistoryTask } from './compare-history.ts';

/** Between two comparisons of a merchant at most, with nights a day apart. */
export const CHAIN_DAYS = 30;
/** Days until the next comparison. */
const ROTATION = { least: 24, spread: 6 };

/** `extent` null: load it. */
export interface ChainTask extends Pick<HistoryTask, 'lease' | 'extent' | 'now'> {
  readonly entriesAdded: number;
}

/**
 * Returns when the next comparison is due. What this one finds, the next reading of the mirror gives
 * as `tampered`.
 */
export async function watchChain(
  store: Store,
  { lease, entriesAdded, now, ...task }: ChainTask,
): Promise<Instant> {
  const extent = task.extent ?? (await loadStoredExtent(store, lease.merchant));
  if (extent === null) return now;
  const { chainComparedAt, isTampered, lineCount } = extent;
  const days = ROTATION.least + (lease.merchantId % ROTATION.spread);
  // Later than now: a clock that was ahead wrote it, and when it was is not known.
  const isKnown = chainComparedAt !== null && !isTampered && chainComparedAt <= now;
  if (isKnown && now - chainComparedAt < days * DAY) return chainComparedAt + days * DAY;
  const isNew = chainComparedAt === null && entriesAdded >= lineCount;
  const tampered = isNew ? null : await compareWithChain(store, lease.merchant);
  await keepComparison(store, lease, { at: now, tampered });
  return tampered === null ? now + days * DAY : now;
}
