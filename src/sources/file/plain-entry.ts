// Builds a ledger line from the plain values of its line. Where a value is not of the plainest form, the strict decoder
// has the word; what is built here is what it would have built.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { createEntryTexts } from '../../packed/packed-entry.ts';
import type { TextCache } from '../../packed/text-cache.ts';
import { INSTANT, INTEGER, type Slots } from './plain-line.ts';
import { isId, isNothing, isText, ownTextAt, textAt } from './plain-values.ts';

export const ENTRY_FIELDS = [
  'id',
  'sequence',
  'direction',
  'kind',
  'amount',
  'currency',
  'balanceAfter',
  'reservedAfter',
  'operationReference',
  'description',
  'createdAt',
] as const;

const ID = 0;
const SEQUENCE = 1;
const DIRECTION = 2;
const KIND = 3;
const AMOUNT = 4;
const CURRENCY = 5;
const BALANCE_AFTER = 6;
const RESERVED_AFTER = 7;
const REFERENCE = 8;
const DESCRIPTION = 9;
const CREATED_AT = 10;

/** Reads plain ledger lines; keeps the texts that lines share. */
export function createEntryBuilder(): (span: ByteSpan, slots: Slots) => LedgerEntry | null {
  const texts = createEntryTexts();
  return (span, slots) => buildEntry(span, slots, texts);
}

/** False when a value is not of the plainest form. */
export function isReadableEntry(slots: Slots): boolean {
  const { kinds } = slots;
  if (kinds[SEQUENCE] !== INTEGER || kinds[AMOUNT] !== INTEGER) return false;
  if (kinds[BALANCE_AFTER] !== INTEGER || kinds[RESERVED_AFTER] !== INTEGER || kinds[CREATED_AT] !== INSTANT)
    return false;
  if (!isId(slots, ID) || !isText(slots, DIRECTION) || !isText(slots, KIND) || !isText(slots, CURRENCY)) return false;
  if (!isNothing(slots, REFERENCE) && !isId(slots, REFERENCE)) return false;
  return isNothing(slots, DESCRIPTION) || isText(slots, DESCRIPTION);
}

function buildEntry(span: ByteSpan, slots: Slots, texts: TextCache): LedgerEntry | null {
  if (!isReadableEntry(slots)) return null;
  const { numbers } = slots;
  return {
    id: ownTextAt(span, slots, ID),
    sequence: numbers[SEQUENCE]!,
    direction: textAt(span, slots, DIRECTION, texts),
    kind: textAt(span, slots, KIND, texts),
    amount: numbers[AMOUNT]!,
    currency: textAt(span, slots, CURRENCY, texts),
    balanceAfter: numbers[BALANCE_AFTER]!,
    reservedAfter: numbers[RESERVED_AFTER]!,
    operationReference: isNothing(slots, REFERENCE) ? null : textAt(span, slots, REFERENCE, texts),
    description: isNothing(slots, DESCRIPTION) ? null : textAt(span, slots, DESCRIPTION, texts),
    createdAt: numbers[CREATED_AT]!,
  };
}
