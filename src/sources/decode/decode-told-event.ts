// Decodes a notification as far as it is held against the books: its frame, and of the operation that it carries what is
// compared; the rest of it must be of its type, as in a row of operations. What a type outside the document carries, and
// what `wallet.adjusted` and `ping` carry, is not looked at.

import { type NotifiedOperation, toldBy } from '../../domain/notification.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from '../../domain/operation.ts';
import type { Decoded } from '../../rows/decoded.ts';
import { inexactTextOf } from '../../rows/json-number.ts';
import {
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  takeFlag,
  takeId,
  takeInteger,
  takeObject,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
} from '../../rows/take-fields.ts';
import { decodeEvent, type ServiceEvent } from './decode-event.ts';

export interface ToldEvent extends ServiceEvent {
  readonly operation: NotifiedOperation | null;
}

export function decodeToldEvent(value: unknown): Decoded<ToldEvent> {
  const event = decodeEvent(value);
  if (!event.ok) return event;
  if (toldBy(event.value.type) === null) return { ok: true, value: { ...event.value, operation: null } };
  const fields = fieldsOf(value);
  const operation = takeObject(fields, 'data', (data) => takeObject(data, 'operation', takeOperation));
  return decodedFrom(fields, { ...event.value, operation });
}

/** Fields that nothing is held against, by what they hold: absent or null they are lawful, of another type they are not. */
export const BESIDE = {
  texts: ['country', 'operator', 'payerActionUrl'],
  flags: ['requiresPayerAction'],
  instants: ['completedAt', 'expiresAt'],
} as const;

function takeOperation(fields: Fields): NotifiedOperation {
  const operation = {
    reference: takeId(fields, 'reference'),
    type: takeOneOf(fields, 'type', OPERATION_TYPES),
    status: takeOneOf(fields, 'status', OPERATION_STATUSES),
    amount: takeInteger(fields, 'amount'),
    fees: takeOptionalInteger(fields, 'fees'),
    netAmount: takeOptionalInteger(fields, 'netAmount'),
    currency: takeOptionalText(fields, 'currency'),
    externalReference: takeOptionalText(fields, 'externalReference'),
    failureCode: isHeld(fields, 'failure')
      ? takeObject(fields, 'failure', (failure) => takeOptionalText(failure, 'code'))
      : null,
    createdAt: takeOptionalInstant(fields, 'createdAt'),
    updatedAt: takeOptionalInstant(fields, 'updatedAt'),
  };
  for (const name of BESIDE.texts) takeOptionalText(fields, name);
  for (const name of BESIDE.flags) takeFlag(fields, name);
  for (const name of BESIDE.instants) takeOptionalInstant(fields, name);
  return operation;
}

function takeOptionalInteger(fields: Fields, name: string): number | null {
  return isHeld(fields, name) ? takeInteger(fields, name) : null;
}

function isHeld({ row }: Fields, name: string): boolean {
  return !isNothing(own(row, name));
}

/** The fields of a body that the document names: what a receiver may have written beside them is its own. */
const BODY_FIELDS = ['id', 'type', 'createdAt', 'merchantReference', 'data'];

/** Equal for bodies of equal JSON content, whatever the order of keys, the blanks and the escapes. */
export function contentOf(value: unknown): string {
  const { row } = fieldsOf(value);
  return JSON.stringify(BODY_FIELDS.map((name) => ordered(own(row, name) ?? null)));
}

function ordered(value: unknown): unknown {
  const inexact = inexactTextOf(value);
  if (inexact !== null) return { inexact };
  if (Array.isArray(value)) return [value.map(ordered)];
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, inner]) => [key, ordered(inner)]);
}
