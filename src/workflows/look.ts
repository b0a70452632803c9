// What a `look` does: an operation of the wallet is asked for and mirrored, a payment by link is asked for and confirmed.

import type { Dashboard } from '../domain/dashboard-reading.ts';
import type { Source } from '../sources/source.ts';
import type { Store } from '../storage/store.ts';
import type { JobData } from './jobs.ts';
import { lookAtOperation, type OperationOutcome } from './look-at-operation.ts';
import { lookAtPayment, type PaymentOutcome } from './look-at-payment.ts';

export interface LookTask {
  readonly store: Store;
  /** Where this merchant's books are. */
  readonly source: Source;
  /** Where its payments by link are; null: nowhere. */
  readonly dashboard: Dashboard | null;
  /** Told how the look ended. */
  readonly log: (event: object) => void;
}

/**
 * Throws `PutBack`, `LeaseLost` or `SourceFailed`: then the look is worth another attempt. Done twice, it adds
 * nothing more.
 */
export async function look(
  task: LookTask,
  { merchant, reference }: JobData['look'],
): Promise<OperationOutcome | PaymentOutcome> {
  const outcome = reference.startsWith('PAY')
    ? await lookAtPayment({ ...task, merchant, reference })
    : await lookAtOperation({ ...task, merchant, reference });
  task.log({ event: 'looked', merchant, reference, outcome });
  return outcome;
}
