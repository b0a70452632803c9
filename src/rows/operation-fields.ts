// The fields of an operation (direct API, "Operation"), and what is derived from them. A type or status outside the
// document is refused, since no rule could judge it; a currency, country or failure code passes and is a finding, and an
// operator passes and is named beside the verdict.

import { COUNTRIES, CURRENCIES } from '../domain/currency.ts';
import { FAILURE_CODES, OPERATION_STATUSES, OPERATION_TYPES, type Operation } from '../domain/operation.ts';
import { createDecoder } from './decode-object.ts';
import { type FieldsOf, flag, hashed, id, instant, integer, oneOf, optional, text, word } from './field.ts';
import { createCopy, createCursorType } from './row-cursor.ts';
import { createRowTable } from './row-table.ts';
import { createEquality } from './same-row.ts';

export const OPERATION_FIELDS: FieldsOf<Operation> = {
  reference: hashed(id()),
  type: oneOf(OPERATION_TYPES),
  status: oneOf(OPERATION_STATUSES),
  amount: integer(),
  fees: integer(),
  netAmount: integer(),
  currency: word(CURRENCIES),
  country: word(COUNTRIES),
  operator: word([]),
  externalReference: hashed(optional(text())),
  payerActionUrl: optional(text()),
  requiresPayerAction: flag(),
  failureCode: { ...optional(word(FAILURE_CODES)), path: ['failure', 'code'], isRequiredInside: true },
  createdAt: instant(),
  updatedAt: instant(),
  completedAt: optional(instant()),
  expiresAt: optional(instant()),
};

export const OPERATION_TABLE = createRowTable(OPERATION_FIELDS);

export const decodeOperation = createDecoder(OPERATION_TABLE);

/** True when two servings of an operation say the same thing: only another content makes a new version. */
export const sameOperation = createEquality(OPERATION_TABLE);

export const createOperationCursor = createCursorType(OPERATION_TABLE);

/** Of a row that is a cursor: a plain object that holds on to nothing. */
export const copyOperation = createCopy(OPERATION_TABLE);
