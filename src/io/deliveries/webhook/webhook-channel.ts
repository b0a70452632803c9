// Calls receivers over HTTPS, signed as Standard Webhooks says. Follows no redirect, keeps at most a few words of an answer,
// and goes to no private address unless it is allowed to.

import type { lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { Webhook } from 'standardwebhooks';
import type {
  ChannelSession,
  DeliveryChannel,
  Parcel,
  SendOutcome,
} from '../../../core/domain/delivery/delivery-channel.ts';
import { SECOND } from '../../../core/domain/instant.ts';
import { detailOf } from '../detail.ts';
import { AddressRefused, lookupPublic, requirePublicHost } from './public-address.ts';
import { payloadOf } from './webhook-payload.ts';

export interface WebhookSettings {
  readonly receivers: readonly WebhookReceiver[];
  readonly allowPrivate: boolean;
  /** Names the engine and its version. */
  readonly userAgent: string;
  /** How names are resolved; absent: as the machine does. */
  readonly resolve?: typeof lookup;
  /** Milliseconds; absent: those of the document. */
  readonly deadline?: number;
}

export interface WebhookReceiver {
  /** What deliveries name it by; holds no secret. */
  readonly target: string;
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** "The receiver answers 2xx within 15 seconds" (both documents, Events). */
const DEADLINE = 15 * SECOND;
/** "Immediate abandon, no replay" (direct document, Delivery rules). */
const FINAL = [400, 401, 404, 410, 422];
const KEPT_OF_ANSWER = 200;

/** A receiver can tell a repeat: `webhook-id` is the delivery's, the same in every attempt. */
export function openWebhookChannel(settings: WebhookSettings): DeliveryChannel {
  const deadline = settings.deadline ?? DEADLINE;
  const session: ChannelSession = {
    send: (parcel) => callReceiver(settings, parcel, deadline),
    isOpen: () => true,
    close: () => {},
  };
  return { name: 'webhook', isRepeatable: true, concurrency: 4, deadline, open: async () => session };
}

async function callReceiver(settings: WebhookSettings, parcel: Parcel, deadline: number): Promise<SendOutcome> {
  const receiver = settings.receivers.find(({ target }) => target === parcel.target);
  if (receiver === undefined) return refused('No webhook of this address is configured any more.');
  const url = new URL(receiver.url);
  try {
    if (!settings.allowPrivate) {
      if (url.protocol !== 'https:') return refused('Webhooks go over https only.');
      requirePublicHost(url);
    }
    return await call(settings, { parcel, receiver, url, deadline });
  } catch (failure) {
    if (failure instanceof AddressRefused) return refused(failure.message);
    return { outcome: 'RETRY', detail: detailOf(reasonOf(failure as NodeJS.ErrnoException, deadline)) };
  }
}

function refused(detail: string): SendOutcome {
  return { outcome: 'REFUSED', detail: detailOf(detail) };
}

function reasonOf({ name, code, message }: NodeJS.ErrnoException, deadline: number): string {
  if (name === 'TimeoutError' || code === 'ABORT_ERR') return `No answer within ${deadline / SECOND} s.`;
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

interface Call {
  readonly parcel: Parcel;
  readonly receiver: WebhookReceiver;
  readonly url: URL;
  readonly deadline: number;
}

function call(settings: WebhookSettings, { parcel, receiver, url, deadline }: Call): Promise<SendOutcome> {
  const body = payloadOf(parcel);
  const sentAt = new Date(parcel.sentAt);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': settings.userAgent,
    'webhook-id': parcel.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / SECOND)),
    'webhook-signature': new Webhook(receiver.secret).sign(parcel.id, sentAt, body),
  };
  const signal = AbortSignal.timeout(deadline);
  // A connection of its own, so that the address is looked up, and judged, for every call.
  const connection = settings.allowPrivate ? {} : { lookup: lookupPublic(settings.resolve) };
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, signal, agent: false, ...connection }, (answer) => {
      const { statusCode: status = 0 } = answer;
      if (status >= 200 && status < 300) {
        // It has said yes; the rest of its words is let go.
        answer.on('error', () => {}).resume();
        resolve({ outcome: 'SUCCESS', detail: `HTTP ${status}` });
        return;
      }
      const outcome = FINAL.includes(status) ? 'REFUSED' : 'RETRY';
      firstWords(answer).then((words) => resolve({ outcome, detail: detailOf(`HTTP ${status} ${words}`) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** At most KEPT_OF_ANSWER characters; what fails or takes too long on the way is not waited for. */
async function firstWords(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= KEPT_OF_ANSWER * 4) break;
    }
  } catch {
    // What came before is enough.
  }
  return Buffer.concat(parts).toString('utf8').slice(0, KEPT_OF_ANSWER);
}
