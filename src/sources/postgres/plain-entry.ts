// Builds a ledger line straight from the bytes of a plain row: what the decoder would build, several times faster. It
// refuses nothing; it gives null wherever the decoder has to look.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../../rows/take-fields.ts';
import type { RowSlots } from './row-slots.ts';
import { columnFor, type TableOfPart } from './table-of-part.ts';
import { isNull, readInstant, readInteger, readText } from './wire-values.ts';

// The order of PART_FIELDS.entries.
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

export function createPlainEntry(table: TableOfPart): (slots: RowSlots, first: number) => LedgerEntry | null {
  const form = (field: string) => columnFor(table, field).form;
  const sequenceForm = form('sequence');
  const amountForm = form('amount');
  const balanceForm = form('balanceAfter');
  const reservedForm = form('reservedAfter');
  const createdForm = form('createdAt');
  return (slots, first) => {
    const sequence = readInteger(slots, first + SEQUENCE, sequenceForm);
    const amount = readInteger(slots, first + AMOUNT, amountForm);
    const balanceAfter = readInteger(slots, first + BALANCE_AFTER, balanceForm);
    const reservedAfter = readInteger(slots, first + RESERVED_AFTER, reservedForm);
    const createdAt = readInstant(slots, first + CREATED_AT, createdForm);
    // One NaN makes the sum NaN; the sum itself means nothing.
    if (Number.isNaN(sequence + amount + balanceAfter + reservedAfter + createdAt)) return null;
    const id = readText(slots, first + ID, LONGEST_ID);
    const direction = readText(slots, first + DIRECTION, LONGEST_TEXT);
    const kind = readText(slots, first + KIND, LONGEST_TEXT);
    const currency = readText(slots, first + CURRENCY, LONGEST_TEXT);
    if (id === null || direction === null || kind === null || currency === null) return null;
    const operationReference = readText(slots, first + REFERENCE, LONGEST_ID);
    if (operationReference === null && !isNull(slots, first + REFERENCE)) return null;
    const description = readText(slots, first + DESCRIPTION, LONGEST_TEXT);
    if (description === null && !isNull(slots, first + DESCRIPTION)) return null;
    return {
      id,
      sequence,
      direction,
      kind,
      amount,
      currency,
      balanceAfter,
      reservedAfter,
      operationReference,
      description,
      createdAt,
    };
  };
}
