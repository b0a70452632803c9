// The body of a call to control, as text.

import type { FastifyRequest } from 'fastify';

/** Text as received; empty where there is none. */
export function bodyOf({ body }: FastifyRequest): string {
  return typeof body === 'string' ? body : '';
}
