// Builds an operation from the plain values of its line. Where a value is not of the plainest form, the strict decoder has
// the word; what is built here is what it would have built.

import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
  type OperationStatus,
  type OperationType,
} from '../../domain/operation.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { createOperationTexts } from '../../packed/packed-operation.ts';
import { sharedText, type TextCache } from '../../packed/text-cache.ts';
import { LONGEST_TEXT } from '../../rows/take-fields.ts';
import { BACKSLASH } from './plain-escape.ts';
import { ESCAPED_TEXT, FALSE, INSTANT, INTEGER, NESTED, type Slots, TRUE } from './plain-line.ts';
import { isId, isNothing, isText, ownTextAt, textAt, unescapedAt } from './plain-values.ts';

export const OPERATION_FIELDS = [
  'reference',
  'type',
  'status',
  'amount',
  'fees',
  'netAmount',
  'currency',
  'country',
  'operator',
  'externalReference',
  'payerActionUrl',
  'requiresPayerAction',
  'failure',
  'createdAt',
  'updatedAt',
  'completedAt',
  'expiresAt',
] as const;

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
const FAILURE = 12;
const CREATED_AT = 13;
const UPDATED_AT = 14;
const COMPLETED_AT = 15;
const EXPIRES_AT = 16;

const TYPES: readonly string[] = OPERATION_TYPES;
const STATUSES: readonly string[] = OPERATION_STATUSES;

const CODE_FIRST = ['{', '"code"', ':', '"'].map((part) => Buffer.from(part));
const QUOTE = 0x22;
const SPACE = 0x20;

/** Reads plain operations; keeps the texts that they share. */
export function createOperationBuilder(): (span: ByteSpan, slots: Slots) => Operation | null {
  const texts = createOperationTexts();
  return (span, slots) => (isReadableOperation(slots) ? buildOperation(span, slots, texts) : null);
}

/** True when every field that needs no closer look has the right type; instants are those that are in their usual form. */
export function isReadableOperation(slots: Slots): boolean {
  const { kinds } = slots;
  if (kinds[AMOUNT] !== INTEGER || kinds[FEES] !== INTEGER || kinds[NET_AMOUNT] !== INTEGER) return false;
  if (!isId(slots, REFERENCE) || !isText(slots, TYPE) || !isText(slots, STATUS)) return false;
  if (!isText(slots, CURRENCY) || !isText(slots, COUNTRY) || !isText(slots, OPERATOR)) return false;
  if (!isNothing(slots, EXTERNAL_REFERENCE) && !isText(slots, EXTERNAL_REFERENCE)) return false;
  if (!isNothing(slots, PAYER_ACTION_URL) && !isText(slots, PAYER_ACTION_URL)) return false;
  if (kinds[CREATED_AT] !== INSTANT || kinds[UPDATED_AT] !== INSTANT) return false;
  if (kinds[COMPLETED_AT] !== INSTANT && !isNothing(slots, COMPLETED_AT)) return false;
  if (kinds[EXPIRES_AT] !== INSTANT && !isNothing(slots, EXPIRES_AT)) return false;
  const flag = kinds[REQUIRES_PAYER_ACTION];
  return flag === FALSE || flag === TRUE || isNothing(slots, REQUIRES_PAYER_ACTION);
}

function buildOperation(span: ByteSpan, slots: Slots, texts: TextCache): Operation | null {
  const { kinds, numbers } = slots;
  const type = textAt(span, slots, TYPE, texts);
  const status = textAt(span, slots, STATUS, texts);
  if (!TYPES.includes(type) || !STATUSES.includes(status)) return null;
  const failureCode = failureCodeAt(span, slots, texts);
  if (failureCode === undefined) return null;
  return {
    reference: ownTextAt(span, slots, REFERENCE),
    type: type as OperationType,
    status: status as OperationStatus,
    amount: numbers[AMOUNT]!,
    fees: numbers[FEES]!,
    netAmount: numbers[NET_AMOUNT]!,
    currency: textAt(span, slots, CURRENCY, texts),
    country: textAt(span, slots, COUNTRY, texts),
    operator: textAt(span, slots, OPERATOR, texts),
    externalReference: optionalTextAt(span, slots, EXTERNAL_REFERENCE),
    payerActionUrl: optionalTextAt(span, slots, PAYER_ACTION_URL),
    requiresPayerAction: kinds[REQUIRES_PAYER_ACTION] === TRUE,
    failureCode,
    createdAt: numbers[CREATED_AT]!,
    updatedAt: numbers[UPDATED_AT]!,
    completedAt: isNothing(slots, COMPLETED_AT) ? null : numbers[COMPLETED_AT]!,
    expiresAt: isNothing(slots, EXPIRES_AT) ? null : numbers[EXPIRES_AT]!,
  };
}

function optionalTextAt(span: ByteSpan, slots: Slots, field: number): string | null {
  if (isNothing(slots, field)) return null;
  if (slots.kinds[field] === ESCAPED_TEXT) return unescapedAt(span, slots, field);
  return ownTextAt(span, slots, field);
}

/**
 * Undefined when the strict decoder must have a look. A plain object has no key twice, so where `code` comes first and has
 * no escape, its text ends at the next quote.
 */
export function failureCodeAt(span: ByteSpan, slots: Slots, texts: TextCache): string | null | undefined {
  if (isNothing(slots, FAILURE)) return null;
  if (slots.kinds[FAILURE] !== NESTED) return undefined;
  const { bytes } = span;
  const start = passCodeKey(bytes, slots.starts[FAILURE]!);
  if (start < 0) return undefined;
  let end = start;
  while (bytes[end] !== QUOTE && bytes[end] !== BACKSLASH) end += 1;
  if (bytes[end] === BACKSLASH) return undefined;
  return end - start > LONGEST_TEXT ? undefined : sharedText(texts, span, start, end, false);
}

/** Offset of the text of `code` in an object that begins with `{"code":"`, a space between the parts allowed, or −1. */
function passCodeKey(bytes: Buffer, start: number): number {
  let at = start;
  for (const part of CODE_FIRST) {
    if (bytes[at] === SPACE) at += 1;
    for (const byte of part) {
      if (bytes[at] !== byte) return -1;
      at += 1;
    }
  }
  return at;
}
