// Looks at a merchant's payments by link as they are served now, beside what is kept of them.

import type { DashboardSnapshot } from '../../domain/dashboard-snapshot.ts';
import { DAY, type Instant } from '../../domain/instant.ts';
import type { FailedDelivery } from '../../domain/published/failed-delivery.ts';
import { type KeptPayments, NO_PAYMENTS_KEPT } from '../../domain/published/kept-payments.ts';
import type { Span } from '../../domain/service-report.ts';
import { judgePayments, lacksNotification, type PaymentBooks } from '../../reconcile/published/judge-payments.ts';
import type { JudgedPart } from '../../reconcile/published/judged-part.ts';

/** Payments that are older are not looked at again, unless a report needs them. */
export const LOOKED_BACK = 62 * DAY;

/** A look at payments, to be kept. */
export interface PaymentsLook {
  readonly kept: KeptPayments['versions'];
  readonly payments: PaymentBooks['payments'];
}

export async function endPayments(
  snapshot: DashboardSnapshot,
  books: PaymentBooks,
  { askedAt, load }: { readonly askedAt: Instant; readonly load: ((span: Span) => Promise<KeptPayments>) | undefined },
): Promise<{ readonly judgement: JudgedPart; readonly look: PaymentsLook }> {
  const kept = load === undefined ? NO_PAYMENTS_KEPT : await load(books.span);
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
