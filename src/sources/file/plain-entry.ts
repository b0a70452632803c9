// Builds a ledger line from the plain values of its line. Where a value is not of the plainest form, the strict decoder
// has the word; what is built here is what it would have built.

import { CURRENCIES } from '../../domain/currency.ts';
import { DIRECTIONS, ENTRY_KINDS, type LedgerEntry } from '../../domain/ledger-entry.ts';
import { type ByteSpan, INTEGER, type Slots } from './plain-line.ts';
import { instantAt, isId, isNothing, isText, ownTextAt, textAt } from './plain-values.ts';
import { createTextCache, type TextCache } from './text-cache.ts';

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
  const texts = createTextCache([...ENTRY_KINDS, ...DIRECTIONS, ...CURRENCIES]);
  return (span, slots) => buildEntry(span, slots, texts);
}

function buildEntry(span: ByteSpan, slots: Slots, texts: TextCache): LedgerEntry | null {
  const { kinds, numbers, base } = slots;
  if (kinds[base + SEQUENCE] !== INTEGER || kinds[base + AMOUNT] !== INTEGER) return null;
  if (kinds[base + BALANCE_AFTER] !== INTEGER || kinds[base + RESERVED_AFTER] !== INTEGER) return null;
  const createdAt = instantAt(slots, CREATED_AT);
  if (Number.isNaN(createdAt)) return null;
  if (!isId(slots, ID) || !isText(slots, DIRECTION) || !isText(slots, KIND) || !isText(slots, CURRENCY)) return null;
  if (!isNothing(slots, REFERENCE) && !isId(slots, REFERENCE)) return null;
  if (!isNothing(slots, DESCRIPTION) && !isText(slots, DESCRIPTION)) return null;
  return {
    id: ownTextAt(span, slots, ID),
    sequence: numbers[base + SEQUENCE]!,
    direction: textAt(span, slots, DIRECTION, texts),
    kind: textAt(span, slots, KIND, texts),
    amount: numbers[base + AMOUNT]!,
    currency: textAt(span, slots, CURRENCY, texts),
    balanceAfter: numbers[base + BALANCE_AFTER]!,
    reservedAfter: numbers[base + RESERVED_AFTER]!,
    operationReference: isNothing(slots, REFERENCE) ? null : textAt(span, slots, REFERENCE, texts),
    description: isNothing(slots, DESCRIPTION) ? null : textAt(span, slots, DESCRIPTION, texts),
    createdAt,
  };
}
