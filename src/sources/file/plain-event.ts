// Builds a notification from the plain values of its line, as the strict decoder would.

import { type NotifiedOperation, toldBy } from '../../domain/notification.ts';
import { OPERATION_STATUSES, OPERATION_TYPES } from '../../domain/operation.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import { createTextCache, type TextCache } from '../../packed/text-cache.ts';
import type { ToldEvent } from '../decode/decode-told-event.ts';
import { carriedAt } from './plain-carried.ts';
import { NESTED, type Slots } from './plain-line.ts';
import { instantAt, isId, isText, ownTextAt, textAt } from './plain-values.ts';

export const EVENT_FIELDS = ['id', 'type', 'merchantReference', 'createdAt', 'data'] as const;

const ID = 0;
const TYPE = 1;
const MERCHANT_REFERENCE = 2;
const CREATED_AT = 3;
const DATA = 4;

/** Reads plain notifications; keeps the texts that they share. */
export function createEventBuilder(): (span: ByteSpan, slots: Slots) => ToldEvent | null {
  const texts = createTextCache([...OPERATION_TYPES, ...OPERATION_STATUSES]);
  return (span, slots) => buildEvent(span, slots, texts);
}

function buildEvent(span: ByteSpan, slots: Slots, texts: TextCache): ToldEvent | null {
  const createdAt = instantAt(slots, CREATED_AT);
  if (Number.isNaN(createdAt)) return null;
  if (!isId(slots, ID) || !isText(slots, TYPE) || !isId(slots, MERCHANT_REFERENCE)) return null;
  const type = textAt(span, slots, TYPE, texts);
  let operation: NotifiedOperation | null = null;
  if (toldBy(type) !== null) {
    if (slots.kinds[DATA] !== NESTED) return null;
    operation = carriedAt(span, slots.starts[DATA]!, texts);
    if (operation === null) return null;
  }
  return {
    id: ownTextAt(span, slots, ID),
    type,
    merchantReference: textAt(span, slots, MERCHANT_REFERENCE, texts),
    createdAt,
    operation,
  };
}
