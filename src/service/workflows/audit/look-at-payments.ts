// Looks at a merchant's payments by link as they are served now, beside what is kept of them.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { FailedDelivery } from '../../../core/domain/published/failed-delivery.ts';
import type { KeptPayments } from '../../../core/domain/published/payout-place.ts';
import {
  judgePayments,
  lacksNotification,
  type PaymentBooks,
} from '../../../core/reconcile/published/judge-payments.ts';
import type { JudgedPart } from '../../../core/reconcile/published/judged-part.ts';

/** Payments that are older are not looked at again, unless a report needs them. */
const LOOKED_BACK = 62 * DAY;

/** From then on payments are looked at. The same for a week, so that what is older is counted once a week at most. */
export function lookedFrom(asOf: Instant): Instant {
  return Math.floor((asOf - LOOKED_BACK) / (7 * DAY)) * 7 * DAY;
}

/** A look at payments, to be kept. */
export interface PaymentsLook {
  readonly kept: KeptPayments['versions'];
  readonly payments: PaymentBooks['payments'];
}

export async function endPayments(
  snapshot: DashboardSnapshot,
  books: PaymentBooks,
  { askedAt, kept }: { readonly askedAt: Instant; readonly kept: KeptPayments },
): Promise<{ readonly judgement: JudgedPart; readonly look: PaymentsLook }> {
  const beside = { kept, askedAt };
  const undelivered = lacksNotification(books, beside) ? await undeliveredOf(snapshot) : new Map();
  const judgement = judgePayments(books, beside, { undelivered, isFromFirst: snapshot.isCopy });
  return { judgement, look: { kept: kept.versions, payments: books.payments } };
}

/** What cannot be read of them explains nothing. */
async function undeliveredOf(snapshot: DashboardSnapshot): Promise<ReadonlyMap<string, FailedDelivery>> {
  const { value } = await snapshot.payouts.deliveries();
  return new Map((value ?? []).flatMap((one) => (one.reference === null ? [] : [[one.reference, one] as const])));
}
