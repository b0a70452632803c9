// From where a merchant's next reading must read: what is new, what was left open, and every place where a row was
// refused, until it is served sound or is gone. It reads nothing from the source itself.

import type { Since } from '../../sources/source.ts';
import { loadStandingRefusals, type StandingRefusals } from '../../storage/mirror/rejected-rows.ts';
import { loadStoredExtent, type StoredExtent } from '../../storage/mirror/stored-extent.ts';
import type { Store } from '../../storage/server/store.ts';
import { loadOpenReferences } from './replay-mirror.ts';

/** From where to read on, and what was stored before. */
export interface PlannedSince extends Since {
  /** Number of the newest page stored. */
  readonly storedPages: number;
}

/** More operations than this are not asked for one by one: everything is read instead. */
const MOST_ASKED = 4_000;

/** Null: everything must be read. `engine`: whose checkpoint says which operations were left open. */
export async function planSince(store: Store, merchant: string, engine: string): Promise<PlannedSince | null> {
  const extent = await loadStoredExtent(store, merchant);
  if (extent === null) return null;
  const refusals = await loadStandingRefusals(store, merchant);
  const openReferences = await loadOpenReferences(store, merchant, engine);
  return sinceFor(extent, refusals, openReferences);
}

function sinceFor(
  extent: StoredExtent,
  refusals: StandingRefusals,
  openReferences: readonly string[],
): PlannedSince | null {
  const references = [...new Set([...openReferences, ...refusals.references])];
  if (refusals.needsWhole || references.length > MOST_ASKED) return null;
  const { lastSequence, entryCount } = extent;
  const floor = Math.min(lastSequence, (refusals.lowestSequence ?? Number.POSITIVE_INFINITY) - 1);
  return {
    lastSequence: floor,
    entryCount: Math.max(0, entryCount - (lastSequence - floor)),
    operationCount: extent.operationCount,
    newestOperationCreatedAt: extent.newestOperationCreatedAt,
    newestOperationUpdatedAt: extent.newestOperationUpdatedAt,
    openReferences: references,
    storedPages: extent.lastIntake,
  };
}
