// GET /metrics for Prometheus, on the port that merchants' programs reach as well: therefore behind an operator's token.

import { z } from 'zod';
import { directRefusals } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { checkGuarded, type MinuteCounts } from '../minute-counts.ts';
import type { VerifyOperator } from '../verify-operator.ts';

export interface Scraped {
  render(): Promise<{ readonly mediaType: string; readonly text: string }>;
}

export interface MetricsApi {
  readonly metrics: Scraped;
  readonly verifyOperator: VerifyOperator;
  readonly wrong: MinuteCounts;
}

export function addMetrics(server: Server, { metrics, verifyOperator, wrong }: MetricsApi): void {
  server.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'readMetrics',
      summary: 'Metrics, in the text form of Prometheus',
      tags: ['service'],
      security: [{ operator: [] }],
      response: { 200: z.string(), ...directRefusals(401, 429) },
    },
    onRequest: async (request, reply) => {
      await checkGuarded(wrong, { request, reply, token: request.headers.authorization }, verifyOperator);
    },
    handler: async (_, reply) => {
      const { mediaType, text } = await metrics.render();
      return reply.type(mediaType).send(text);
    },
  });
}
