// The fields of a ledger line (direct API, "LedgerEntry"), and everything derived from them. A
// kind, direction or currency outside the document is read, and so is an amount that is not
// positive: each is a finding.

import { CURRENCIES } from '../amount.ts';
import { DIRECTIONS, ENTRY_KINDS, type LedgerEntry } from '../ledger-entry.ts';
import type { Looks } from './batch-view.ts';
import { createDecoder } from './decode-object.ts';
import { type FieldsOf, hashed, id, instant, integer, optional, text, word } from './field.ts';
import { createCopy, createCursorType } from './row-cursor.ts';
import { createEquality, createRowTable } from './row-table.ts';

export const ENTRY_FIELDS: FieldsOf<LedgerEntry> = {
  id: { ...hashed(id()), column: 'entry_id' },
  sequence: integer(),
  direction: word(DIRECTIONS),
  kind: word(ENTRY_KINDS),
  amount: integer(),
  currency: word(CURRENCIES),
  balanceAfter: integer(),
  reservedAfter: integer(),
  operationReference: hashed(optional(id())),
  description: optional(text()),
  createdAt: instant(),
};

export const ENTRY_TABLE = createRowTable(ENTRY_FIELDS);

export const decodeEntry = createDecoder(ENTRY_TABLE);

/**
 * True when two deliveries of a line say the same. A repeated delivery is lawful; other content
 * under the same sequence is a finding.
 */
export const sameEntry = createEquality(ENTRY_TABLE);

export const createEntryCursor = createCursorType(ENTRY_TABLE);

export const copyEntry = createCopy(ENTRY_TABLE);

export const ENTRY_LOOKS: Looks<LedgerEntry, LedgerEntry> = {
  createCursor: createEntryCursor,
  seen: (entry) => entry,
  copy: copyEntry,
  hashed: ['id'],
};
