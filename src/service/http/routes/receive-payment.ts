// POST /notifications/payments/{merchant}: the unsigned notification of a payment by link. Anybody may have sent it: it is a
// signal that the dashboard is to be asked, and nothing else.

import { z } from 'zod';
import { directRefusals, invalid } from '../answer-error.ts';
import type { Server } from '../api.ts';
import type { Limiter } from '../limiter.ts';
import { openMinuteCounts } from '../minute-counts.ts';
import { Busy, bytesOf, type NotificationInbox, requireName } from '../notification-inbox.ts';
import { takenForm } from './receive-notification.ts';

/** For the description only. */
const body = z.looseObject({
  status: z.enum(['SUCCESS', 'FAILED']),
  amount: z.int().optional(),
  reference: z.string().describe('PAY…'),
  created_date: z.iso.datetime().optional().describe('Creation of the link'),
});

const description = `It is not signed, and so not believed: it is stored as a signal, and the dashboard is asked for the
payment. So many a minute are taken from one address for one merchant; the next ones are answered with 503, and the service
tries again. Of a merchant that is not known nothing is stored, and the answer does not tell.`;

/** A minute, from one address for one merchant: what one sends beyond it takes no other sender's place. */
export const MOST_FROM_ONE = 60;

export function addReceivePayment(room: Server, inbox: NotificationInbox, limiter: Limiter): void {
  const counts = openMinuteCounts(MOST_FROM_ONE, inbox.clock);
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
      const wait = counts.waitAfter(JSON.stringify([request.ip, merchant]));
      const signal = { merchant, body: bytesOf(request), receivedAt: inbox.clock() };
      const outcome = wait > 0 ? 'refused' : await limiter(() => inbox.takeSignal(signal));
      if (typeof outcome === 'object') throw invalid([`body: ${outcome.unreadable}`]);
      if (outcome === 'refused') {
        reply.header('retry-after', 60);
        throw new Busy();
      }
      inbox.log({ event: 'payment signal taken', merchant, outcome });
      return { received: true as const };
    },
  });
}
