// Packs an operation from the plain values of its line, as `plain-operation.ts` would build it. Leaves alone whatever is
// not of the plainest form.

import { OPERATION_STATUSES, OPERATION_TYPES } from '../../domain/operation.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { type Packer, packString } from '../../packed/pack.ts';
import {
  createOperationTexts,
  OPERATION_FORM,
  OPERATION_NUMBER,
  OPERATION_WORD,
} from '../../packed/packed-operation.ts';
import { NO_TEXT } from '../../packed/slab.ts';
import type { TextCache } from '../../packed/text-cache.ts';
import { packField, shareField } from './pack-field.ts';
import { type Slots, TRUE } from './plain-line.ts';
import { failureCodeAt, isReadableOperation, OPERATION_FIELDS } from './plain-operation.ts';
import { isNothing, textAt } from './plain-values.ts';

const REFERENCE = OPERATION_FIELDS.indexOf('reference');
const TYPE = OPERATION_FIELDS.indexOf('type');
const STATUS = OPERATION_FIELDS.indexOf('status');
const AMOUNT = OPERATION_FIELDS.indexOf('amount');
const FEES = OPERATION_FIELDS.indexOf('fees');
const NET_AMOUNT = OPERATION_FIELDS.indexOf('netAmount');
const CURRENCY = OPERATION_FIELDS.indexOf('currency');
const COUNTRY = OPERATION_FIELDS.indexOf('country');
const OPERATOR = OPERATION_FIELDS.indexOf('operator');
const EXTERNAL_REFERENCE = OPERATION_FIELDS.indexOf('externalReference');
const PAYER_ACTION_URL = OPERATION_FIELDS.indexOf('payerActionUrl');
const REQUIRES_PAYER_ACTION = OPERATION_FIELDS.indexOf('requiresPayerAction');
const CREATED_AT = OPERATION_FIELDS.indexOf('createdAt');
const UPDATED_AT = OPERATION_FIELDS.indexOf('updatedAt');
const COMPLETED_AT = OPERATION_FIELDS.indexOf('completedAt');
const EXPIRES_AT = OPERATION_FIELDS.indexOf('expiresAt');

const TYPES: readonly string[] = OPERATION_TYPES;
const STATUSES: readonly string[] = OPERATION_STATUSES;

/** What it gives is false, and nothing is packed, when the line is for the strict decoder. */
export function createOperationPacking(): (packer: Packer, span: ByteSpan, slots: Slots) => boolean {
  const texts = createOperationTexts();
  return (packer, span, slots) => packOperation(packer, span, slots, texts);
}

function packOperation(packer: Packer, span: ByteSpan, slots: Slots, texts: TextCache): boolean {
  if (!isReadableOperation(slots)) return false;
  if (!TYPES.includes(textAt(span, slots, TYPE, texts))) return false;
  if (!STATUSES.includes(textAt(span, slots, STATUS, texts))) return false;
  const failureCode = failureCodeAt(span, slots, texts);
  if (failureCode === undefined) return false;
  const { words } = packer.slab;
  const word = packer.rows * OPERATION_FORM.words;
  words[word + OPERATION_WORD.reference] = packField(packer, span, slots, REFERENCE);
  words[word + OPERATION_WORD.type] = shareField(packer, span, slots, TYPE);
  words[word + OPERATION_WORD.status] = shareField(packer, span, slots, STATUS);
  words[word + OPERATION_WORD.currency] = shareField(packer, span, slots, CURRENCY);
  words[word + OPERATION_WORD.country] = shareField(packer, span, slots, COUNTRY);
  words[word + OPERATION_WORD.operator] = shareField(packer, span, slots, OPERATOR);
  words[word + OPERATION_WORD.externalReference] = packField(packer, span, slots, EXTERNAL_REFERENCE);
  words[word + OPERATION_WORD.payerActionUrl] = packField(packer, span, slots, PAYER_ACTION_URL);
  words[word + OPERATION_WORD.failureCode] = failureCode === null ? NO_TEXT : packString(packer, failureCode);
  words[word + OPERATION_WORD.requiresPayerAction] = slots.kinds[REQUIRES_PAYER_ACTION] === TRUE ? 1 : 0;
  packNumbers(packer, slots);
  packer.rows += 1;
  return true;
}

function packNumbers(packer: Packer, slots: Slots): void {
  const { numbers } = packer.slab;
  const number = packer.rows * OPERATION_FORM.numbers;
  numbers[number + OPERATION_NUMBER.amount] = slots.numbers[AMOUNT]!;
  numbers[number + OPERATION_NUMBER.fees] = slots.numbers[FEES]!;
  numbers[number + OPERATION_NUMBER.netAmount] = slots.numbers[NET_AMOUNT]!;
  numbers[number + OPERATION_NUMBER.createdAt] = slots.numbers[CREATED_AT]!;
  numbers[number + OPERATION_NUMBER.updatedAt] = slots.numbers[UPDATED_AT]!;
  numbers[number + OPERATION_NUMBER.completedAt] = optionalNumber(slots, COMPLETED_AT);
  numbers[number + OPERATION_NUMBER.expiresAt] = optionalNumber(slots, EXPIRES_AT);
}

function optionalNumber(slots: Slots, field: number): number {
  return isNothing(slots, field) ? Number.NaN : slots.numbers[field]!;
}
