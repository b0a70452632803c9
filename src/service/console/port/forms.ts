// What a form sends, and the token that it carries.

import type { FastifyRequest } from 'fastify';
import type { Server } from '../../http/port/api.ts';

export type Fields = Readonly<Record<string, string>>;

/** Forms only; of a field that comes twice the last one counts. */
export function takeForms(room: Server): void {
  room.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: 65_536 } as const;
  room.addContentTypeParser('application/x-www-form-urlencoded', options, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

export function fieldsOf({ body }: FastifyRequest): Fields {
  return (body ?? {}) as Fields;
}
