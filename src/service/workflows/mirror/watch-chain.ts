// Compares each merchant's stored lines with their hash chain, and other rows with their digests:
// once within thirty nights, merchants taking turns, and every night after they did not agree.
// Refuses to compare rows that this very night stored, because they were chained as they were
// written.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { compareWithChain, keepComparison } from '../../../io/storage/mirror/stored-chain.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { HistoryTask } from './compare-history.ts';

/** Most days between two comparisons of a merchant, when nights are a day apart. */
export const CHAIN_DAYS = 30;
/**
 * Days until the next comparison: `least`, plus a number below `spread` that depends on the
 * merchant.
 */
const ROTATION = { least: 24, spread: 6 };

/** `extent` is `null` when it is not loaded yet. */
export interface ChainTask extends Pick<HistoryTask, 'lease' | 'extent' | 'now'> {
  readonly entriesAdded: number;
}

/**
 * Compares if it is time, and returns when the next comparison is due. Rows that do not agree are
 * stored; the next reading of the mirror gives them as `tampered`.
 */
export async function watchChain(
  store: Store,
  { lease, entriesAdded, now, ...task }: ChainTask,
): Promise<Instant> {
  const extent = task.extent ?? (await loadStoredExtent(store, lease.merchant));
  if (extent === null) return now;
  const { chainComparedAt, isTampered, lineCount } = extent;
  const days = ROTATION.least + (lease.merchantId % ROTATION.spread);
  // An instant after now was written by a clock that was ahead, so the true time of the comparison
  // is unknown.
  const isKnown = chainComparedAt !== null && !isTampered && chainComparedAt <= now;
  if (isKnown && now - chainComparedAt < days * DAY) return chainComparedAt + days * DAY;
  const isNew = chainComparedAt === null && entriesAdded >= lineCount;
  const tampered = isNew ? null : await compareWithChain(store, lease.merchant);
  await keepComparison(store, lease, { at: now, tampered });
  return tampered === null ? now + days * DAY : now;
}
