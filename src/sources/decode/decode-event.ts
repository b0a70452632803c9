// Decodes the frame of one notification (direct API, "Events"): who, what and when. Leaves `data` alone, whose form
// depends on the type and is not documented for every type; a type outside the document passes.

import type { Instant } from '../../domain/instant.ts';
import type { Decoded } from '../../rows/decoded.ts';
import { decodedFrom, fieldsOf, takeId, takeInstant, takeText } from '../../rows/take-fields.ts';

/** The frame of a notification. `id` is the deduplication key: an event may be delivered more than once. */
export interface ServiceEvent {
  readonly id: string;
  readonly type: string;
  readonly merchantReference: string;
  readonly createdAt: Instant;
}

export function decodeEvent(value: unknown): Decoded<ServiceEvent> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    id: takeId(fields, 'id'),
    type: takeText(fields, 'type'),
    merchantReference: takeId(fields, 'merchantReference'),
    createdAt: takeInstant(fields, 'createdAt'),
  });
}
