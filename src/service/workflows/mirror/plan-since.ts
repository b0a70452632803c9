// From where a merchant's next reading must read: what is new, what was left open, and every place where a row was
// refused, until it is served sound or is gone. It reads nothing from the source itself.

import { openOf } from '../../../core/domain/operation.ts';
import { readOpen } from '../../../core/reconcile/books-text.ts';
import type { Since } from '../../../io/sources/source.ts';
import { ALTERED, loadCheckpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import { loadStandingRefusals, type StandingRefusals } from '../../../io/storage/mirror/rejected-rows.ts';
import { loadStoredExtent, type StoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** From where to read on, and what was stored before. */
export interface PlannedSince extends Since {
  /** Number of the newest page stored. */
  readonly storedPages: number;
}

/** More operations than this are not asked for again one by one. */
const MOST_OPEN = 2_000;
/** More operations than this are not asked for one by one: everything is read instead. */
const MOST_ASKED = 4_000;

/** Null: everything must be read. Any engine's checkpoint says which operations were left open: they are only asked for. */
export async function planSince(store: Store, merchant: string): Promise<PlannedSince | null> {
  const extent = await loadStoredExtent(store, merchant);
  if (extent === null) return null;
  const refusals = await loadStandingRefusals(store, merchant);
  const checkpoint = await loadCheckpoint(store, merchant);
  return sinceFor(
    extent,
    refusals,
    checkpoint === null || checkpoint.engine === ALTERED ? NOTHING_OPEN : readOpen(checkpoint.state),
  );
}

const NOTHING_OPEN: ReturnType<typeof readOpen> = { open: [], reversedCount: null };

function sinceFor(
  extent: StoredExtent,
  refusals: StandingRefusals,
  { open: left, reversedCount }: ReturnType<typeof readOpen>,
): PlannedSince | null {
  const open = left.slice(0, MOST_OPEN);
  const references = new Set(open.map(({ reference }) => reference));
  for (const reference of refusals.references) {
    if (!references.has(reference)) open.push(openOf(reference, null));
  }
  if (refusals.needsWhole || open.length > MOST_ASKED) return null;
  const { lastSequence, entryCount } = extent;
  const floor = Math.min(lastSequence, (refusals.lowestSequence ?? Number.POSITIVE_INFINITY) - 1);
  return {
    lastSequence: floor,
    entryCount: Math.max(0, entryCount - (lastSequence - floor)),
    operationCount: extent.operationCount,
    newestOperationCreatedAt: extent.newestOperationCreatedAt,
    newestOperationUpdatedAt: extent.newestOperationUpdatedAt,
    reversedCount,
    open,
    storedPages: extent.lastIntake,
  };
}
