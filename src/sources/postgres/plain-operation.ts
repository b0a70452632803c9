// Builds an operation straight from the bytes of a plain row: what the decoder would build, several times faster. It
// refuses nothing; it gives null wherever the decoder has to look.

import { OPERATION_STATUSES, OPERATION_TYPES, type Operation } from '../../domain/operation.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../../rows/take-fields.ts';
import type { RowSlots } from './row-slots.ts';
import type { TableOfPart, WireForm } from './table-of-part.ts';
import { isNull, readInstant, readInteger, readText } from './wire-values.ts';

// The order of PART_FIELDS.operations.
const REFERENCE = 0;
const TYPE = 1;
const STATUS = 2;
const AMOUNT = 3;
const FEES = 4;
const NET_AMOUNT = 5;
const CURRENCY = 6;
const COUNTRY = 7;
const OPERATOR = 8;
const EXTERNAL_REFERENCE = 9;
const PAYER_ACTION_URL = 10;
const REQUIRES_PAYER_ACTION = 11;
const FAILURE_CODE = 12;
const CREATED_AT = 13;
const UPDATED_AT = 14;
const COMPLETED_AT = 15;
const EXPIRES_AT = 16;

const TYPES: ReadonlySet<string> = new Set(OPERATION_TYPES);
const STATUSES: ReadonlySet<string> = new Set(OPERATION_STATUSES);

export function createPlainOperation(table: TableOfPart): (slots: RowSlots, first: number) => Operation | null {
  const forms = table.columns.map(({ form }) => form);
  return (slots, first) => {
    const times = readTimes(slots, first, forms);
    const words = readWords(slots, first);
    if (times === null || words === null) return null;
    const amount = readInteger(slots, first + AMOUNT, forms[AMOUNT]!);
    const fees = readInteger(slots, first + FEES, forms[FEES]!);
    const netAmount = readInteger(slots, first + NET_AMOUNT, forms[NET_AMOUNT]!);
    if (Number.isNaN(amount + fees + netAmount)) return null;
    const reference = readText(slots, first + REFERENCE, LONGEST_ID);
    const externalReference = readText(slots, first + EXTERNAL_REFERENCE, LONGEST_TEXT);
    const payerActionUrl = readText(slots, first + PAYER_ACTION_URL, LONGEST_TEXT);
    const failureCode = readText(slots, first + FAILURE_CODE, LONGEST_TEXT);
    if (reference === null) return null;
    if (externalReference === null && !isNull(slots, first + EXTERNAL_REFERENCE)) return null;
    if (payerActionUrl === null && !isNull(slots, first + PAYER_ACTION_URL)) return null;
    if (failureCode === null && !isNull(slots, first + FAILURE_CODE)) return null;
    return {
      reference,
      type: words.type,
      status: words.status,
      amount,
      fees,
      netAmount,
      currency: words.currency,
      country: words.country,
      operator: words.operator,
      externalReference,
      payerActionUrl,
      requiresPayerAction: words.requiresPayerAction,
      failureCode,
      createdAt: times.createdAt,
      updatedAt: times.updatedAt,
      completedAt: times.completedAt,
      expiresAt: times.expiresAt,
    };
  };
}

type Times = Pick<Operation, 'createdAt' | 'updatedAt' | 'completedAt' | 'expiresAt'>;
type Words = Pick<Operation, 'type' | 'status' | 'currency' | 'country' | 'operator' | 'requiresPayerAction'>;

function readTimes(slots: RowSlots, first: number, forms: readonly WireForm[]): Times | null {
  const createdAt = readInstant(slots, first + CREATED_AT, forms[CREATED_AT]!);
  const updatedAt = readInstant(slots, first + UPDATED_AT, forms[UPDATED_AT]!);
  const completedAt = isNull(slots, first + COMPLETED_AT)
    ? null
    : readInstant(slots, first + COMPLETED_AT, forms[COMPLETED_AT]!);
  const expiresAt = isNull(slots, first + EXPIRES_AT)
    ? null
    : readInstant(slots, first + EXPIRES_AT, forms[EXPIRES_AT]!);
  // One NaN makes the sum NaN; the sum itself means nothing.
  const isPlain = !Number.isNaN(createdAt + updatedAt + (completedAt ?? 0) + (expiresAt ?? 0));
  return isPlain ? { createdAt, updatedAt, completedAt, expiresAt } : null;
}

function readWords(slots: RowSlots, first: number): Words | null {
  const type = readText(slots, first + TYPE, LONGEST_TEXT);
  const status = readText(slots, first + STATUS, LONGEST_TEXT);
  const currency = readText(slots, first + CURRENCY, LONGEST_TEXT);
  const country = readText(slots, first + COUNTRY, LONGEST_TEXT);
  const operator = readText(slots, first + OPERATOR, LONGEST_TEXT);
  const flag = isNull(slots, first + REQUIRES_PAYER_ACTION)
    ? 'false'
    : readText(slots, first + REQUIRES_PAYER_ACTION, LONGEST_TEXT);
  if (type === null || !TYPES.has(type) || status === null || !STATUSES.has(status)) return null;
  if (currency === null || country === null || operator === null) return null;
  if (flag !== 'true' && flag !== 'false') return null;
  return {
    type: type as Operation['type'],
    status: status as Operation['status'],
    currency,
    country,
    operator,
    requiresPayerAction: flag === 'true',
  };
}
