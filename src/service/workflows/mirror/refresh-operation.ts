// Asks the service for one operation and puts it into the mirror as it stands now. It judges nothing: what it finds is one
// more version, for the next run to replay beside the lines that belong to it.

import { type Source, SourceFailed } from '../../../io/sources/source.ts';
import { type Lease, withMerchantLock } from '../../../io/storage/merchants/merchant-lock.ts';
import { savePage } from '../../../io/storage/mirror/save/save-page.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { PutBack } from '../jobs.ts';

export interface OperationRefresh {
  readonly store: Store;
  /** Where this merchant's books are. */
  readonly source: Source;
  readonly merchant: string;
  readonly reference: string;
}

/**
 * `unknown`: the service says that there is no such operation; `unreadable`: it cannot be read exactly; `not mirrored`:
 * no run has read the merchant yet, and the first one reads everything.
 */
export type OperationOutcome = 'changed' | 'unchanged' | 'unknown' | 'unreadable' | 'not mirrored';

/** Seconds: about as long as a merchant with little new is worked on. */
const LOCKED_SECONDS = 15;

/**
 * Asks under the merchant's lock, so that no answer that is older than a run's can be stored after it. Throws
 * `PutBack` while another process works on the merchant, `LeaseLost`, or `SourceFailed` when the service cannot be asked;
 * nothing is saved then.
 */
export async function refreshOperation(task: OperationRefresh): Promise<OperationOutcome> {
  const { store, merchant } = task;
  // The first reading of a merchant must not take itself for a later one.
  if ((await loadStoredExtent(store, merchant)) === null) return 'not mirrored';
  const outcome = await withMerchantLock(store, merchant, (lease) => refreshUnderLock(task, lease));
  if (outcome.acquired) return outcome.value;
  throw new PutBack('another process is working on this merchant', LOCKED_SECONDS);
}

async function refreshUnderLock({ store, source, merchant, reference }: OperationRefresh, lease: Lease) {
  try {
    const operation = await source.askOperation(merchant, reference);
    if (operation === null) return 'unknown';
    const saved = await savePage(store, lease, { operations: [operation], outOfTurn: true });
    return saved.operationsChanged > 0 ? 'changed' : 'unchanged';
  } catch (failure) {
    // The next run meets it in the list, and names it there.
    if (failure instanceof SourceFailed && failure.code === 'UNREADABLE_OPERATION') return 'unreadable';
    throw failure;
  }
}
