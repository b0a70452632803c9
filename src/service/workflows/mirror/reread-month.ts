// Reads a month's lines again just before it is stated, with what is new: what was altered
// meanwhile is then in the mirror, and in what is judged.

import { DAY } from '../../../core/domain/instant.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { withMerchantLock } from '../../../io/storage/merchants/merchant-lock.ts';
import { PutBack } from '../jobs.ts';
import { unread } from './compare-history.ts';
import { type MirrorTask, mirrorMerchant } from './mirror-merchant.ts';
import { planSince } from './plan-since.ts';

export interface MonthReread extends Pick<MirrorTask, 'store' | 'source' | 'now'> {
  /** Of the month; a day more is read on either side, for the service may bound it otherwise. */
  readonly bounds: Bounds;
}

/** Seconds. */
const BUSY = 15;

/**
 * What could not be read again; null: nothing. Throws `PutBack` while another process works on the
 * merchant.
 */
export async function rereadMonth(task: MonthReread, merchant: string): Promise<Note | null> {
  const { store, source, now, bounds } = task;
  const within = { start: bounds.start - DAY, end: bounds.end + DAY };
  const rotation = { nights: 1, random: () => 1, within };
  const outcome = await withMerchantLock(store, merchant, async (lease) => {
    const since = await planSince(store, merchant);
    try {
      const { absent } = await mirrorMerchant({
        store,
        source,
        lease,
        since,
        now,
        rotation,
        onProgress: () => {},
      });
      return absent.find(({ code }) => code === 'LINES_NOT_READ_AGAIN') ?? null;
    } catch (failure) {
      if (failure instanceof SourceFailed) return unread(failure);
      throw failure;
    }
  });
  if (outcome.acquired) return outcome.value;
  throw new PutBack('another process is working on this merchant', BUSY);
}
