// POST /notifications/payments/{merchant}: the unsigned notification of a payment by link. Anybody may have sent it: it is a
// signal that the dashboard is to be asked, and nothing else.

import { z } from 'zod';
import { directRefusals, invalid, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import type { Limiter } from '../limiter.ts';
import { bytesOf, type NotificationInbox, requireName, unavailable } from '../notification-inbox.ts';
import { takenForm } from './receive-notification.ts';

/** For the description only. */
const body = z.looseObject({
  status: z.enum(['SUCCESS', 'FAILED']),
  amount: z.int().optional(),
  reference: z.string().describe('PAY…'),
  created_date: z.iso.datetime().optional().describe('Creation of the link'),
});

const description = `It is not signed, and so not believed: it is stored as a signal, and the dashboard is asked for the
payment. Of one merchant so many a minute are stored; the next ones are answered with 503, and the service tries again.`;

export function addReceivePayment(room: Server, inbox: NotificationInbox, limiter: Limiter): void {
  room.route({
    method: 'POST',
    url: '/notifications/payments/:merchant',
    bodyLimit: inbox.maxUnsignedBytes,
    validatorCompiler: () => (value) => ({ value }),
    schema: {
      operationId: 'receivePayment',
      security: [],
      summary: 'Take the unsigned notification of a payment by link',
      description,
      tags: ['notifications'],
      params: z.object({ merchant: z.string() }),
      body,
      response: { 200: takenForm, ...directRefusals(400, 404, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { merchant } = request.params;
      requireName(merchant);
      const outcome = await limiter(async () => {
        if ((await inbox.secretsOf(merchant)) === 'unknown merchant') throw notFound('merchant');
        return inbox.takeSignal({ merchant, body: bytesOf(request), receivedAt: inbox.clock() });
      });
      if (typeof outcome === 'object') throw invalid([`body: ${outcome.unreadable}`]);
      if (outcome === 'refused') {
        reply.header('retry-after', 60);
        throw unavailable(new Error(`too many unsigned notifications of ${merchant} within a minute`));
      }
      inbox.log({ event: 'payment signal taken', merchant, outcome });
      return { received: true as const };
    },
  });
}
