// The strict decoder: takes the fields of a row out of a parsed JSON object, or says in one clause
// which field cannot be read exactly. Every faster way to read the same row must agree with it.
// Coerces nothing; ignores unknown fields.

import { type Instant, parseInstant } from '../instant.ts';
import { assertNever } from '../invariant.ts';
import type { Refused } from '../refusal.ts';
import type { Form, NamedField } from './field.ts';

/**
 * The fields of a row, as a `RowTable` has them. `row` is never set: it only binds the list to the
 * type of its rows for the compiler.
 */
interface FieldList<Row> {
  readonly row?: Row;
  readonly fields: readonly NamedField[];
}

/** Makes a decoder. Of several faults in a row, it names the first in the order of the fields. */
export function createDecoder<Row>({ fields }: FieldList<Row>): (value: unknown) => Decoded<Row> {
  return (value) => {
    const given = fieldsOf(value);
    const row: Record<string, unknown> = {};
    for (const field of fields) row[field.name] = takeField(given, field.path, field);
    return decodedFrom(given, row as Row);
  };
}

function takeField(given: Fields, path: readonly string[], field: NamedField): unknown {
  const { form, words } = field;
  if (form === 'remark') return takeRemark(given, path);
  const [name, ...inside] = path;
  const mayBeAbsent = field.isOptional && (path === field.path || !field.isRequiredInside);
  if (mayBeAbsent && isNothing(own(given.row, name!))) return null;
  if (inside.length === 0) return takeValue(given, name!, { form, words });
  return takeObject(given, name!, (inner) => takeField(inner, inside, field));
}

type JudgedField = Pick<NamedField, 'words'> & { readonly form: Exclude<Form, 'remark'> };

function takeValue(given: Fields, name: string, { form, words }: JudgedField): unknown {
  switch (form) {
    case 'id':
      return takeId(given, name);
    case 'text':
    case 'word':
      return takeText(given, name);
    case 'one-of':
      return takeOneOf(given, name, words);
    case 'integer':
      return takeInteger(given, name);
    case 'instant':
      return takeInstant(given, name);
    case 'flag':
      return takeFlag(given, name);
    case 'texts':
      return takeTexts(given, name);
    default:
      return assertNever(form);
  }
}

// The result of a decoder: the value in the domain's words, or one clause that says why the row
// cannot be read exactly.

export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | ({ readonly ok: false } & Refused);

// Functions that take typed fields out of a decoded JSON object, and put the first fault into
// words. They coerce nothing: text is not a number, a fraction is not a whole number, and a date
// without a zone is not an instant.

/**
 * The row that is being decoded. `fault` is the first fault found; once it is set, the values taken
 * out are placeholders and must not be used.
 */
export interface Fields {
  readonly row: Readonly<Record<string, unknown>>;
  /** What precedes a field's name in a reason: `pricing.` for the fields inside `pricing`. */
  readonly prefix: string;
  fault: Refused | null;
}

export const LONGEST_ID = 200;
export const LONGEST_TEXT = 10_000;
const LONGEST_SHOWN = 80;
const NUL = '\u0000';

export function fieldsOf(value: unknown): Fields {
  const isObject =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    inexactTextOf(value) === null;
  if (isObject) return { row: value as Record<string, unknown>, prefix: '', fault: null };
  const found = foundIn(value);
  const reason = `the row is ${nounOf(found)}, not an object`;
  return { row: {}, prefix: '', fault: { reason, refusal: { code: 'ROW_OTHER', found } } };
}

/** Returns the value built from `fields`, or the fault when one of them had a fault. */
export function decodedFrom<T>(fields: Fields, value: T): Decoded<T> {
  return fields.fault === null ? { ok: true, value } : { ok: false, ...fields.fault };
}

/**
 * Makes a decoder from `take`, which takes the fields out of the row. The first faulty field
 * refuses the row.
 */
export function decoderOf<Row>(take: (fields: Fields) => Row): (value: unknown) => Decoded<Row> {
  return (value) => {
    const fields = fieldsOf(value);
    return decodedFrom(fields, take(fields));
  };
}

/**
 * Takes an exact safe integer. A bigint is accepted too, for sources that read int8 columns; −0
 * becomes 0.
 */
export function takeInteger(fields: Fields, name: string): number {
  const value = own(fields.row, name);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0;
  if (typeof value === 'bigint') {
    const integer = Number(value);
    if (Number.isSafeInteger(integer) && BigInt(integer) === value) return integer;
  }
  return refuse(fields, name, isWhole(value) ? 'safe_integer' : 'integer', 0);
}

