// A ledger line as it is packed.

import { CURRENCIES } from '../domain/currency.ts';
import { DIRECTIONS, ENTRY_KINDS, type LedgerEntry } from '../domain/ledger-entry.ts';
import { NO_TEXT, type RowForm } from './slab.ts';
import { createTextCache, type TextCache } from './text-cache.ts';
import {
  createUnpacker,
  joinTexts,
  ownTextOf,
  referenceOf,
  sharedTextOf,
  smallOf,
  type Unpacker,
  wordOf,
} from './unpack.ts';

/** Each names a text. */
export const ENTRY_WORD = { id: 0, direction: 1, kind: 2, currency: 3, operationReference: 4, description: 5 } as const;
/** `idHash`: the id's `hashText`, or NaN where it is left to whoever unpacks. */
export const ENTRY_NUMBER = {
  sequence: 0,
  amount: 1,
  balanceAfter: 2,
  reservedAfter: 3,
  createdAt: 4,
  idHash: 5,
} as const;
export const ENTRY_FORM: RowForm = { words: 6, numbers: 6 };

/** With the words that lines share. */
function createEntryTexts(): TextCache {
  return createTextCache([...ENTRY_KINDS, ...DIRECTIONS, ...CURRENCIES]);
}

export function createEntryUnpacker(): Unpacker {
  return createUnpacker(ENTRY_FORM, createEntryTexts());
}

export function unpackEntry(unpacker: Unpacker, row: number): LedgerEntry {
  joinTexts(unpacker, row);
  const { words, numbers } = unpacker.slab!;
  const word = row * ENTRY_FORM.words;
  const number = row * ENTRY_FORM.numbers;
  const reference = words[word + ENTRY_WORD.operationReference]!;
  return {
    id: ownTextOf(unpacker, words[word + ENTRY_WORD.id]!),
    sequence: smallOf(numbers[number + ENTRY_NUMBER.sequence]!),
    direction: wordOf(unpacker, words[word + ENTRY_WORD.direction]!),
    kind: wordOf(unpacker, words[word + ENTRY_WORD.kind]!),
    amount: smallOf(numbers[number + ENTRY_NUMBER.amount]!),
    currency: wordOf(unpacker, words[word + ENTRY_WORD.currency]!),
    balanceAfter: smallOf(numbers[number + ENTRY_NUMBER.balanceAfter]!),
    reservedAfter: smallOf(numbers[number + ENTRY_NUMBER.reservedAfter]!),
    operationReference: reference === NO_TEXT ? null : referenceOf(unpacker, reference),
    description: sharedTextOf(unpacker, words[word + ENTRY_WORD.description]!),
    createdAt: numbers[number + ENTRY_NUMBER.createdAt]!,
  };
}

export function idHashOf({ slab }: Unpacker, row: number): number {
  return slab!.numbers[row * ENTRY_FORM.numbers + ENTRY_NUMBER.idHash]!;
}
