// What needs no token: whether the process is alive, whether it can work, and the description of the API.

import { z } from 'zod';
import type { Server } from '../api.ts';
import { ApiError, refusals } from '../api-error.ts';

const [HEALTH, READY] = ['/health', '/ready'];
/** Asked every few seconds by whoever keeps the process alive. */
export const PROBES: ReadonlySet<string | null> = new Set([HEALTH, READY]);

/** What keeps the server from working, each in a few words; empty: it is ready. */
export type Obstacles = () => Promise<readonly string[]>;

/** `/health` asks nobody: a process whose database is away must not be started again for it. */
export function addProbes(server: Server, obstacles: Obstacles): void {
  server.route({
    method: 'GET',
    url: HEALTH,
    schema: {
      operationId: 'readHealth',
      security: [],
      summary: 'Whether the process is alive',
      tags: ['service'],
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: async () => ({ status: 'ok' as const }),
  });
  server.route({
    method: 'GET',
    url: READY,
    schema: {
      operationId: 'readReadiness',
      security: [],
      summary: 'Whether the server can work: its database answers with the schema it needs, and it is not stopping',
      tags: ['service'],
      response: { 200: z.object({ status: z.literal('ready') }), ...refusals(503) },
    },
    handler: async () => {
      const found = await obstacles();
      if (found.length > 0) throw new ApiError(503, `Not ready: ${found.join('; ')}`);
      return { status: 'ready' as const };
    },
  });
}

export function addOpenApi(server: Server): void {
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      operationId: 'readDescription',
      security: [],
      summary: 'This description, in OpenAPI',
      tags: ['service'],
      response: { 200: z.looseObject({}) },
    },
    handler: async (_, reply) => reply.send(server.swagger() as never),
  });
}
