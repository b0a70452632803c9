// What needs no token: whether the server can work, and the description of the API.

import { z } from 'zod';
import type { Api, Server } from '../api.ts';
import { ApiError, refusals } from '../api-error.ts';

export function addHealth(server: Server, api: Api): void {
  server.route({
    method: 'GET',
    url: '/health',
    schema: {
      summary: 'Whether the server and its database answer',
      tags: ['service'],
      response: { 200: z.object({ status: z.literal('ok') }), ...refusals(503) },
    },
    handler: async () => {
      await api.shelf.check().catch((cause) => {
        throw Object.assign(new ApiError(503, 'The database does not answer'), { cause });
      });
      return { status: 'ok' as const };
    },
  });
}

export function addOpenApi(server: Server): void {
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: { summary: 'This description, in OpenAPI', tags: ['service'], response: { 200: z.looseObject({}) } },
    handler: async (_, reply) => reply.send(server.swagger() as never),
  });
}
