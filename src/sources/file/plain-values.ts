// Takes typed values out of the slots of a plain line. The limits are those of the strict decoders, counted in bytes, which
// are never fewer than characters: a text near a limit goes to the strict decoder.

import type { Instant } from '../../domain/instant.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { ownText, sharedText, type TextCache } from '../../packed/text-cache.ts';
import { LONGEST_ID, LONGEST_TEXT } from '../../rows/take-fields.ts';
import { ABSENT, ASCII_TEXT, ESCAPED_TEXT, INSTANT, NULL, OTHER_TEXT, type Slots } from './plain-line.ts';

/** True for a field that is absent or null. */
export function isNothing(slots: Slots, field: number): boolean {
  return slots.kinds[field] === NULL || slots.kinds[field] === ABSENT;
}

export function isText(slots: Slots, field: number): boolean {
  const kind = slots.kinds[field];
  const isPlain = kind === ASCII_TEXT || kind === OTHER_TEXT || kind === ESCAPED_TEXT;
  return isPlain && slots.ends[field]! - slots.starts[field]! <= LONGEST_TEXT;
}

export function isId(slots: Slots, field: number): boolean {
  const length = slots.ends[field]! - slots.starts[field]!;
  return isText(slots, field) && length > 0 && length <= LONGEST_ID;
}

export function textAt(span: ByteSpan, slots: Slots, field: number, texts: TextCache): string {
  const slot = field;
  if (slots.kinds[slot] === ESCAPED_TEXT) return unescapedAt(span, slots, field);
  return sharedText(texts, span, slots.starts[slot]!, slots.ends[slot]!, slots.kinds[slot] === ASCII_TEXT);
}

/** A text that is probably unlike its neighbours, and has no escape. */
export function ownTextAt(span: ByteSpan, slots: Slots, field: number): string {
  const slot = field;
  return ownText(span.bytes, slots.starts[slot]!, slots.ends[slot]!, slots.kinds[slot] === ASCII_TEXT);
}

/** NaN when the field is not a date-time in its usual form. */
export function instantAt(slots: Slots, field: number): Instant {
  return slots.kinds[field] === INSTANT ? slots.numbers[field]! : Number.NaN;
}

/** The text of an `ESCAPED_TEXT`: its escapes were found sound on the way, and the quotes stand around it. */
export function unescapedAt({ bytes }: ByteSpan, slots: Slots, field: number): string {
  return JSON.parse(bytes.toString('utf8', slots.starts[field]! - 1, slots.ends[field]! + 1)) as string;
}
