// The result of a payment by link as a parcel: unsigned, and the same bytes in every attempt (dashboard API, "Events").

import { type LinkPayment, servedAt } from '../dashboard/payments.ts';
import { uuidOf } from '../random.ts';
import type { Parcel } from './delivery.ts';

/** "Responses 400, 401, 404 and 422 are final and not replayed." */
const FINAL_STATUSES = [400, 401, 404, 422];

const PAYMENT_RESULT = 'payment';

/** The payment has ended. `provider` is the operator here, and `fees` is there only where it succeeded. */
export function paymentParcel(
  payment: LinkPayment,
  { merchant, url }: { readonly merchant: string; readonly url: string },
): Parcel {
  const { status, amount, reference, senderOperateur, country, metadata, createdAt } = servedAt(
    payment,
    payment.settledAt,
  );
  const body = {
    status,
    amount,
    ...(status === 'SUCCESS' && { fees: payment.fees / 100 }),
    reference,
    provider: senderOperateur,
    country_code: country,
    metadata,
    created_date: createdAt,
  };
  return {
    id: uuidOf(`${merchant}/${reference}/${status}`),
    channel: 'dashboard',
    account: merchant,
    url,
    subject: `${merchant}/${reference}`,
    type: PAYMENT_RESULT,
    body: Buffer.from(JSON.stringify(body)),
    createdAt: payment.settledAt,
    headers: () => ({ 'content-type': 'application/json', 'user-agent': 'Service-Webhook/1.0' }),
    finalStatuses: FINAL_STATUSES,
  };
}
