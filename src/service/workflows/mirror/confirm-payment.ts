// Confirms an unsigned notification of a payment by link: the dashboard is asked for the payments of that minute, and what
// it serves is compared with what was claimed. It stores nothing and judges nothing; the caller gets the outcome.

import { MINUTE } from '../../../core/domain/instant.ts';
import { type Payment, type PaymentClaim, saysAsServed } from '../../../core/domain/payment.ts';
import type { Dashboard } from '../../../core/domain/published/dashboard-snapshot.ts';
import { decodePaymentClaim } from '../../../io/sources/decode/decode-notification.ts';
import { loadSignals } from '../../../io/storage/notifications/notifications.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export interface PaymentConfirmation {
  readonly store: Store;
  /** Null: there is none to ask. */
  readonly dashboard: Dashboard | null;
  readonly merchant: string;
  /** `PAY…`. */
  readonly reference: string;
}

/**
 * `confirmed`: the dashboard serves the payment as one of its notifications claims; `contradicted`: otherwise; `pending`:
 * it has no result there yet; `unknown`: it is not there at the time claimed; `not asked`: there is no dashboard to ask, or the
 * notifications do not say when the link was made.
 */
export type PaymentOutcome = 'confirmed' | 'contradicted' | 'pending' | 'unknown' | 'not asked';

/** Throws `SourceFailed` when the dashboard cannot be asked. */
export async function confirmPayment(task: PaymentConfirmation): Promise<PaymentOutcome> {
  const { dashboard, merchant, reference } = task;
  const bodies = await loadSignals(task.store, { merchant, reference });
  const claims = bodies.map((body) => decodePaymentClaim(body)).flatMap((one) => (one.ok ? [one.value] : []));
  const createdAt = claims.find((claim) => claim.createdAt !== null)?.createdAt ?? null;
  if (createdAt === null || dashboard === null || !(await dashboard.merchants()).includes(merchant)) return 'not asked';
  const snapshot = await dashboard.open(merchant);
  try {
    for await (const { rows } of snapshot.payments({ from: createdAt - MINUTE, until: createdAt + MINUTE })) {
      const payment = rows.find((row) => row.reference === reference);
      if (payment !== undefined) return outcomeOf(payment, claims);
    }
    return 'unknown';
  } finally {
    await snapshot.close();
  }
}

function outcomeOf(payment: Payment, claims: readonly PaymentClaim[]): PaymentOutcome {
  if (payment.status === 'PENDING') return 'pending';
  return claims.some((claim) => saysAsServed(claim, payment)) ? 'confirmed' : 'contradicted';
}
