// Takes typed fields out of a decoded JSON object, and keeps the first fault in words. Coerces nothing: text is not a
// number, a fraction is not a whole number, and a date without a zone is not an instant.

import { type Instant, parseInstant } from '../domain/instant.ts';
import type { Decoded } from './decoded.ts';
import { inexactTextOf } from './json-number.ts';

/** The row under decoding. `fault` is the first one found; once it is set, the values taken out mean nothing. */
export interface Fields {
  readonly row: Readonly<Record<string, unknown>>;
  /** What stands before a field's name in a reason: `pricing.` inside `pricing`. */
  readonly prefix: string;
  fault: string | null;
}

export const LONGEST_ID = 200;
export const LONGEST_TEXT = 10_000;
const LONGEST_SHOWN = 80;
const NUL = '\u0000';

export function fieldsOf(value: unknown): Fields {
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && inexactTextOf(value) === null;
  if (isObject) return { row: value as Record<string, unknown>, prefix: '', fault: null };
  return { row: {}, prefix: '', fault: `the row ${describe(value)}, not an object` };
}

/** The value built from `fields`, unless one of them was at fault. */
export function decodedFrom<T>(fields: Fields, value: T): Decoded<T> {
  return fields.fault === null ? { ok: true, value } : { ok: false, reason: fields.fault };
}

/** An exact safe integer. A bigint is taken as well, for sources that read int8 columns; -0 is 0. */
export function takeInteger(fields: Fields, name: string): number {
  const value = own(fields.row, name);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value + 0;
  if (typeof value === 'bigint') {
    const integer = Number(value);
    if (Number.isSafeInteger(integer) && BigInt(integer) === value) return integer;
  }
  return refuse(fields, name, isWhole(value) ? 'a safe integer (up to 2^53 − 1)' : 'a whole number', 0);
}

/** A safe integer that is not below zero. */
export function takeNatural(fields: Fields, name: string): number {
  const value = takeInteger(fields, name);
  return value < 0 ? refuse(fields, name, 'a whole number from 0', 0) : value;
}

/** Any text up to 10,000 characters. U+0000 is refused: PostgreSQL cannot keep it, so no mirror could hold the row. */
export function takeText(fields: Fields, name: string): string {
  const value = own(fields.row, name);
  if (typeof value !== 'string') return refuse(fields, name, 'text', '');
  if (value.length > LONGEST_TEXT) return failLong(fields, name, value.length, LONGEST_TEXT);
  if (value.includes(NUL)) return refuse(fields, name, 'text without U+0000', '');
  return value;
}

/** As `takeText`; absent means null. */
export function takeOptionalText(fields: Fields, name: string): string | null {
  return isNothing(own(fields.row, name)) ? null : takeText(fields, name);
}

/** An identifier of any form, 1 to 200 characters. */
export function takeId(fields: Fields, name: string): string {
  const value = takeText(fields, name);
  if (value === '') return refuse(fields, name, 'an identifier', '');
  return value.length > LONGEST_ID ? failLong(fields, name, value.length, LONGEST_ID) : value;
}

export function takeInstant(fields: Fields, name: string): Instant {
  const value = own(fields.row, name);
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  return instant ?? refuse(fields, name, 'a date-time with a zone', 0);
}

/** As `takeInstant`; absent means null. */
export function takeOptionalInstant(fields: Fields, name: string): Instant | null {
  return isNothing(own(fields.row, name)) ? null : takeInstant(fields, name);
}

/** One of a closed list of texts. */
export function takeOneOf<T extends string>(fields: Fields, name: string, allowed: readonly T[]): T {
  const value = own(fields.row, name);
  const found = allowed.find((text) => text === value);
  return found ?? refuse(fields, name, `one of ${allowed.join(', ')}`, allowed[0]!);
}

/** Absent or null means false. */
export function takeFlag(fields: Fields, name: string): boolean {
  const value = own(fields.row, name);
  if (isNothing(value)) return false;
  return typeof value === 'boolean' ? value : refuse(fields, name, 'true or false', false);
}

/** What stands at `path`, or null where it leads nowhere: never a fault. Not kept is what is too long, or has U+0000. */
export function takeRemark(fields: Fields, path: readonly string[]): string | null {
  const value = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? own(at as Fields['row'], name) : null),
    fields.row,
  );
  if (isNothing(value)) return null;
  const text = typeof value === 'string' ? value : jsonOf(value);
  return text.length > LONGEST_TEXT || text.includes(NUL) ? null : text;
}

/** What TypeScript does not know of yet. */
type RawJson = typeof JSON & { rawJSON(text: string): unknown };

/** Numbers that no double holds stand in it as they were written. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    const inexact = typeof inner === 'bigint' ? String(inner) : inexactTextOf(inner);
    return inexact === null ? inner : (JSON as RawJson).rawJSON(inexact);
  });
}

export function takeTexts(fields: Fields, name: string): readonly string[] {
  const value = own(fields.row, name);
  if (!Array.isArray(value)) return refuse(fields, name, 'a list of texts', []);
  const inner: Fields = { row: { ...value }, prefix: `${fields.prefix}${name}.`, fault: fields.fault };
  const texts = value.map((_, index) => takeText(inner, String(index)));
  fields.fault = inner.fault;
  return texts;
}

/** Takes out of the object `name` what `take` wants; absent or null gives null when it is `optional`. */
export function takeObject<T>(fields: Fields, name: string, take: (inner: Fields) => T): T {
  const value = own(fields.row, name);
  const inner = fieldsOf(value);
  if (inner.fault !== null) refuse(fields, name, 'an object', null);
  const nested: Fields = { row: inner.row, prefix: `${fields.prefix}${name}.`, fault: fields.fault };
  const taken = take(nested);
  fields.fault = nested.fault;
  return taken;
}

/** True for a field that is absent or null. */
export function isNothing(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** The row's own field: `constructor` and the like are not fields. */
export function own(row: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

/** Notes that field `name` is not `wanted`, unless a fault is known already; gives back `placeholder`. */
export function refuse<T>(fields: Fields, name: string, wanted: string, placeholder: T): T {
  const value = own(fields.row, name);
  const found = value === undefined ? 'is missing' : `${describe(value)}, not ${wanted}`;
  fields.fault ??= `${fields.prefix}${name} ${found}`;
  return placeholder;
}

function failLong(fields: Fields, name: string, length: number, longest: number): string {
  fields.fault ??= `${fields.prefix}${name} is ${length} characters long, more than ${longest}`;
  return '';
}

function isWhole(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value === 'number') return Number.isInteger(value);
  return /^-?\d+(?:\.0+)?(?:[eE]\+?\d+)?$/.test(inexactTextOf(value) ?? '');
}

/** `is 12.5`, `is "abc"`, `is an object`: short, and free of control characters that could upset a terminal. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return 'is a list';
  if (value === undefined) return 'is undefined';
  const text = inexactTextOf(value) ?? (typeof value === 'string' ? JSON.stringify(value) : null);
  if (text === null) return typeof value === 'object' && value !== null ? 'is an object' : `is ${String(value)}`;
  const cut = text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN).toWellFormed()}…`;
  return `is ${cut.replace(/[\u007f-\u009f]/g, '\ufffd')}`;
}
