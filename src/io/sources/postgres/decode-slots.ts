// Decodes rows of the operator's tables the exact way: it reads every field as it is, and the
// strict decoder of all sources judges the row. It is used for rows that the fast way refuses, and
// for tables with one row for each merchant.

import { isUtf8 } from 'node:buffer';
import type { CopySlots } from '../../../core/bytes/copy-binary/copy-rows.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import { type Decoded, readJsonNumber } from '../../../core/domain/rows/decode-object.ts';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { rejectRow } from '../decode/decode-row.ts';
import type { TableColumn, TableOfPart, TablePart } from './postgres-settings.ts';

/** Decodes the row whose first field is in slot `first`. */
export type DecodeSlots<Row> = (slots: CopySlots, first: number) => Decoded<Row>;

/**
 * Makes the row whose first field is in slot `first` the fast way; `null` when the exact way must
 * decode it.
 */
export type MakePlainly<Row> = (slots: CopySlots, first: number) => Row | null;

type Values = Readonly<Record<string, unknown>>;

const BOOK_PARTS: Readonly<Record<TablePart, BookPart>> = {
  merchants: 'merchant',
  wallets: 'wallet',
  entries: 'ledger',
  operations: 'operations',
};

export function createDecoder<Row>(
  table: TableOfPart,
  ways: {
    readonly decode: (value: unknown) => Decoded<Row>;
    readonly plain: MakePlainly<Row> | null;
  },
): DecodeSlots<Row> {
  return (slots, first) => {
    const row = ways.plain?.(slots, first) ?? null;
    if (row !== null) return { ok: true, value: row };
    const bad = table.columns.find(
      ({ form, field }, index) =>
        form === 'text' && field.form !== 'remark' && isBadText(slots, first + index),
    );
    if (bad !== undefined) {
      const field = bad.field.name;
      return {
        ok: false,
        reason: `${field} is not valid UTF-8`,
        refusal: { code: 'FIELD_NOT_UTF8', field },
      };
    }
    return ways.decode(documentOf(table, slots, first));
  };
}

/** Returns the refusal of the row whose first field is in slot 0. */
export function refuseSlots(
  table: TableOfPart,
  refusal: { readonly slots: CopySlots; readonly place: string; readonly refused: Refused },
): RejectedRow {
  const { slots, place, refused } = refusal;
  const shown = table.columns.map(
    (column, index) => `${JSON.stringify(column.field.name)}:${showValue(slots, index, column)}`,
  );
  return rejectRow({
    part: BOOK_PARTS[table.part],
    place,
    refused,
    raw: `{${shown.join(',')}}`,
    value: documentOf(table, slots, 0),
  });
}

/**
 * Returns the row as a JSON object of the service's document, with its names and nesting, as the
 * strict decoder expects it.
 */
function documentOf(table: TableOfPart, slots: CopySlots, first: number): Values {
  const values = valuesOf(table, slots, first);
  const document: Record<string, unknown> = { ...values };
  for (const { field } of table.columns) {
    const [object, name] = field.path;
    if (object === undefined || name === undefined) continue;
    const known = document[object] as Values | undefined;
    const isAbsent = field.isOptional && values[field.name] === null;
    // A remark alone must not make an inner object, which would then lack its required fields.
    const isAlone = field.form === 'remark' && known == null && hasNeeded(table, object);
    document[object] =
      isAbsent || isAlone ? (known ?? null) : { ...known, [name]: values[field.name] };
  }
  return document;
}

function hasNeeded({ columns }: TableOfPart, object: string): boolean {
  return columns.some(
    ({ field }) => field.form !== 'remark' && field.path.length > 1 && field.path[0] === object,
  );
}

function valuesOf(table: TableOfPart, slots: CopySlots, first: number): Values {
  return Object.fromEntries(
    table.columns.map((column, index) => [
      column.field.name,
      readValue(slots, first + index, column),
    ]),
  );
}

/** Names the row in slot 0 by a field that does not change between readings. */
export function nameSlots(table: TableOfPart, slots: CopySlots): string {
  const values = valuesOf(table, slots, 0);
  const named = (['sequence', 'reference', 'id', 'walletId', 'createdAt'] as const).find((name) => {
    const value = values[name];
    return (
      typeof value === 'number' ||
      typeof value === 'bigint' ||
      (typeof value === 'string' && value !== '')
    );
  });
  return named === undefined
    ? `${table.label}, a row without a name`
    : `${table.label} ${named} ${values[named]}`;
}

// Reads values of COPY's binary format, whatever the column holds, for the strict decoder to judge.
// Values in the plainest form are read faster by `enter-copied.ts`.

/** 2000-01-01T00:00:00Z, PostgreSQL's epoch, in milliseconds. */
const EPOCH = 946_684_800_000;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the value of any field as the strict decoder expects it; a bigint when a number could not
 * hold it.
 */
function readValue(slots: CopySlots, index: number, column: TableColumn): unknown {
  const length = slots.lengths[index]!;
  if (length < 0) return null;
  const start = slots.starts[index]!;
  if (column.form === 'int8') return asNumber(slots.bytes.readBigInt64BE(start));
  if (column.form === 'microseconds') return instantText(slots.bytes.readBigInt64BE(start));
  const text = slots.bytes.toString('utf8', start, start + length);
  if (column.form === 'digits') return JSON_NUMBER.test(text) ? readJsonNumber(text) : text;
  if (column.field.form === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  if (column.field.form === 'texts') return listOf(text);
  return text;
}

/** Returns the field's content as people read it in the raw row of a refusal. */
function showValue(slots: CopySlots, index: number, column: TableColumn): string {
  const value = readValue(slots, index, column);
  if (typeof value === 'bigint') return value.toString();
  if (column.form === 'digits' && slots.lengths[index]! >= 0) {
    return slots.bytes.toString(
      'utf8',
      slots.starts[index]!,
      slots.starts[index]! + slots.lengths[index]!,
    );
  }
  return JSON.stringify(value);
}

/** True when a text is not UTF-8: a database in SQL_ASCII may hold any bytes. */
function isBadText(slots: CopySlots, index: number): boolean {
  const start = slots.starts[index]!;
  const length = slots.lengths[index]!;
  return length > 0 && !isUtf8(slots.bytes.subarray(start, start + length));
}

function asNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function instantText(microseconds: bigint): string {
  const instant = Number(microseconds / 1_000n) + EPOCH - (microseconds % 1_000n < 0n ? 1 : 0);
  const isTellable = Number.isSafeInteger(instant) && Math.abs(instant) <= 8.64e15;
  if (isTellable) return new Date(instant).toISOString();
  return microseconds > 0n ? 'infinity' : '-infinity';
}

function listOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
