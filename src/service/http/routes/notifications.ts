// POST /notifications/direct/{merchant} and POST /notifications/payments/{merchant}: the signed
// notifications of the direct API, and the unsigned ones of payments by link, which are only a
// signal to ask the dashboard. Both take the bytes as they are, work on a bounded number of calls
// at once, and answer in time. Every trouble of ours, and a signature that does not fit (our secret
// may be stale), is answered with an error, so that the service tries again.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Instant, MINUTE, SECOND } from '../../../core/domain/instant.ts';
import type {
  NotificationInbox,
  SigningSecrets,
} from '../../workflows/notifications/receive-notification.ts';
import type { Server } from '../port/api.ts';
import { DirectError, directRefusals, invalid, notFound } from '../port/errors.ts';
import { clientOf, type Limiter, openLimiter, openMinuteCounts } from '../port/limits.ts';

/**
 * At most `atOnce` notifications are worked on at a time. `within` is in milliseconds: the sender
 * waits for 15 seconds, then takes us for dead.
 */
export const NOTIFICATION_LIMITS = { atOnce: 100, within: 10_000 };
const UNAVAILABLE = 'The notification cannot be taken now; send it again.';
/** Seconds after which the sender may try again. */
const RETRY_AFTER = 5;

/**
 * Lets the room read bodies as bytes, because they are signed as they are sent, and are no JSON
 * before the signature was checked.
 */
export function takeBytes(room: Server): void {
  room.removeAllContentTypeParsers();
  room.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_: FastifyRequest, body: Buffer) => body,
  );
  room.addHook('onRequest', async ({ headers }) => {
    // Take one without a type: the documents do not say that the sender names it.
    const type = headers['content-type'] ?? 'application/json';
    if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
      throw new DirectError(415, 'UNSUPPORTED_MEDIA_TYPE', 'A notification is JSON.');
    }
  });
  room.addHook('onSend', async (_, reply) => {
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after'))
      reply.header('retry-after', RETRY_AFTER);
  });
}

function bytesOf({ body }: { readonly body?: unknown }): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

const LONGEST_REFERENCE = 200;

/** Throws `DirectError` 404 for a text that cannot be a merchant's reference. */
function requireName(merchant: string): void {
  const isName =
    merchant !== '' && merchant.length <= LONGEST_REFERENCE && !merchant.includes('\0');
  if (!isName) throw notFound('merchant');
}

/** Thrown when too much came at once. The sender must try again, and the log need not say why. */
export class Busy extends DirectError {
  constructor() {
    super(503, 'SERVICE_UNAVAILABLE', UNAVAILABLE);
  }
}

/**
 * Limits how many notifications are worked on at once. Throws `DirectError` 503 when too much is
 * under way, when the work takes too long, and for whatever fails in it.
 */
export function openNotificationLimiter({ atOnce, within }: typeof NOTIFICATION_LIMITS): Limiter {
  const limiter = openLimiter({ atOnce, mostWaiting: 0, refusal: () => new Busy() });
  return async (work) => {
    // The work counts until it ends, also after its caller was answered.
    const working = limiter(work);
    const late = sleep(within, null, { ref: false }).then(() =>
      Promise.reject(new Error(`no answer within ${within} ms`)),
    );
    late.catch(() => {});
    try {
      return await Promise.race([working, late]);
    } catch (failure) {
      working.catch(() => {});
      if (failure instanceof DirectError) throw failure;
      throw Object.assign(new DirectError(503, 'SERVICE_UNAVAILABLE', UNAVAILABLE), {
        cause: failure,
      });
    }
  };
}

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
    .describe(
      't=<unix seconds>,v1=<hex>: HMAC-SHA256 of `<t>.<raw body>`, keyed with the signing secret',
    ),
  'service-event': z.string().optional().describe('The type; must be that of the body'),
});

const takenForm = z.object({ received: z.literal(true) });

