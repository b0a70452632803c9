// GET /metrics for Prometheus, on the port that merchants' programs reach as well: therefore behind an operator's token.

import { z } from 'zod';
import type { Server } from '../api.ts';
import { refusals } from '../api-error.ts';
import type { VerifyOperator } from '../verify-operator.ts';

export interface Scraped {
  render(): Promise<{ readonly mediaType: string; readonly text: string }>;
}

export function addMetrics(server: Server, metrics: Scraped, verifyOperator: VerifyOperator): void {
  server.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'readMetrics',
      summary: 'Metrics, in the text form of Prometheus',
      tags: ['service'],
      security: [{ operator: [] }],
      response: { 200: z.string(), ...refusals(401) },
    },
    onRequest: async (request) => void verifyOperator(request.headers.authorization),
    handler: async (_, reply) => {
      const { mediaType, text } = await metrics.render();
      return reply.type(mediaType).send(text);
    },
  });
}
