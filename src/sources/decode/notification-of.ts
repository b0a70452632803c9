// Makes a notification out of a body that was decoded, and condenses what the body says. Whoever holds a body as it came,
// a line of a file or a stored one, compares it by these.

import { createHash } from 'node:crypto';
import type { Instant } from '../../domain/instant.ts';
import type { Notification } from '../../domain/notification.ts';
import { hashAlone } from '../../rows/hash-bytes.ts';
import { HASH_KEY } from '../hash-key.ts';
import { contentOf, type ToldEvent } from './decode-told-event.ts';
import { parseStrictJson } from './strict-json.ts';

/** `body`: the bytes of the event, as they came. `at`: when it was there for certain. */
export function notificationOf(event: ToldEvent, body: Uint8Array, at: Instant): Notification {
  const { id, type, createdAt, operation } = event;
  return { id, type, createdAt, at, operation, digest: hashAlone(HASH_KEY, body) };
}

/** Equal for bodies of equal JSON content. `body` was decoded, so that it is JSON. */
export function condensedContent(body: Uint8Array): string {
  const parsed = parseStrictJson(body);
  return createHash('sha256')
    .update(contentOf(parsed.ok ? parsed.value : null))
    .digest('hex');
}
