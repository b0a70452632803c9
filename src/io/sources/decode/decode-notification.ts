// Decodes the body of a notification as far as it has to be understood on arrival: a signed one of the direct API (what it
// is called and which operation it is about), an unsigned one of the dashboard API (which payment). Judges nothing.

import { asDecimal, decimalText } from '../../../core/domain/decimal.ts';
import { PAYMENT_RESULTS, type PaymentClaim } from '../../../core/domain/payment.ts';
import {
  type Decoded,
  decodedFrom,
  fieldsOf,
  isNothing,
  own,
  refuse,
  takeId,
  takeInteger,
  takeOneOf,
  takeOptionalInstant,
} from '../../../core/rows/decode-object.ts';
import { decodeEventFrame, type EventFrame } from '../../../core/rows/event-fields.ts';
import { parseStrictJson } from './strict-json.ts';

export interface Notified {
  readonly event: EventFrame;
  /** Of `data.operation`; null where there is none, or none that can be read. */
  readonly operationReference: string | null;
}

/** One clause says what is wrong with a body that cannot be read. */
export function decodeNotification(body: Uint8Array): Decoded<Notified> {
  const json = parseStrictJson(body);
  if (!json.ok) return json;
  const event = decodeEventFrame(json.value);
  if (!event.ok) return event;
  return { ok: true, value: { event: event.value, operationReference: referenceIn(json.value) } };
}

function referenceIn(value: unknown): string | null {
  const data = fieldsOf(own(fieldsOf(value).row, 'data'));
  const operation = fieldsOf(own(data.row, 'operation'));
  const reference = takeId(operation, 'reference');
  return operation.fault === null ? reference : null;
}

export function decodePaymentClaim(body: Uint8Array): Decoded<PaymentClaim> {
  const json = parseStrictJson(body);
  if (!json.ok) return json;
  const fields = fieldsOf(json.value);
  const reference = takeId(fields, 'reference');
  return decodedFrom(fields, {
    reference: reference.startsWith('PAY') ? reference : refuse(fields, 'reference', 'payment_reference', ''),
    status: takeOneOf(fields, 'status', PAYMENT_RESULTS),
    amount: isNothing(own(fields.row, 'amount')) ? null : takeInteger(fields, 'amount'),
    fees: feesIn(own(fields.row, 'fees')),
    createdAt: takeOptionalInstant(fields, 'created_date'),
  });
}

/** What is no amount of money was not told: the notification is a signal all the same. */
function feesIn(value: unknown): string | null {
  const fees = asDecimal(value);
  return fees === null || fees.isNegative() ? null : decimalText(fees);
}