const description = `The notification is stored as it came, once for each id and body, and a worker asks the
service for the operation that it names. Its content proves nothing. 403: it is not signed by the service with a secret that we know for this merchant, or
more than five minutes ago; the service tries again, and what was signed with a new secret is taken once that secret is
configured. 503: a trouble of ours, with Retry-After.`;

export function addReceiveNotification(
  room: Server,
  inbox: NotificationInbox,
  limiter: Limiter,
): void {
  room.post('/notifications/direct/:merchant', {
    bodyLimit: inbox.maxSignedBytes,
    // Nothing is looked into before the signature is checked.
    validatorCompiler: () => (value) => ({ value }),
    schema: {
      operationId: 'receiveNotification',
      summary: 'Take a signed notification of the direct API',
      description,
      params: z.object({ merchant: z.string() }),
      headers,
      body,
      response: { 200: takenForm, ...directRefusals(403, 404, 413, 415, 503) },
    },
    handler: async (request) => {
      const { merchant } = request.params;
      requireName(merchant);
      await limiter(() =>
        takeFrom(inbox, { merchant, body: bytesOf(request), headers: request.headers }),
      );
      return { received: true as const };
    },
  });
}

interface SignedRequest {
  readonly merchant: string;
  readonly body: Uint8Array;
  readonly headers: { readonly 'service-signature'?: unknown; readonly 'service-event'?: unknown };
}

async function takeFrom(
  inbox: NotificationInbox,
  { merchant, body, headers }: SignedRequest,
): Promise<void> {
  const secrets = await inbox.secretsOf(merchant);
  const now = inbox.clock();
  const header = textOf(headers['service-signature']);
  const verdict =
    typeof secrets === 'string'
      ? faultOf(secrets, merchant)
      : verifySignature({ header, body, secrets, now });
  if (!verdict.ok) {
    inbox.log({ event: 'notification refused', merchant, why: verdict.fault });
    throw new DirectError(
      403,
      'INVALID_SIGNATURE',
      'The notification is not signed, or not as it should be.',
    );
  }
  const announcedType = textOf(headers['service-event']) ?? null;
  const outcome = await inbox.takeSigned({ merchant, body, receivedAt: now, announcedType });
  if (outcome === 'misannounced') {
    inbox.log({
      event: 'notification refused',
      merchant,
      why: 'Service-Event is not the type in the body',
    });
    throw new DirectError(
      403,
      'EVENT_MISMATCH',
      'Service-Event does not name the type in the body.',
    );
  }
  inbox.log({ event: 'notification taken', merchant, outcome, signedWith: verdict.secret });
}

/**
 * Returns why a merchant has no secret. The caller is answered as for a wrong signature, so that it
 * learns of no merchant. The service tries again until the secret is configured.
 */
function faultOf(secrets: 'no secret' | 'unknown merchant', merchant: string) {
  const unset = `merchants.${merchant}.notifications.current is not set`;
  return { ok: false, fault: secrets === 'no secret' ? unset : 'unknown merchant' } as const;
}

function textOf(header: unknown): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** For the description only. */
const payment = z.looseObject({
  status: z.enum(['SUCCESS', 'FAILED']),
  amount: z.int().optional(),
  reference: z.string().describe('PAY…'),
  created_date: z.iso.datetime().optional().describe('Creation of the link'),
});

const PAYMENT_DESCRIPTION = `It is not signed, and so not believed: it is stored as a signal to look the payment up on the
dashboard. So many a minute are taken from one address for one merchant; the next ones are answered with 503, and the service
tries again. Of a merchant that is not known nothing is stored, and the answer does not tell.`;

/**
 * Payments that one address may notify for one merchant within a minute. More than these are
 * refused, so that they take no other sender's place.
 */
export const MOST_FROM_ONE = 60;

