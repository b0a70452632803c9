// What the routes of notifications are given, and what all of them do alike: take the bytes as they are, do a bounded number
// at once, answer in time, and call every trouble of ours one that passes.

import type { FastifyRequest } from 'fastify';
import type { Instant } from '../../core/domain/instant.ts';
import type {
  Received,
  SignalOutcome,
  SignedNotification,
  SignedOutcome,
} from '../workflows/notifications/receive-notification.ts';
import { notFound } from './answer-error.ts';
import type { Server } from './api.ts';
import { DirectError } from './direct-error.ts';
import { type Limiter, openLimiter } from './limiter.ts';
import type { SigningSecrets } from './service-signature.ts';

export interface NotificationInbox {
  /** `no secret`: the merchant is known, and what signs its notifications is not. Rejects when that cannot be found out. */
  secretsOf(merchant: string): Promise<SigningSecrets | 'no secret' | 'unknown merchant'>;
  takeSigned(notification: SignedNotification): Promise<SignedOutcome>;
  takeSignal(signal: Received): Promise<SignalOutcome>;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
  /** Of a signed body. */
  readonly maxSignedBytes: number;
  /** Of an unsigned one. */
  readonly maxUnsignedBytes: number;
}

/** `within`, in milliseconds: the sender waits for 15 seconds, then takes us for dead. */
export const NOTIFICATION_LIMITS = { atOnce: 100, within: 10_000 };
const UNAVAILABLE = 'The notification cannot be taken now; send it again.';
/** Seconds. */
const RETRY_AFTER = 5;

/** Reads bodies as bytes: they are signed as they are sent, and are no JSON before that was checked. */
export function takeBytes(room: Server): void {
  room.removeAllContentTypeParsers();
  room.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) => body);
  room.addHook('onRequest', async ({ headers }) => {
    // One that says nothing is taken: the documents' sender is not said to name its type.
    const type = headers['content-type'] ?? 'application/json';
    if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
      throw new DirectError(415, 'UNSUPPORTED_MEDIA_TYPE', 'A notification is JSON.');
    }
  });
  room.addHook('onSend', async (_, reply) => {
    if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER);
  });
}

export function bytesOf({ body }: { readonly body?: unknown }): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

const LONGEST_REFERENCE = 200;

/** Throws `DirectError` 404 for what can be the name of no merchant. */
export function requireName(merchant: string): void {
  const isName = merchant !== '' && merchant.length <= LONGEST_REFERENCE && !merchant.includes('\0');
  if (!isName) throw notFound('merchant');
}

/** Too much came at once: the sender is to try again, and the log need not say why. */
export class Busy extends DirectError {
  constructor() {
    super(503, 'SERVICE_UNAVAILABLE', UNAVAILABLE);
  }
}

/** Throws `DirectError` 503 when too much is under way, when the work takes too long, and for whatever fails in it. */
export function openNotificationLimiter({
  atOnce,
  within,
}: {
  readonly atOnce: number;
  readonly within: number;
}): Limiter {
  const limiter = openLimiter({ atOnce, mostWaiting: 0, refusal: () => new Busy() });
  return async (work) => {
    // Counts until it ends, also when nobody waits for it any more.
    const working = limiter(work);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${within} ms`)), within);
    });
    try {
      return await Promise.race([working, late]);
    } catch (failure) {
      working.catch(() => {});
      throw failure instanceof DirectError ? failure : unavailable(failure);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** A trouble of ours: the sender is to try again. */
function unavailable(cause: unknown): DirectError {
  const error = new DirectError(503, 'SERVICE_UNAVAILABLE', UNAVAILABLE);
  error.cause = cause;
  return error;
}
