// From where a merchant's next reading must read: what is new, what was left open, and every place
// where a row was refused, until it is served sound or is gone. It reads nothing from the source
// itself.

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

/** From where to read on, and what was stored before. */
export interface PlannedSince extends Since {
  readonly extent: StoredExtent;
  /**
   * So many were left open, and are not asked for this time; each of them is within so many
   * readings. Null: none.
   */
  readonly openLater: { readonly count: number; readonly readings: number } | null;
}

/**
 * Where more operations were left open, a reading asks for about so many of them, and the next one
 * for others.
 */
const MOST_OPEN = 2_000;
/** More operations than this are not asked for one by one: everything is read instead. */
const MOST_ASKED = 4_000;

/**
 * Null: everything must be read. Any engine's checkpoint says which operations were left open: they
 * are only asked for.
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

/** Which of so many readings asks for the operation: the same one, whichever others there are. */
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
