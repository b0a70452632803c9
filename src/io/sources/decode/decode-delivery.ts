// Decodes one delivery that a service lists as failed or given up. Of its payload only what tells which notification it is, and
// what that would have said, is read; the rest is left where it is.

import { DELIVERY_STATUSES, type FailedDelivery } from '../../../core/domain/published/failed-delivery.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  takeId,
  takeNatural,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
} from '../../../core/rows/decode-object.ts';
import { parseStrictJsonText } from './strict-json.ts';
import { takeNamed } from './take-named.ts';

export function decodeDelivery(value: unknown): Decoded<FailedDelivery> {
  const fields = fieldsOf(value);
  const told = toldIn(own(fields.row, 'payload'));
  return decodedFrom(fields, {
    id: takeId(fields, 'id'),
    status: takeNamed(fields, ['status', 'state'], (row, name) => takeOneOf(row, name, DELIVERY_STATUSES)),
    // What was sent says it best: a row may have a reference of its own.
    reference: told.reference ?? takeNamed(fields, ['reference', 'operationReference'], takeOptionalText),
    outcome: told.outcome,
    amount: told.amount,
    attempts: takeNamed(fields, ['attempts', 'attemptCount'], takeOptionalNatural),
    lastStatus: takeNamed(fields, ['lastStatusCode', 'lastStatus', 'statusCode'], takeOptionalNatural),
    nextRetryAt: takeOptionalInstant(fields, 'nextRetryAt'),
    createdAt: takeOptionalInstant(fields, 'createdAt'),
  });
}

function takeOptionalNatural(fields: Fields, name: string): number | null {
  return isNothing(own(fields.row, name)) ? null : takeNatural(fields, name);
}

type Told = Pick<FailedDelivery, 'reference' | 'outcome' | 'amount'>;

/** The body of a notification of either API, as an object or as the text that was sent. */
function toldIn(payload: unknown): Told {
  const parsed = typeof payload === 'string' ? parseStrictJsonText(payload) : null;
  const body = recordOf(parsed === null ? payload : parsed.ok ? parsed.value : null);
  const about = recordOf(own(recordOf(own(body, 'data')), 'operation') ?? body);
  const [reference, outcome, amount] = ['reference', 'status', 'amount'].map((name) => own(about, name));
  return {
    reference: typeof reference === 'string' ? reference.slice(0, 200) : null,
    outcome: typeof outcome === 'string' ? outcome.slice(0, 80) : null,
    amount: typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : null,
  };
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
