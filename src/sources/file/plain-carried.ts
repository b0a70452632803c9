// Takes the operation out of the plain `data` of a notification, whose bytes were found sound on the way over them.
// Whatever is not of the plainest form is for the strict decoder.

import type { NotifiedOperation } from '../../domain/notification.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from '../../domain/operation.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { ownText, sharedText, type TextCache } from '../../packed/text-cache.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../../rows/take-fields.ts';
import { BESIDE } from '../decode/decode-told-event.ts';
import { BACKSLASH } from './plain-escape.ts';
import { readPlainInstant } from './plain-instant.ts';
import { skipSpaces } from './plain-nested.ts';

const QUOTE = 0x22;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;
const MINUS = 0x2d;
const NULL_START = 0x6e;
const TRUE_START = 0x74;
const FALSE_START = 0x66;
const MOST_DIGITS = 15;

/** Names as they stand in a line, and which of them are of one length, by that length. */
interface Keys {
  readonly names: readonly Buffer[];
  readonly ofLength: readonly (readonly number[] | undefined)[];
}

const OPERATION = keysOf(['operation']);
const COMPARED = [
  ...['reference', 'type', 'status', 'amount', 'createdAt', 'updatedAt'],
  ...['fees', 'netAmount', 'currency', 'externalReference', 'failure'],
];
const FIELDS = keysOf([...COMPARED, ...BESIDE.texts, ...BESIDE.flags, ...BESIDE.instants]);
const FAILURE = keysOf(['code']);

function keysOf(fields: readonly string[]): Keys {
  const names = fields.map((name) => Buffer.from(`"${name}"`));
  const ofLength: number[][] = [];
  names.forEach(({ length }, i) => {
    ofLength[length] = [...(ofLength[length] ?? []), i];
  });
  return { names, ofLength };
}

/** The object at `start` holds an `operation`; null when the strict decoder must have a look. */
export function carriedAt(span: ByteSpan, start: number, texts: TextCache): NotifiedOperation | null {
  const { bytes } = span;
  if (bytes[start] !== OPEN) return null;
  const [operation] = valuesAt(bytes, start, OPERATION);
  if (operation === undefined || bytes[operation] !== OPEN) return null;
  const values = valuesAt(bytes, operation, FIELDS);
  const [reference, type, status, amount, createdAt, updatedAt, fees, netAmount, currency, external, failure] = values;
  const id = plainText(bytes, reference);
  const whole = integerAt(bytes, amount);
  const typeEnd = plainText(bytes, type);
  const statusEnd = plainText(bytes, status);
  if (id < 0 || typeEnd < 0 || statusEnd < 0 || Number.isNaN(whole)) return null;
  const length = id - reference! - 1;
  const [created, changed] = [optionalInstantAt(span, createdAt), optionalInstantAt(span, updatedAt)];
  if (length === 0 || length > LONGEST_ID || Number.isNaN(created) || Number.isNaN(changed)) return null;
  const [charged, net] = [optionalIntegerAt(bytes, fees), optionalIntegerAt(bytes, netAmount)];
  const isPlain =
    isPlainOptional(bytes, currency) && isPlainOptional(bytes, external) && isPlainFailure(bytes, failure);
  if (Number.isNaN(charged) || Number.isNaN(net) || !isPlain || !isPlainBeside(span, values)) return null;
  const knownType = OPERATION_TYPES.find((one) => one === sharedText(texts, span, type! + 1, typeEnd, true));
  const knownStatus = OPERATION_STATUSES.find((one) => one === sharedText(texts, span, status! + 1, statusEnd, true));
  if (knownType === undefined || knownStatus === undefined) return null;
  return {
    reference: ownText(bytes, reference! + 1, id, true),
    type: knownType,
    status: knownStatus,
    amount: whole,
    fees: charged,
    netAmount: net,
    currency: optionalTextAt(span, currency, texts),
    externalReference: optionalTextAt(span, external, null),
    failureCode: failure === undefined ? null : optionalTextAt(span, codeAt(bytes, failure), texts),
    createdAt: created,
    updatedAt: changed,
  };
}

/** `values` in the order of `FIELDS`. Whether all that nothing is held against is of its type, in the plainest form. */
function isPlainBeside(span: ByteSpan, values: readonly (number | undefined)[]): boolean {
  const { bytes } = span;
  let next = COMPARED.length;
  const all = (names: readonly string[], isSound: (at: number) => boolean): boolean =>
    names.every(() => {
      const at = values[next++];
      return at === undefined || bytes[at] === NULL_START || isSound(at);
    });
  return (
    all(BESIDE.texts, (at) => isPlainText(bytes, at)) &&
    all(BESIDE.flags, (at) => bytes[at] === TRUE_START || bytes[at] === FALSE_START) &&
    all(BESIDE.instants, (at) => !Number.isNaN(instantAt(span, at)))
  );
}

