// An operation as it is packed.

import { COUNTRIES, CURRENCIES } from '../domain/currency.ts';
import {
  FAILURE_CODES,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
  type OperationStatus,
  type OperationType,
} from '../domain/operation.ts';
import type { RowForm } from './slab.ts';
import { createTextCache, type TextCache } from './text-cache.ts';
import {
  createUnpacker,
  joinTexts,
  optionalTextOf,
  referenceOf,
  sharedTextOf,
  smallOf,
  type Unpacker,
  wordOf,
} from './unpack.ts';

/** Each names a text, but for `requiresPayerAction`, which is 1 or 0. */
export const OPERATION_WORD = {
  reference: 0,
  type: 1,
  status: 2,
  currency: 3,
  country: 4,
  operator: 5,
  externalReference: 6,
  payerActionUrl: 7,
  failureCode: 8,
  requiresPayerAction: 9,
} as const;
/** NaN for an instant that is null. */
export const OPERATION_NUMBER = {
  amount: 0,
  fees: 1,
  netAmount: 2,
  createdAt: 3,
  updatedAt: 4,
  completedAt: 5,
  expiresAt: 6,
} as const;
export const OPERATION_FORM: RowForm = { words: 10, numbers: 7 };

/** With the words that operations share. */
function createOperationTexts(): TextCache {
  return createTextCache([...OPERATION_TYPES, ...OPERATION_STATUSES, ...FAILURE_CODES, ...CURRENCIES, ...COUNTRIES]);
}

/** `form` may have more words, of whoever packs. */
export function createOperationUnpacker(form: RowForm = OPERATION_FORM): Unpacker {
  return createUnpacker(form, createOperationTexts());
}

/** The packer must have seen to it that type and status are such. */
export function unpackOperation(unpacker: Unpacker, row: number): Operation {
  joinTexts(unpacker, row);
  const { words, numbers } = unpacker.slab!;
  const word = row * unpacker.form.words;
  const number = row * OPERATION_FORM.numbers;
  return {
    reference: referenceOf(unpacker, words[word + OPERATION_WORD.reference]!),
    type: wordOf(unpacker, words[word + OPERATION_WORD.type]!) as OperationType,
    status: wordOf(unpacker, words[word + OPERATION_WORD.status]!) as OperationStatus,
    amount: smallOf(numbers[number + OPERATION_NUMBER.amount]!),
    fees: smallOf(numbers[number + OPERATION_NUMBER.fees]!),
    netAmount: smallOf(numbers[number + OPERATION_NUMBER.netAmount]!),
    currency: wordOf(unpacker, words[word + OPERATION_WORD.currency]!),
    country: wordOf(unpacker, words[word + OPERATION_WORD.country]!),
    operator: wordOf(unpacker, words[word + OPERATION_WORD.operator]!),
    externalReference: optionalTextOf(unpacker, words[word + OPERATION_WORD.externalReference]!),
    payerActionUrl: optionalTextOf(unpacker, words[word + OPERATION_WORD.payerActionUrl]!),
    requiresPayerAction: words[word + OPERATION_WORD.requiresPayerAction] === 1,
    failureCode: sharedTextOf(unpacker, words[word + OPERATION_WORD.failureCode]!),
    createdAt: numbers[number + OPERATION_NUMBER.createdAt]!,
    updatedAt: numbers[number + OPERATION_NUMBER.updatedAt]!,
    completedAt: instantOrNull(numbers[number + OPERATION_NUMBER.completedAt]!),
    expiresAt: instantOrNull(numbers[number + OPERATION_NUMBER.expiresAt]!),
  };
}

function instantOrNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