/** Takes a safe integer that is not below zero. */
export function takeNatural(fields: Fields, name: string): number {
  const value = takeInteger(fields, name);
  return value < 0 ? refuse(fields, name, 'natural', 0) : value;
}

/**
 * Takes a text of at most 10,000 characters. U+0000 is refused, because PostgreSQL cannot store it,
 * so that no mirror could hold the row.
 */
export function takeText(fields: Fields, name: string): string {
  const value = own(fields.row, name);
  if (typeof value !== 'string') return refuse(fields, name, 'text', '');
  if (value.length > LONGEST_TEXT) return failLong(fields, name, value.length, LONGEST_TEXT);
  if (value.includes(NUL)) return refuse(fields, name, 'text_without_nul', '');
  return value;
}

export function takeOptionalText(fields: Fields, name: string): string | null {
  return isNothing(own(fields.row, name)) ? null : takeText(fields, name);
}

/** Takes an identifier of any form, 1 to 200 characters. */
export function takeId(fields: Fields, name: string): string {
  const value = takeText(fields, name);
  if (value === '') return refuse(fields, name, 'id', '');
  return value.length > LONGEST_ID ? failLong(fields, name, value.length, LONGEST_ID) : value;
}

export function takeInstant(fields: Fields, name: string): Instant {
  const value = own(fields.row, name);
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  return instant ?? refuse(fields, name, 'instant', 0);
}

export function takeOptionalInstant(fields: Fields, name: string): Instant | null {
  return isNothing(own(fields.row, name)) ? null : takeInstant(fields, name);
}

export function takeOneOf<T extends string>(
  fields: Fields,
  name: string,
  allowed: readonly T[],
): T {
  const value = own(fields.row, name);
  const found = allowed.find((text) => text === value);
  return found ?? refuse(fields, name, ['one_of', allowed.join(', ')], allowed[0]!);
}

/** Takes true or false; false when the field is absent or null. */
export function takeFlag(fields: Fields, name: string): boolean {
  const value = own(fields.row, name);
  if (isNothing(value)) return false;
  return typeof value === 'boolean' ? value : refuse(fields, name, 'flag', false);
}

/**
 * Takes the text at `path`, and values of other types as JSON text. `null`, and never a fault,
 * where the path leads nowhere, or the text is too long or contains U+0000.
 */
export function takeRemark(fields: Fields, path: readonly string[]): string | null {
  const value = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? own(at as Fields['row'], name) : null),
    fields.row,
  );
  if (isNothing(value)) return null;
  const text = typeof value === 'string' ? value : jsonOf(value);
  return text.length > LONGEST_TEXT || text.includes(NUL) ? null : text;
}

/** `JSON.rawJSON`, which TypeScript does not declare yet. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/**
 * Returns the value as JSON. Numbers that no double holds are written as they were in the source.
 */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const inexact = typeof inner === 'bigint' ? String(inner) : inexactTextOf(inner);
    return inexact === null ? inner : (JSON as RawJson).rawJSON(inexact);
  });
}

function takeTexts(fields: Fields, name: string): readonly string[] {
  const value = own(fields.row, name);
  if (!Array.isArray(value)) return refuse(fields, name, 'texts', []);
  const inner: Fields = {
    row: { ...value },
    prefix: `${fields.prefix}${name}.`,
    fault: fields.fault,
  };
  const texts = value.map((_, index) => takeText(inner, String(index)));
  fields.fault = inner.fault;
  return texts;
}

/** Takes the fields that `take` wants out of the object `name`. */
export function takeObject<T>(fields: Fields, name: string, take: (inner: Fields) => T): T {
  const value = own(fields.row, name);
  const inner = fieldsOf(value);
  if (inner.fault !== null) refuse(fields, name, 'object', null);
  const nested: Fields = {
    row: inner.row,
    prefix: `${fields.prefix}${name}.`,
    fault: fields.fault,
  };
  const taken = take(nested);
  fields.fault = nested.fault;
  return taken;
}

