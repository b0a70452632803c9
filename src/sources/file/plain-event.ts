// Builds the frame of a notification from the plain values of its line, as the strict decoder would.

import type { ServiceEvent } from '../decode/decode-event.ts';
import type { ByteSpan, Slots } from './plain-line.ts';
import { instantAt, isId, isText, ownTextAt, textAt } from './plain-values.ts';
import { createTextCache, type TextCache } from './text-cache.ts';

export const EVENT_FIELDS = ['id', 'type', 'merchantReference', 'createdAt'] as const;

const ID = 0;
const TYPE = 1;
const MERCHANT_REFERENCE = 2;
const CREATED_AT = 3;

/** Reads plain notifications; keeps the texts that they share. */
export function createEventBuilder(): (span: ByteSpan, slots: Slots) => ServiceEvent | null {
  const texts = createTextCache([]);
  return (span, slots) => buildEvent(span, slots, texts);
}

function buildEvent(span: ByteSpan, slots: Slots, texts: TextCache): ServiceEvent | null {
  const createdAt = instantAt(slots, CREATED_AT);
  if (Number.isNaN(createdAt)) return null;
  if (!isId(slots, ID) || !isText(slots, TYPE) || !isId(slots, MERCHANT_REFERENCE)) return null;
  return {
    id: ownTextAt(span, slots, ID),
    type: textAt(span, slots, TYPE, texts),
    merchantReference: textAt(span, slots, MERCHANT_REFERENCE, texts),
    createdAt,
  };
}
