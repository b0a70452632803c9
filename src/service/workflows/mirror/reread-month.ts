// Reads a month's lines again just before the month is stated, together with what is new, so that
// lines altered meanwhile are in the mirror and are judged.

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
  /**
   * The bounds of the month. A day more is read on both sides, because the service may set other
   * bounds.
   */
  readonly bounds: Bounds;
}

/** Seconds until another attempt while another process works on the merchant. */
const BUSY = 15;

/**
 * Returns a note about what could not be read again; `null` when everything was. Throws `PutBack`
 * while another process works on the merchant.
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