export function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Returns the row's own field: an inherited one, such as `constructor`, is not a field. */
export function own(row: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

/** What a field is expected to be, in words. Two of them are followed by what is allowed. */
const WANTED = {
  integer: 'a whole number',
  safe_integer: 'a safe integer (up to 2^53 − 1)',
  natural: 'a whole number from 0',
  text: 'text',
  text_without_nul: 'text without U+0000',
  id: 'an identifier',
  instant: 'a date-time with a zone',
  one_of: 'one of',
  flag: 'true or false',
  texts: 'a list of texts',
  object: 'an object',
  month: 'a month like 2026-10',
  in_month: 'within a day of the bounds of',
  payment_reference: 'the reference of a payment (PAY…)',
  decimal: 'a decimal number',
  time_of_day: 'a time of day like 06:00',
  day: 'a day like 2026-10-31',
} as const;

type Wanted = keyof typeof WANTED | readonly ['one_of' | 'in_month', string];

/**
 * Records the fault that field `name` is not what is `wanted`, unless an earlier fault is recorded.
 * Returns `placeholder`.
 */
export function refuse<T>(fields: Fields, name: string, wanted: Wanted, placeholder: T): T {
  const value = own(fields.row, name);
  const field = `${fields.prefix}${name}`;
  if (value === undefined) {
    fields.fault ??= { reason: `${field} is missing`, refusal: { code: 'FIELD_MISSING', field } };
    return placeholder;
  }
  const found = foundIn(value);
  const [sort, of] = typeof wanted === 'string' ? [wanted, null] : wanted;
  const reason = `${field} is ${nounOf(found)}, not ${WANTED[sort]}${of === null ? '' : ` ${of}`}`;
  fields.fault ??= { reason, refusal: { code: 'FIELD_OTHER', field, found, wanted: sort, of } };
  return placeholder;
}

function failLong(fields: Fields, name: string, length: number, longest: number): string {
  const field = `${fields.prefix}${name}`;
  fields.fault ??= {
    reason: `${field} is ${length} characters long, more than ${longest}`,
    refusal: { code: 'FIELD_TOO_LONG', field, length, longest },
  };
  return '';
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value === 'number') return Number.isInteger(value);
  return /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/.test(inexactTextOf(value) ?? '');
}

/**
 * Describes a value for a reason: `12.5`, `"abc"`, `list`, `object`. Short, and free of control
 * characters that could upset a terminal.
 */
function foundIn(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  const text = inexactTextOf(value) ?? (typeof value === 'string' ? JSON.stringify(value) : null);
  if (text === null) return typeof value === 'object' && value !== null ? 'object' : String(value);
  const cut =
    text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
  return cut.replace(/[\u007f-\u009f]/g, '\ufffd');
}

function nounOf(found: string): string {
  if (found === 'list') return 'a list';
  return found === 'object' ? 'an object' : found;
}

// Reads JSON numbers without ever rounding them. A number that a double cannot hold exactly keeps
// its text, so that a caller that asked for a whole number can quote it in the refusal, and a
// caller that ignores the field loses nothing.

const INEXACT = Symbol('inexact number');

/**
 * A number that no double holds exactly, as its text. No JSON text can imitate it, because the key
 * is a symbol.
 */
export interface InexactNumber {
  readonly [INEXACT]: string;
}

/**
 * The most significant digits with which every decimal has a double of its own, so that reading it
 * loses nothing.
 */
const EXACT_DIGITS = 15;
const SMALLEST_EXPONENT = -300;

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns the text of an inexact number as it was written, or `null` for any other value. */
export function inexactTextOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && INEXACT in value
    ? (value as InexactNumber)[INEXACT]
    : null;
}

/**
 * Reads `text`, which must be a valid JSON number. JSON has one kind of number, so 1000, 1000.0 and
 * 1e3 are read as the same whole number; −0 is 0. A whole number past 2^53 − 1, or a fraction of
 * more than 15 digits, stays inexact.
 */
export function readJsonNumber(text: string): number | InexactNumber {
  const parts = PARTS.exec(text)!;
  const fraction = parts[3] ?? '';
  if (fraction === '' && parts[4] === undefined && text.length <= EXACT_DIGITS)
    return Number(text) + 0;
  const { digits, dropped } = trimZeros(parts[2]! + fraction);
  if (digits === '') return 0;
  const exponent = Number(parts[4] ?? 0) - fraction.length + dropped;
  if (exponent < 0) {
    const exact = digits.length <= EXACT_DIGITS && exponent > SMALLEST_EXPONENT;
    return exact ? Number(text) : { [INEXACT]: text };
  }
  if (digits.length + exponent > EXACT_DIGITS + 1) return { [INEXACT]: text };
  const whole = Number(`${parts[1]}${digits}${'0'.repeat(exponent)}`);
  return Number.isSafeInteger(whole) ? whole : { [INEXACT]: text };
}

/**
 * Removes the zeros at both ends; `dropped` counts those removed at the right. Written as loops,
 * because a regular expression could take quadratic time.
 */
function trimZeros(digits: string): { readonly digits: string; readonly dropped: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === 48) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === 48) end -= 1;
  return { digits: digits.slice(start, end), dropped: digits.length - end };
}