export function addReceivePayment(room: Server, inbox: NotificationInbox, limiter: Limiter): void {
  const counts = openMinuteCounts(MOST_FROM_ONE, inbox.clock);
  room.post('/notifications/payments/:merchant', {
    bodyLimit: inbox.maxUnsignedBytes,
    validatorCompiler: () => (value) => ({ value }),
    schema: {
      operationId: 'receivePayment',
      summary: 'Take the unsigned notification of a payment by link',
      description: PAYMENT_DESCRIPTION,
      params: z.object({ merchant: z.string() }),
      body: payment,
      response: { 200: takenForm, ...directRefusals(400, 404, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const { merchant } = request.params;
      requireName(merchant);
      const wait = counts.waitAfter(JSON.stringify([clientOf(request), merchant]));
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

// Whether a notification was signed by the service: `Service-Signature: t=<unix seconds>,v1=<hex>`
// over the bytes as they came (direct API, "Headers and signature"). Refuses to look into the body,
// and tells nothing by the time it takes.

/** Why a signature is refused, for the log; the sender sees no difference. */
type SignatureFault =
  | 'no signature'
  | 'not a signature'
  | 'signed at another time'
  | 'signed otherwise';

type SignatureVerdict =
  | { readonly ok: true; readonly secret: 'current' | 'previous' }
  | { readonly ok: false; readonly fault: SignatureFault };

const TOLERANCE = 5 * MINUTE;
const LONGEST_HEADER = 4_096;
/** How many `v1` a header may have. Several stand side by side while a secret is being changed. */
const MOST_SIGNATURES = 8;

interface SignatureHeader {
  /** The time as the header writes it, because these characters are part of what was signed. */
  readonly seconds: string;
  readonly signatures: readonly Buffer[];
}

/**
 * Returns `null` for a header that is not of the document's form. Parts of other names are passed
 * over.
 */
export function readSignatureHeader(text: string): SignatureHeader | null {
  if (text.length > LONGEST_HEADER) return null;
  const parts = text.split(',').map((part) => /^\s*(\w+)=(\S*)\s*$/.exec(part));
  const named = (name: string) =>
    parts.filter((part) => part?.[1] === name).map((part) => part![2]!);
  const [seconds, another] = named('t');
  if (seconds === undefined || another !== undefined || !/^\d{1,12}$/.test(seconds)) return null;
  const signatures = named('v1').filter((hex) => /^[0-9a-f]{64}$/i.test(hex));
  if (signatures.length === 0 || signatures.length > MOST_SIGNATURES) return null;
  return { seconds, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')) };
}

interface SignedCall {
  readonly header: string | undefined;
  readonly body: Uint8Array;
  readonly secrets: SigningSecrets;
  readonly now: Instant;
}

export function verifySignature({ header, body, secrets, now }: SignedCall): SignatureVerdict {
  if (header === undefined) return { ok: false, fault: 'no signature' };
  const signed = readSignatureHeader(header);
  if (signed === null) return { ok: false, fault: 'not a signature' };
  if (Math.abs(now - Number(signed.seconds) * SECOND) > TOLERANCE)
    return { ok: false, fault: 'signed at another time' };
  // Every secret is tried with every signature, whatever fitted before, so that the time taken
  // tells nothing.
  const isCurrent = isSignedWith(secrets.current, signed, body);
  const isPrevious = secrets.previous !== undefined && isSignedWith(secrets.previous, signed, body);
  if (!isCurrent && !isPrevious) return { ok: false, fault: 'signed otherwise' };
  return { ok: true, secret: isCurrent ? 'current' : 'previous' };
}

/**
 * Whether one of the signatures was made with `secret`. The key is the whole text, its prefix
 * `whsec_` included.
 */
function isSignedWith(
  secret: string,
  { seconds, signatures }: SignatureHeader,
  body: Uint8Array,
): boolean {
  const due = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  return signatures.filter((signature) => timingSafeEqual(signature, due)).length > 0;
}
