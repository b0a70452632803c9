// Decodes one payment by link (dashboard API, "Payment"). A wallet operation that stands among payments is refused by its
// reference; the payer's number and the free metadata are left where they are.

import { PAYMENT_STATUSES, type Payment } from '../../domain/payment.ts';
import type { Decoded } from '../../rows/decoded.ts';
import {
  decodedFrom,
  type Fields,
  fieldsOf,
  refuse,
  takeId,
  takeInstant,
  takeNatural,
  takeOneOf,
  takeOptionalText,
  takeText,
} from '../../rows/take-fields.ts';

export function decodePayment(value: unknown): Decoded<Payment> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    reference: takePaymentReference(fields),
    amount: takeNatural(fields, 'amount'),
    country: takeText(fields, 'country'),
    operator: readOperator(takeOptionalText(fields, 'senderOperateur')),
    orderId: takeOptionalText(fields, 'order_id'),
    status: takeOneOf(fields, 'status', PAYMENT_STATUSES),
    createdAt: takeInstant(fields, 'createdAt'),
  });
}

function takePaymentReference(fields: Fields): string {
  const reference = takeId(fields, 'reference');
  return /^PAY/.test(reference) ? reference : refuse(fields, 'reference', 'the reference of a payment (PAY…)', '');
}

/** The operator as served, in the domain's words: "casing varies, compare in lower case". */
export function readOperator(served: string | null): string | null {
  const operator = served?.trim().toLowerCase();
  return operator === undefined || operator === '' ? null : operator;
}