function isPlainFailure(bytes: Buffer, start: number | undefined): boolean {
  if (start === undefined || bytes[start] === NULL_START) return true;
  return bytes[start] === OPEN && isPlainOptional(bytes, codeAt(bytes, start));
}

/** Where the object at `start` has its code; `start` may be that of null, which has none. */
function codeAt(bytes: Buffer, start: number): number | undefined {
  return bytes[start] === OPEN ? valuesAt(bytes, start, FAILURE)[0] : undefined;
}

function isPlainOptional(bytes: Buffer, start: number | undefined): boolean {
  return start === undefined || bytes[start] === NULL_START || isPlainText(bytes, start);
}

/** Null where it is absent or null. The text must have been found plain; `texts`: where many are alike. */
function optionalTextAt(span: ByteSpan, start: number | undefined, texts: TextCache | null): string | null {
  const { bytes } = span;
  if (start === undefined || bytes[start] === NULL_START) return null;
  const end = plainText(bytes, start);
  return texts === null ? ownText(bytes, start + 1, end, true) : sharedText(texts, span, start + 1, end, true);
}

/** Null where it is absent or null; NaN when it is not plain. */
function optionalIntegerAt(bytes: Buffer, start: number | undefined): number | null {
  return start === undefined || bytes[start] === NULL_START ? null : integerAt(bytes, start);
}

/** For each key the offset of its value in the object at `start`; undefined where it has none. */
function valuesAt(bytes: Buffer, start: number, { names, ofLength }: Keys): readonly (number | undefined)[] {
  const found = names.map((): number | undefined => undefined);
  let position = skipSpaces(bytes, start + 1);
  while (bytes[position] === QUOTE) {
    const key = position;
    position = key + 1;
    while (bytes[position] !== QUOTE) position += 1;
    position += 1;
    // After the key, a colon between spaces.
    const value = skipSpaces(bytes, skipSpaces(bytes, position) + 1);
    const wanted = ofLength[position - key]?.find((one) => isAt(bytes, key, names[one]!));
    if (wanted !== undefined) found[wanted] = value;
    position = skipSpaces(bytes, passSound(bytes, value));
    if (bytes[position] === COMMA) position = skipSpaces(bytes, position + 1);
  }
  return found;
}

/** The offset after the value at `start`, which was found sound: brackets and quotes are all that has to be looked at. */
function passSound(bytes: Buffer, start: number): number {
  for (let at = start, depth = 0; ; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = passText(bytes, at);
      if (depth === 0) return at + 1;
    } else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
}

/** The offset of the quote that ends the text whose first quote stands at `start`. */
function passText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function isAt(bytes: Buffer, start: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}

/** The offset of the quote that ends the text at `start`, or −1 when that is not a text of ASCII without escapes. */
function plainText(bytes: Buffer, start: number | undefined): number {
  if (start === undefined || bytes[start] !== QUOTE) return -1;
  for (let at = start + 1; ; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte >= 0x80) return -1;
  }
}

function isPlainText(bytes: Buffer, start: number): boolean {
  const end = plainText(bytes, start);
  return end >= 0 && end - start - 1 <= LONGEST_TEXT;
}

/** NaN when it is not a whole number of up to 15 digits. */
function integerAt(bytes: Buffer, start: number | undefined): number {
  if (start === undefined) return Number.NaN;
  const first = bytes[start] === MINUS ? start + 1 : start;
  let value = 0;
  let at = first;
  for (; bytes[at]! >= 0x30 && bytes[at]! <= 0x39; at += 1) value = value * 10 + bytes[at]! - 0x30;
  const ends = bytes[at] === COMMA || bytes[at] === CLOSE || bytes[at] === SPACE;
  if (at === first || at - first > MOST_DIGITS || !ends) return Number.NaN;
  return first === start || value === 0 ? value : -value;
}

/** Null where it is absent or null. */
function optionalInstantAt(span: ByteSpan, start: number | undefined): number | null {
  return start === undefined || span.bytes[start] === NULL_START ? null : instantAt(span, start);
}

function instantAt(span: ByteSpan, start: number): number {
  const end = plainText(span.bytes, start);
  return end < 0 ? Number.NaN : readPlainInstant(span, start + 1, end);
}
