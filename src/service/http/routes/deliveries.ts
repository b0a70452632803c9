// GET /deliveries and POST /deliveries/{id}/retry: what was announced to whom, what became of it,
// and to have one tried again.

import { z } from 'zod';
import { DELIVERY_STATES } from '../../../core/domain/delivery/delivery.ts';
import type { Server } from '../port/api.ts';
import { directRefusals } from '../port/errors.ts';
import { DELIVERY_FILTER, instantIn } from '../port/filters.ts';
import {
  instant,
  type OperatorApi,
  paged,
  pageOf,
  pageQuery,
  plain,
} from '../port/operator-api.ts';

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
  server.get('/deliveries', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listDeliveries',
      summary: 'Deliveries, newest first',
      querystring: pageQuery.extend(DELIVERY_FILTER),
      response: { 200: pageOf(deliveryForm), ...directRefusals(404, 429) },
    },
    handler: async ({ query: { since, ...page } }) =>
      querying(async () =>
        paged(await backend.listDeliveries({ ...page, since: instantIn(since) }), page),
      ),
  });
  server.post('/deliveries/:id/retry', {
    config: { needs: 'publish' },
    schema: {
      operationId: 'retryDelivery',
      summary: 'Have a delivery tried again',
      description:
        'At once, with the whole ladder before it. 409 for one that was delivered, is held, or is being sent.',
      params,
      body: z.strictObject({
        state: z.enum(DELIVERY_STATES).describe('That it was seen in; 409 once it is another'),
      }),
      response: { 200: deliveryForm, ...directRefusals(404, 409) },
    },
    handler: async ({ params: { id }, body }) => plain(await backend.retryDelivery(id, body.state)),
  });
}
