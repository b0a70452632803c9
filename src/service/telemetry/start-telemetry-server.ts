// The small HTTP server of a process that has no other: it says whether the process is alive and
// ready, and gives its metrics. It is bound to the host it is given, answers nothing else, and asks
// for no token.

import Fastify from 'fastify';
import type { Metrics } from './metrics.ts';

export interface TelemetryServerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /**
   * Returns the reasons why the process cannot work, each in a few words; empty when it is ready.
   */
  readonly obstacles: () => Promise<readonly string[]>;
  readonly metrics: Pick<Metrics, 'render'>;
}

/**
 * Starts the server. Throws when the port cannot be had. `/health` waits for nothing: it answers as
 * long as the process can answer at all.
 */
export async function startTelemetryServer(options: TelemetryServerOptions) {
  const server = Fastify({ forceCloseConnections: true });
  server.addHook('onRequest', async (_, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
  server.get('/health', async () => ({ status: 'ok' }));
  server.get('/ready', async (_, reply) => {
    const obstacles = await options.obstacles();
    if (obstacles.length === 0) return { status: 'ready' };
    return reply.code(503).send({ status: 'not ready', obstacles });
  });
  server.get('/metrics', async (_, reply) => {
    const { mediaType, text } = await options.metrics.render();
    return reply.type(mediaType).send(text);
  });
  /** `http://127.0.0.1:9090`. */
  const origin = await server.listen({ host: options.host, port: options.port });
  return { origin, close: () => server.close() };
}
