// GET /deliveries and POST /deliveries/{id}/retry: what was announced to whom, what became of it, and to have
// one tried again.

import { z } from 'zod';
import { DELIVERY_STATES } from '../../../core/domain/delivery/delivery.ts';
import type { Server } from '../port/api.ts';
import { directRefusals } from '../port/errors.ts';
import { instant, type OperatorApi, paged, pageOf, pageQuery, plain, reference } from '../port/operator-api.ts';

const deliveryForm = z.object({
  id: z.uuid(),
  channel: z.string(),
  topic: z.string(),
  announces: z.string(),
  target: z.string(),
  merchant: z.string().nullable(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int().describe('Since it was written, or last retried by a person'),
  createdAt: instant,
  nextAttemptAt: instant.nullable(),
  lastDetail: z.string().nullable().describe('Of the last attempt'),
});

const params = z.object({ id: z.uuid() });

export function addDeliveries(server: Server, { backend, querying }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/deliveries',
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listDeliveries',
      summary: 'Deliveries, newest first',
      tags: ['deliveries'],
      querystring: pageQuery.extend({ state: z.enum(DELIVERY_STATES).optional(), merchant: reference.optional() }),
      response: { 200: pageOf(deliveryForm), ...directRefusals(400, 401, 404, 429, 503) },
    },
    handler: async ({ query }) => querying(async () => paged(await backend.listDeliveries(query), query)),
  });
  server.route({
    method: 'POST',
    url: '/deliveries/:id/retry',
    config: { needs: 'publish' },
    schema: {
      operationId: 'retryDelivery',
      summary: 'Have a delivery tried again',
      description:
        'At once, with the whole ladder before it. 409 for one that was delivered, is held, or is being sent.',
      tags: ['deliveries'],
      params,
      body: z.strictObject({ state: z.enum(DELIVERY_STATES).describe('That it was seen in; 409 once it is another') }),
      response: { 200: deliveryForm, ...directRefusals(400, 401, 404, 409, 413, 415, 503) },
    },
    handler: async ({ params: { id }, body }) => plain(await backend.retryDelivery(id, body.state)),
  });
}
