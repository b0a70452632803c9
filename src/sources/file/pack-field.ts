// Packs the text of one field of a plain line.

import type { ByteSpan } from '../../packed/byte-span.ts';
import { type Packer, packString, packText, shareText } from '../../packed/pack.ts';
import { NO_TEXT } from '../../packed/slab.ts';
import { ESCAPED_TEXT, type Slots } from './plain-line.ts';
import { isNothing, unescapedAt } from './plain-values.ts';

/** A text that the line probably shares with none; `NO_TEXT` for a field that is absent or null. */
export function packField(packer: Packer, span: ByteSpan, slots: Slots, field: number): number {
  if (isNothing(slots, field)) return NO_TEXT;
  if (slots.kinds[field] === ESCAPED_TEXT) return packString(packer, unescapedAt(span, slots, field));
  return packText(packer, span, slots.starts[field]!, slots.ends[field]!);
}

/** As `packField`, for a text that neighbouring lines have too. */
export function shareField(packer: Packer, span: ByteSpan, slots: Slots, field: number): number {
  if (isNothing(slots, field)) return NO_TEXT;
  if (slots.kinds[field] === ESCAPED_TEXT) return packString(packer, unescapedAt(span, slots, field));
  return shareText(packer, span, slots.starts[field]!, slots.ends[field]!);
}
