// Decodes one payment by link (dashboard API, "Payment"). A wallet operation among the payments is
// refused because of its reference; the payer's number and the free metadata are not read.

import { COUNTRIES } from '../../../core/domain/amount.ts';
import { LINK_OPERATORS, PAYMENT_STATUSES, type Payment } from '../../../core/domain/payment.ts';
import {
  decoderOf,
  type Fields,
  refuse,
  takeId,
  takeInstant,
  takeNatural,
  takeOneOf,
  takeOptionalText,
  takeText,
} from '../../../core/domain/rows/decode-object.ts';
import {
  type FieldsOf,
  hashed,
  id,
  instant,
  integer,
  oneOf,
  optional,
  text,
  word,
} from '../../../core/domain/rows/field.ts';
import { createCopy, createCursorType } from '../../../core/domain/rows/row-cursor.ts';
import { createEquality, createRowTable } from '../../../core/domain/rows/row-table.ts';

const FIELDS: FieldsOf<Payment> = {
  reference: hashed(id()),
  amount: integer(),
  country: word(COUNTRIES),
  operator: optional(word(LINK_OPERATORS)),
  orderId: optional(text()),
  status: oneOf(PAYMENT_STATUSES),
  createdAt: instant(),
};

export const PAYMENT_TABLE = createRowTable(FIELDS);
export const createPaymentCursor = createCursorType(PAYMENT_TABLE);
export const copyPayment = createCopy(PAYMENT_TABLE);
export const samePayment = createEquality(PAYMENT_TABLE);

export const decodePayment = decoderOf(
  (fields): Payment => ({
    reference: takePaymentReference(fields),
    amount: takeNatural(fields, 'amount'),
    country: takeText(fields, 'country'),
    operator: readOperator(takeOptionalText(fields, 'senderOperateur')),
    orderId: takeOptionalText(fields, 'order_id'),
    status: takeOneOf(fields, 'status', PAYMENT_STATUSES),
    createdAt: takeInstant(fields, 'createdAt'),
  }),
);

function takePaymentReference(fields: Fields): string {
  const reference = takeId(fields, 'reference');
  return /^PAY/.test(reference) ? reference : refuse(fields, 'reference', 'payment_reference', '');
}

/**
 * Returns the operator in the domain's words: "casing varies, compare in lower case". `null` when
 * it is absent or blank.
 */
function readOperator(served: string | null): string | null {
  const operator = served?.trim().toLowerCase();
  return operator === undefined || operator === '' ? null : operator;
}
