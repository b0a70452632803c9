// The server's own routes: whether the process is alive, whether it can work, the description of
// the API, and the metrics, which need a token with the role metrics because merchants' programs
// reach this port too.

import { z } from 'zod';
import type { Server } from '../port/api.ts';
import { ApiError, directRefusals, refusals } from '../port/errors.ts';

const [HEALTH, READY] = ['/health', '/ready'];
/** Routes that are called every few seconds by what keeps the process alive. */
export const PROBES: ReadonlySet<string | null> = new Set([HEALTH, READY]);

/** Returns what keeps the server from working, each obstacle in a few words; empty: it is ready. */
export type Obstacles = () => Promise<readonly string[]>;

/**
 * Adds `/health` and `/ready`. `/health` waits for nothing, because a process whose database is
 * away must not be restarted for that.
 */
export function addProbes(server: Server, obstacles: Obstacles): void {
  server.get(HEALTH, {
    schema: {
      operationId: 'readHealth',
      summary: 'Whether the process is alive',
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: async () => ({ status: 'ok' as const }),
  });
  server.get(READY, {
    schema: {
      operationId: 'readReadiness',
      summary:
        'Whether the server can work: its database answers with the schema it needs, and it is not stopping',
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
  server.get('/openapi.json', {
    schema: {
      operationId: 'readDescription',
      summary: 'This description, in OpenAPI',
      response: { 200: z.looseObject({}) },
    },
    handler: async (_, reply) => reply.send(server.swagger() as never),
  });
}

export interface MetricsApi {
  readonly metrics: { render(): Promise<{ readonly mediaType: string; readonly text: string }> };
}

/** Adds `/metrics`. `server` must be a room for operators. */
export function addMetrics(server: Server, { metrics }: MetricsApi): void {
  server.get('/metrics', {
    config: { needs: 'metrics' },
    schema: {
      operationId: 'readMetrics',
      summary: 'Metrics, in the text form of Prometheus',
      tags: ['service'],
      response: { 200: z.string(), ...directRefusals(429) },
    },
    handler: async (_, reply) => {
      const { mediaType, text } = await metrics.render();
      return reply.type(mediaType).send(text);
    },
  });
}
