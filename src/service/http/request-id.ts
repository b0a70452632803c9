// The name of a call: the caller's own (`x-request-id`) where it is one, else a new one. Refuses names that could upset a
// log or a header.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** At most 200 characters (direct API, "Common parameters"), all of them visible ASCII. */
const NAME = /^[\x21-\x7e]{1,200}$/;

export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && NAME.test(given) ? given : randomUUID();
}
