// What the job `refresh` does: an operation of the wallet is asked for and mirrored, a payment by link is asked for and confirmed.

import type { Dashboard } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Source } from '../../../io/sources/source.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { JobData } from '../jobs.ts';
import { confirmPayment, type PaymentOutcome } from './confirm-payment.ts';
import { type OperationOutcome, refreshOperation } from './refresh-operation.ts';

export interface RefreshTask {
  readonly store: Store;
  /** Where this merchant's books are. */
  readonly source: Source;
  /** Where its payments by link are; null: nowhere. */
  readonly dashboard: Dashboard | null;
  /** Called with how the refresh ended. */
  readonly log: (event: object) => void;
}

/**
 * Throws `PutBack`, `LeaseLost` or `SourceFailed`: then the refresh is worth another attempt. Done twice, it adds
 * nothing more.
 */
export async function refresh(
  task: RefreshTask,
  { merchant, reference }: JobData['refresh'],
): Promise<OperationOutcome | PaymentOutcome> {
  const outcome = reference.startsWith('PAY')
    ? await confirmPayment({ ...task, merchant, reference })
    : await refreshOperation({ ...task, merchant, reference });
  task.log({ event: 'refreshed', merchant, reference, outcome });
  return outcome;
}
