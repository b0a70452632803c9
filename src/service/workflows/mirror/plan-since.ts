// Plans where a merchant's next reading begins. It must read new rows, operations that were left
// open, and every place where a row was refused, until that row can be read or is gone. Planning
// requests nothing from the source.

import { openOf } from '../../../core/domain/operation.ts';
import { readOpen } from '../../../core/kernel/reconcile/books-text.ts';
import type { Since } from '../../../io/sources/port/source.ts';
import { ALTERED, loadCheckpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import {
  loadStandingRefusals,
  type StandingRefusals,
} from '../../../io/storage/mirror/rejected-rows.ts';
import {
  countReadings,
  loadStoredExtent,
  type StoredExtent,
} from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** Where to read on from, and what was stored before. */
export interface PlannedSince extends Since {
  readonly extent: StoredExtent;
  /**
   * The number of open operations that this reading does not request, and the number of readings in
   * which each is requested once; `null` when it requests all.
   */
  readonly openLater: { readonly count: number; readonly readings: number } | null;
}

/**
 * About how many open operations one reading requests. When more are open, several readings share
 * them.
 */
const MOST_OPEN = 2_000;
/** Above this number, operations are not requested one by one: everything is read instead. */
const MOST_ASKED = 4_000;

/**
 * Returns where the next reading begins; `null` when everything must be read. Open operations are
 * taken from the checkpoint of any version, because they are only requested, not judged.
 */
export async function planSince(store: Store, merchant: string): Promise<PlannedSince | null> {
  const extent = await loadStoredExtent(store, merchant);
  if (extent === null) return null;
  const refusals = await loadStandingRefusals(store, merchant);
  const checkpoint = await loadCheckpoint(store, merchant);
  const left =
    checkpoint === null || checkpoint.engine === ALTERED
      ? NOTHING_OPEN
      : readOpen(checkpoint.state);
  const readings = Math.ceil(left.open.length / MOST_OPEN);
  const turn = readings > 1 ? (await countReadings(store, merchant)) % readings : 0;
  return sinceFor(extent, refusals, { ...left, readings, turn });
}

/**
 * Returns which of the readings requests this operation. The answer depends on its reference alone,
 * so that it stays the same while other operations open or settle.
 */
function readingFor(reference: string, readings: number): number {
  let sum = 0;
  for (let at = 0; at < reference.length; at += 1)
    sum = (sum * 31 + reference.charCodeAt(at)) % 65_521;
  return sum % readings;
}

type Left = Omit<ReturnType<typeof readOpen>, 'reversedCount'> & {
  readonly reversedCount: number | null;
};
const NOTHING_OPEN: Left = { open: [], reversedCount: null };

function sinceFor(
  extent: StoredExtent,
  refusals: StandingRefusals,
  left: Left & { readonly readings: number; readonly turn: number },
): PlannedSince | null {
  const { reversedCount, readings, turn } = left;
  const open = left.open.filter(
    ({ reference }) => readings < 2 || readingFor(reference, readings) === turn,
  );
  const count = left.open.length - open.length;
  const references = new Set(open.map(({ reference }) => reference));
  for (const reference of new Set([...refusals.references, ...Object.keys(extent.missed)])) {
    if (!references.has(reference)) open.push(openOf(reference, null));
  }
  if (refusals.needsWhole || open.length > MOST_ASKED) return null;
  const { lastSequence, entryCount } = extent;
  const floor = Math.min(lastSequence, (refusals.lowestSequence ?? Number.POSITIVE_INFINITY) - 1);
  return {
    ...extent,
    lastSequence: floor,
    headSequence: lastSequence,
    entryCount: Math.max(0, entryCount - (lastSequence - floor)),
    reversedCount,
    open,
    extent,
    openLater: count === 0 ? null : { count, readings },
  };
}
