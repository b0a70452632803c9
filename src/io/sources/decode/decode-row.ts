// Makes the record of a row that could not be read: what it was and where, why it was refused, and
// its sequence or reference when that one field is certain. Guesses nothing: a field that is given
// twice, nested or cut off is not used.

import type { Refused } from '../../../core/domain/refusal.ts';
import { type Decoded, LONGEST_ID, own } from '../../../core/domain/rows/decode-object.ts';
import type { Batch, BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { isArray, itemsOf, wholeValue } from './json-spans.ts';
import { parseStrictJson } from './strict-json.ts';

export interface Unread {
  readonly part: BookPart;
  /** The same in every reading: `ledger.jsonl:17`. */
  readonly place: string;
  readonly refused: Refused;
  /** The row as it was found; bytes that are not UTF-8 are shown as U+FFFD. */
  readonly raw: string | Uint8Array;
  /** The parsed row, when its text was sound JSON and only fields were at fault. */
  readonly value?: unknown;
}

const LONGEST_RAW = 2_000;

const DECODER = new TextDecoder('utf-8');
const INTEGER = /\s*(-?(?:0|[1-9][0-9]{0,14}))\s*[,}]/y;
const PLAIN_TEXT = new RegExp(
  `\\s*"([^"\\\\\\u0000-\\u001f\\ufffd]{1,${LONGEST_ID}})"\\s*[,}]`,
  'y',
);

/**
 * The field that ties a row of each part to an operation or a merchant; `null` when there is none.
 * The reference of an event is inside `data`, and is not used.
 */
const REFERENCE_FIELD: Readonly<Record<BookPart, string | null>> = {
  merchant: 'reference',
  wallet: null,
  ledger: 'operationReference',
  operations: 'reference',
  reports: null,
  payments: 'reference',
  payouts: null,
  events: null,
};

export function rejectRow({ part, place, refused, raw, value }: Unread): RejectedRow {
  const text = typeof raw === 'string' ? raw : DECODER.decode(raw);
  const referenceField = REFERENCE_FIELD[part];
  const isParsed = typeof value === 'object' && value !== null && !Array.isArray(value);
  const row = isParsed ? (value as Readonly<Record<string, unknown>>) : null;
  const sequenceOf = () =>
    row === null ? integerFromText(text, 'sequence') : own(row, 'sequence');
  const referenceOf = (name: string) =>
    row === null ? salvageFromText(text, name, PLAIN_TEXT) : own(row, name);
  return {
    part,
    place,
    reason: refused.reason,
    refusal: refused.refusal,
    sequence: part === 'ledger' ? asInteger(sequenceOf()) : null,
    reference: referenceField === null ? null : asId(referenceOf(referenceField)),
    raw: text.slice(0, LONGEST_RAW).toWellFormed().replaceAll('\u0000', '\ufffd'),
  };
}

/** Refuses a row that belongs to the merchant `found`, among the rows of the merchant `due`. */
export function refuseOther(found: string, due: string): Refused {
  const said = { found: JSON.stringify(found), due: JSON.stringify(due) };
  return {
    reason: `merchantReference is ${said.found}, not ${said.due}`,
    refusal: { code: 'OTHER_MERCHANT', ...said },
  };
}

function asInteger(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value + 0 : null;
}

function integerFromText(text: string, name: string): number | null {
  const digits = salvageFromText(text, name, INTEGER);
  return digits === null ? null : Number(digits);
}

function asId(value: unknown): string | null {
  const isId =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= LONGEST_ID &&
    !value.includes('\u0000');
  return isId && value.isWellFormed() ? value : null;
}

/**
 * Returns the text of the field `name` of the outermost object, when it occurs exactly once and in
 * its plainest form; else `null`.
 */
function salvageFromText(text: string, name: string, form: RegExp): string | null {
  let depth = 0;
  let found: string | null = null;
  let times = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === '"') {
      const end = endOfString(text, at);
      if (end < 0) break;
      const isKey =
        depth === 1 &&
        text.slice(at + 1, end) === name &&
        /^\s*:/.test(text.slice(end + 1, end + 20));
      if (isKey) {
        times += 1;
        form.lastIndex = text.indexOf(':', end) + 1;
        found = form.exec(text)?.[1] ?? null;
      }
      at = end;
    }
  }
  return times === 1 ? found : null;
}

/** Returns the offset of the quote that closes the string opened at `start`, or −1. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '"') return at;
  }
  return -1;
}

// Reads the bytes of one row: returns the row in the domain's words, or the record of its refusal
// with its bytes.

export interface RowForm<Row> {
  readonly part: BookPart;
  /** The same in every reading: `GET /ledger offset 200`. */
  readonly place: string;
  readonly decode: (value: unknown) => Decoded<Row>;
}

export type DecodedRow<Row> =
  | { readonly row: Row; readonly refused: null }
  | { readonly row: null; readonly refused: RejectedRow };

export function decodeRow<Row>(
  raw: Uint8Array,
  { part, place, decode }: RowForm<Row>,
): DecodedRow<Row> {
  const parsed = parseStrictJson(raw);
  const decoded = parsed.ok ? decode(parsed.value) : parsed;
  if (decoded.ok) return { row: decoded.value as Row, refused: null };
  const value = parsed.ok ? { value: parsed.value } : {};
  return { row: null, refused: rejectRow({ part, place, refused: decoded, raw, ...value }) };
}

// Decodes the items of a JSON list one by one, so that a bad item is refused with its own bytes and
// its neighbours are read.

type Items =
  | { readonly ok: true; readonly items: readonly Uint8Array[] }
  /** `isCut` is true when the text broke off, so that requesting it again may help. */
  | ({ readonly ok: false; readonly isCut: boolean } & Refused);

/** Splits a text that is one bare list into its items; refuses any other text. */
export function splitItems(bytes: Uint8Array): Items {
  const whole = wholeValue(bytes);
  if (whole === null) {
    const reason = 'it is not one whole JSON value';
    return { ok: false, isCut: true, reason, refusal: { code: 'NOT_ONE_VALUE' } };
  }
  if (!isArray(bytes, whole)) {
    return {
      ok: false,
      isCut: false,
      reason: 'it is not a JSON array',
      refusal: { code: 'NOT_A_LIST' },
    };
  }
  const items = itemsOf(bytes, whole);
  if (items === null) {
    return {
      ok: false,
      isCut: true,
      reason: 'its list is not well formed',
      refusal: { code: 'LIST_BROKEN' },
    };
  }
  return { ok: true, items: items.map(({ start, end }) => bytes.subarray(start, end)) };
}

/**
 * Decodes the items in the order of the list. The place of a refused item is `plan.place` and its
 * number.
 */
export function decodeItems<Row>(items: readonly Uint8Array[], plan: RowForm<Row>): Batch<Row> {
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  items.forEach((raw, index) => {
    const { row, refused } = decodeRow(raw, { ...plan, place: `${plan.place} item ${index + 1}` });
    if (refused === null) rows.push(row);
    else rejected.push(refused);
  });
  return { rows, rejected };
}
