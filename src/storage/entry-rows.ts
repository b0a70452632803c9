// Ledger lines as rows of `entries`, in both directions. The one place that knows which column is which field.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { ByteSpan } from '../packed/byte-span.ts';
import { hashPacked, type Packer } from '../packed/pack.ts';
import { ENTRY_FORM, ENTRY_NUMBER, ENTRY_WORD } from '../packed/packed-entry.ts';
import type { DecodeRow } from './copy-out.ts';
import { type Cursor, phraseReader, readInteger, readText, repeatReader, textField } from './copy-text.ts';
import { packColumn, readBigint, shareColumn } from './pack-columns.ts';

/** A line on its way into the mirror. */
export interface EntryRow {
  readonly entry: LedgerEntry;
  readonly variant: number;
}

/** Columns in the order in which `entryDecoder` reads them, without the description. */
const READ = `sequence, amount, balance_after, reserved_after, created_at, kind, direction, currency, entry_id,
  operation_reference`;

export const WHOLE_ENTRY = `${READ}, description`;

/**
 * As `WHOLE_ENTRY`, with the description of adjustments only: it explains an adjustment (ADJUSTMENT_UNEXPLAINED) and
 * says nothing about any other kind. Fit for a ledger without duplicated sequences, where no line is compared by content.
 */
export const AUDITED_ENTRY = `${READ},
  case when kind in ('ADJUSTMENT_CREDIT', 'ADJUSTMENT_DEBIT') then description end`;

/** Reads rows of `WHOLE_ENTRY` or `AUDITED_ENTRY`. Keeps words between rows: one decoder for each stream. */
export function entryDecoder(): DecodeRow<LedgerEntry> {
  const cursor: Cursor = { at: 0 };
  const readNature = phraseReader(3, [0, 5, 8, 11]);
  const readReference = repeatReader();
  return (buffer, start, end) => {
    cursor.at = start;
    const sequence = readInteger(buffer, cursor);
    const amount = readInteger(buffer, cursor);
    const balanceAfter = readInteger(buffer, cursor);
    const reservedAfter = readInteger(buffer, cursor);
    const createdAt = readInteger(buffer, cursor);
    const nature = readNature(buffer, cursor, end);
    const id = readText(buffer, cursor, end)!;
    const operationReference = readReference(buffer, cursor, end);
    const description = readText(buffer, cursor, end);
    return {
      id,
      sequence,
      direction: nature[1]!,
      kind: nature[0]!,
      amount,
      currency: nature[2]!,
      balanceAfter,
      reservedAfter,
      operationReference,
      description,
      createdAt,
    };
  };
}

/** Packs a row of `WHOLE_ENTRY` or `AUDITED_ENTRY` in the binary format, whose columns begin at `start`. */
export function packEntryRow(packer: Packer, span: ByteSpan, start: number): void {
  const { words, numbers } = packer.slab;
  const word = packer.rows * ENTRY_FORM.words;
  const number = packer.rows * ENTRY_FORM.numbers;
  const cursor: Cursor = { at: start };
  numbers[number + ENTRY_NUMBER.sequence] = readBigint(span, cursor);
  numbers[number + ENTRY_NUMBER.amount] = readBigint(span, cursor);
  numbers[number + ENTRY_NUMBER.balanceAfter] = readBigint(span, cursor);
  numbers[number + ENTRY_NUMBER.reservedAfter] = readBigint(span, cursor);
  numbers[number + ENTRY_NUMBER.createdAt] = readBigint(span, cursor);
  words[word + ENTRY_WORD.kind] = shareColumn(packer, span, cursor);
  words[word + ENTRY_WORD.direction] = shareColumn(packer, span, cursor);
  words[word + ENTRY_WORD.currency] = shareColumn(packer, span, cursor);
  const id = packColumn(packer, span, cursor);
  words[word + ENTRY_WORD.id] = id;
  numbers[number + ENTRY_NUMBER.idHash] = hashPacked(packer, id);
  words[word + ENTRY_WORD.operationReference] = shareColumn(packer, span, cursor);
  words[word + ENTRY_WORD.description] = shareColumn(packer, span, cursor);
  packer.rows += 1;
}

/** A line from a row of `WHOLE_ENTRY` as a query with parameters gives it. */
export function entryOf(record: Readonly<Record<string, unknown>>): LedgerEntry {
  const field = <T>(column: string) => record[column] as T;
  return {
    id: field('entry_id'),
    sequence: field('sequence'),
    direction: field('direction'),
    kind: field('kind'),
    amount: field('amount'),
    currency: field('currency'),
    balanceAfter: field('balance_after'),
    reservedAfter: field('reserved_after'),
    operationReference: field('operation_reference'),
    description: field('description'),
    createdAt: field('created_at'),
  };
}

/** Where and how lines are copied in, for one page of one merchant. */
export function entryTarget(page: { readonly merchantId: number; readonly intake: number }) {
  const key = `${page.merchantId}\t${page.intake}`;
  const columns = `merchant_id, intake, sequence, variant, amount, balance_after, reserved_after, created_at, direction,
    kind, currency, entry_id, operation_reference, description`;
  const line = ({ entry, variant }: EntryRow): string =>
    [
      key,
      entry.sequence,
      variant,
      entry.amount,
      entry.balanceAfter,
      entry.reservedAfter,
      entry.createdAt,
      textField(entry.direction),
      textField(entry.kind),
      textField(entry.currency),
      textField(entry.id),
      textField(entry.operationReference),
      textField(entry.description),
    ].join('\t');
  return { table: 'entries', columns, line };
}
