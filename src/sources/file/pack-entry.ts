// Packs a ledger line from the plain values of its line, as `plain-entry.ts` would build it. Leaves alone whatever is not
// of the plainest form.

import type { ByteSpan } from '../../packed/byte-span.ts';
import { hashPacked, type Packer } from '../../packed/pack.ts';
import { ENTRY_FORM, ENTRY_NUMBER, ENTRY_WORD } from '../../packed/packed-entry.ts';
import { packField, shareField } from './pack-field.ts';
import { ENTRY_FIELDS, isReadableEntry } from './plain-entry.ts';
import type { Slots } from './plain-line.ts';

const ID = ENTRY_FIELDS.indexOf('id');
const SEQUENCE = ENTRY_FIELDS.indexOf('sequence');
const DIRECTION = ENTRY_FIELDS.indexOf('direction');
const KIND = ENTRY_FIELDS.indexOf('kind');
const AMOUNT = ENTRY_FIELDS.indexOf('amount');
const CURRENCY = ENTRY_FIELDS.indexOf('currency');
const BALANCE_AFTER = ENTRY_FIELDS.indexOf('balanceAfter');
const RESERVED_AFTER = ENTRY_FIELDS.indexOf('reservedAfter');
const REFERENCE = ENTRY_FIELDS.indexOf('operationReference');
const DESCRIPTION = ENTRY_FIELDS.indexOf('description');
const CREATED_AT = ENTRY_FIELDS.indexOf('createdAt');

/** False, and nothing is packed, when the line is for the strict decoder. */
export function packEntry(packer: Packer, span: ByteSpan, slots: Slots): boolean {
  if (!isReadableEntry(slots)) return false;
  const { words, numbers } = packer.slab;
  const word = packer.rows * ENTRY_FORM.words;
  words[word + ENTRY_WORD.id] = packField(packer, span, slots, ID);
  words[word + ENTRY_WORD.direction] = shareField(packer, span, slots, DIRECTION);
  words[word + ENTRY_WORD.kind] = shareField(packer, span, slots, KIND);
  words[word + ENTRY_WORD.currency] = shareField(packer, span, slots, CURRENCY);
  words[word + ENTRY_WORD.operationReference] = shareField(packer, span, slots, REFERENCE);
  words[word + ENTRY_WORD.description] = shareField(packer, span, slots, DESCRIPTION);
  const number = packer.rows * ENTRY_FORM.numbers;
  numbers[number + ENTRY_NUMBER.sequence] = slots.numbers[SEQUENCE]!;
  numbers[number + ENTRY_NUMBER.amount] = slots.numbers[AMOUNT]!;
  numbers[number + ENTRY_NUMBER.balanceAfter] = slots.numbers[BALANCE_AFTER]!;
  numbers[number + ENTRY_NUMBER.reservedAfter] = slots.numbers[RESERVED_AFTER]!;
  numbers[number + ENTRY_NUMBER.createdAt] = slots.numbers[CREATED_AT]!;
  numbers[number + ENTRY_NUMBER.idHash] = hashPacked(packer, words[word + ENTRY_WORD.id]!);
  packer.rows += 1;
  return true;
}
