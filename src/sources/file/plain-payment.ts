// Builds a payment by link from the plain values of its line, as the strict decoder would.

import { LINK_OPERATORS, PAYMENT_STATUSES, type Payment, type PaymentStatus } from '../../domain/payment.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { createTextCache, type TextCache } from '../../packed/text-cache.ts';
import { readOperator } from '../decode/decode-payment.ts';
import { ESCAPED_TEXT, INTEGER, type Slots } from './plain-line.ts';
import { instantAt, isId, isNothing, isText, ownTextAt, textAt, unescapedAt } from './plain-values.ts';

export const PAYMENT_FIELDS = [
  'reference',
  'amount',
  'country',
  'senderOperateur',
  'order_id',
  'status',
  'createdAt',
] as const;

const REFERENCE = 0;
const AMOUNT = 1;
const COUNTRY = 2;
const OPERATOR = 3;
const ORDER_ID = 4;
const STATUS = 5;
const CREATED_AT = 6;

const STATUSES: readonly string[] = PAYMENT_STATUSES;

/** Reads plain payments; keeps the texts that they share. */
export function createPaymentBuilder(): (span: ByteSpan, slots: Slots) => Payment | null {
  const texts = createTextCache([...PAYMENT_STATUSES, ...LINK_OPERATORS]);
  return (span, slots) => (isReadable(slots) ? buildPayment(span, slots, texts) : null);
}

function isReadable(slots: Slots): boolean {
  if (slots.kinds[AMOUNT] !== INTEGER || slots.numbers[AMOUNT]! < 0) return false;
  if (!isId(slots, REFERENCE) || !isText(slots, COUNTRY) || !isText(slots, STATUS)) return false;
  if (!isNothing(slots, OPERATOR) && !isText(slots, OPERATOR)) return false;
  return isNothing(slots, ORDER_ID) || isText(slots, ORDER_ID);
}

function buildPayment(span: ByteSpan, slots: Slots, texts: TextCache): Payment | null {
  const createdAt = instantAt(slots, CREATED_AT);
  const reference = textOf(span, slots, REFERENCE);
  const status = textAt(span, slots, STATUS, texts);
  if (Number.isNaN(createdAt) || !reference.startsWith('PAY') || !STATUSES.includes(status)) return null;
  return {
    reference,
    amount: slots.numbers[AMOUNT]!,
    country: textAt(span, slots, COUNTRY, texts),
    operator: readOperator(isNothing(slots, OPERATOR) ? null : textAt(span, slots, OPERATOR, texts)),
    orderId: isNothing(slots, ORDER_ID) ? null : textOf(span, slots, ORDER_ID),
    status: status as PaymentStatus,
    createdAt,
  };
}

/** A text that is probably unlike its neighbours. */
function textOf(span: ByteSpan, slots: Slots, field: number): string {
  const isEscaped = slots.kinds[field] === ESCAPED_TEXT;
  return isEscaped ? unescapedAt(span, slots, field) : ownTextAt(span, slots, field);
}
