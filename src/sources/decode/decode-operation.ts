// Decodes one operation (direct API, "Operation"). A type or status outside the document is refused, since no rule could
// judge it; a currency, country, operator or failure code outside the document is a finding and passes.

import { OPERATION_STATUSES, OPERATION_TYPES, type Operation } from '../../domain/operation.ts';
import type { Decoded } from './decoded.ts';
import {
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  takeFlag,
  takeId,
  takeInstant,
  takeInteger,
  takeObject,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
  takeText,
} from './fields.ts';

export function decodeOperation(value: unknown): Decoded<Operation> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    reference: takeId(fields, 'reference'),
    type: takeOneOf(fields, 'type', OPERATION_TYPES),
    status: takeOneOf(fields, 'status', OPERATION_STATUSES),
    amount: takeInteger(fields, 'amount'),
    fees: takeInteger(fields, 'fees'),
    netAmount: takeInteger(fields, 'netAmount'),
    currency: takeText(fields, 'currency'),
    country: takeText(fields, 'country'),
    operator: takeText(fields, 'operator'),
    externalReference: takeOptionalText(fields, 'externalReference'),
    payerActionUrl: takeOptionalText(fields, 'payerActionUrl'),
    requiresPayerAction: takeFlag(fields, 'requiresPayerAction'),
    failureCode: takeFailureCode(fields),
    createdAt: takeInstant(fields, 'createdAt'),
    updatedAt: takeInstant(fields, 'updatedAt'),
    completedAt: takeOptionalInstant(fields, 'completedAt'),
    expiresAt: takeOptionalInstant(fields, 'expiresAt'),
  });
}

function takeFailureCode(fields: Fields): string | null {
  if (isNothing(own(fields.row, 'failure'))) return null;
  return takeObject(fields, 'failure', (failure) => takeText(failure, 'code'));
}
