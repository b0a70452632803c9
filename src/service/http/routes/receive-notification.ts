// POST /notifications/direct/{merchant}: a signed notification of the direct API. Refuses what is not signed by the service,
// with a code after which the service tries again: it may be our secret that is stale.

import { z } from 'zod';
import { directRefusals } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { DirectError } from '../direct-error.ts';
import type { Limiter } from '../limiter.ts';
import { bytesOf, type NotificationInbox, requireName } from '../notification-inbox.ts';
import { verifySignature } from '../service-signature.ts';

/** For the description only: the body is bytes until its signature has been checked. */
const body = z.looseObject({
  id: z.string().describe('evt_…, the deduplication key'),
  type: z.string().describe('cashin.succeeded, cashout.failed, …, wallet.adjusted, ping'),
  createdAt: z.iso.datetime(),
  merchantReference: z.string(),
  data: z.looseObject({ operation: z.looseObject({ reference: z.string() }).optional() }),
});

const headers = z.object({
  'service-signature': z
    .string()
    .describe('t=<unix seconds>,v1=<hex>: HMAC-SHA256 of `<t>.<raw body>`, keyed with the signing secret'),
  'service-event': z.string().optional().describe('The type; must be that of the body'),
});

export const takenForm = z.object({ received: z.literal(true) });

const description = `The notification is stored as it came, once for each id and body, and the operation that it names is
asked for. Its content proves nothing. 403: it is not signed by the service with a secret that we know for this merchant, or
more than five minutes ago; the service tries again, and what was signed with a new secret is taken once that secret is
configured. 503: a trouble of ours, with Retry-After.`;

export function addReceiveNotification(room: Server, inbox: NotificationInbox, limiter: Limiter): void {
  room.route({
    method: 'POST',
    url: '/notifications/direct/:merchant',
    bodyLimit: inbox.maxSignedBytes,
    // Nothing is looked into before the signature is checked.
    validatorCompiler: () => (value) => ({ value }),
    schema: {
      operationId: 'receiveNotification',
      security: [],
      summary: 'Take a signed notification of the direct API',
      description,
      tags: ['notifications'],
      params: z.object({ merchant: z.string() }),
      headers,
      body,
      response: { 200: takenForm, ...directRefusals(403, 404, 413, 415, 503) },
    },
    handler: async (request) => {
      const { merchant } = request.params;
      requireName(merchant);
      await limiter(() => takeFrom(inbox, { merchant, body: bytesOf(request), headers: request.headers }));
      return { received: true as const };
    },
  });
}

interface SignedRequest {
  readonly merchant: string;
  readonly body: Uint8Array;
  readonly headers: { readonly 'service-signature'?: unknown; readonly 'service-event'?: unknown };
}

async function takeFrom(inbox: NotificationInbox, { merchant, body, headers }: SignedRequest): Promise<void> {
  const secrets = await inbox.secretsOf(merchant);
  const now = inbox.clock();
  const verdict =
    typeof secrets === 'string'
      ? faultOf(secrets, merchant)
      : verifySignature({
          header: textOf(headers['service-signature']),
          body,
          secrets,
          now,
        });
  if (!verdict.ok) {
    inbox.log({ event: 'notification refused', merchant, why: verdict.fault });
    throw new DirectError(403, 'INVALID_SIGNATURE', 'The notification is not signed, or not as it should be.');
  }
  const announcedType = textOf(headers['service-event']) ?? null;
  const outcome = await inbox.takeSigned({ merchant, body, receivedAt: now, announcedType });
  if (outcome === 'misannounced') {
    inbox.log({ event: 'notification refused', merchant, why: 'Service-Event is not the type in the body' });
    throw new DirectError(403, 'EVENT_MISMATCH', 'Service-Event does not name the type in the body.');
  }
  inbox.log({ event: 'notification taken', merchant, outcome, signedWith: verdict.secret });
}

/** Answered as a wrong signature is: who asks learns of no merchant. The service tries again until the secret is configured. */
function faultOf(
  secrets: 'no secret' | 'unknown merchant',
  merchant: string,
): { readonly ok: false; readonly fault: string } {
  const unset = `merchants.${merchant}.notifications.current is not set`;
  return { ok: false, fault: secrets === 'no secret' ? unset : 'unknown merchant' };
}

function textOf(header: unknown): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
