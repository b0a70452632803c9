// Calls receivers over HTTPS, with signatures as Standard Webhooks defines them. Follows no
// redirect, keeps only the first characters of an answer, and goes to no private address unless
// that is allowed.

import type { lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { Webhook } from 'standardwebhooks';
import {
  type DeliveryContent,
  eventOf,
  type RunProblem,
} from '../../core/domain/delivery/delivery.ts';
import type {
  DeliveryChannel,
  Parcel,
  SendOutcome,
} from '../../core/domain/delivery/delivery-channel.ts';
import { formatInstant, SECOND } from '../../core/domain/instant.ts';
import { outcomeOf, repeatableChannel } from './outcome.ts';
import { AddressRefused, lookupPublic, requirePublicHost } from './public-address.ts';

export interface WebhookSettings {
  readonly receivers: readonly WebhookReceiver[];
  readonly allowPrivate: boolean;
  /** Name and version of the program, for the `user-agent` header. */
  readonly userAgent: string;
  /** Resolves host names; absent when the machine's own resolver does. */
  readonly resolve?: typeof lookup;
  /** Milliseconds for a call; absent for the 15 s of the document. */
  readonly deadline?: number;
}

export interface WebhookReceiver {
  /** Names the receiver in deliveries. It must not contain a secret. */
  readonly target: string;
  readonly url: string;
  /** The signing secret: `whsec_` and base64. */
  readonly secret: string;
}

/** "The receiver answers 2xx within 15 seconds" (both documents, Events). */
const DEADLINE = 15 * SECOND;
/**
 * Answers after which a delivery is not tried again: "Immediate abandon, no replay" (direct
 * document, Delivery rules).
 */
const FINAL = [400, 401, 404, 410, 422];
const KEPT_OF_ANSWER = 200;

/**
 * Opens the channel. A receiver can recognise a repeat, because `webhook-id` is the delivery's id,
 * the same in every attempt.
 */
export function openWebhookChannel(settings: WebhookSettings): DeliveryChannel {
  const deadline = settings.deadline ?? DEADLINE;
  const channel = { name: 'webhook', concurrency: 4, deadline } as const;
  return repeatableChannel(channel, (parcel) => callReceiver(settings, parcel, deadline));
}

async function callReceiver(
  settings: WebhookSettings,
  parcel: Parcel,
  deadline: number,
): Promise<SendOutcome> {
  const receiver = settings.receivers.find(({ target }) => target === parcel.target);
  if (receiver === undefined)
    return outcomeOf('REFUSED', 'No webhook of this address is configured any more.');
  const url = new URL(receiver.url);
  try {
    if (!settings.allowPrivate) {
      if (url.protocol !== 'https:') return outcomeOf('REFUSED', 'Webhooks go over https only.');
      requirePublicHost(url);
    }
    return await call(settings, { parcel, receiver, url, deadline });
  } catch (failure) {
    if (failure instanceof AddressRefused) return outcomeOf('REFUSED', failure.message);
    return outcomeOf('RETRY', reasonOf(failure as NodeJS.ErrnoException, deadline));
  }
}

function reasonOf({ name, code, message }: NodeJS.ErrnoException, deadline: number): string {
  if (name === 'TimeoutError' || code === 'ABORT_ERR')
    return `No answer within ${deadline / SECOND} s.`;
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

interface Call {
  readonly parcel: Parcel;
  readonly receiver: WebhookReceiver;
  readonly url: URL;
  readonly deadline: number;
}

function call(
  settings: WebhookSettings,
  { parcel, receiver, url, deadline }: Call,
): Promise<SendOutcome> {
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
  // Without an agent each call has a connection of its own, so that the address is looked up and
  // judged every time.
  const connection = settings.allowPrivate ? {} : { lookup: lookupPublic(settings.resolve) };
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers, signal, agent: false, ...connection },
      (answer) => {
        const { statusCode: status = 0 } = answer;
        if (status >= 200 && status < 300) {
          // The status suffices: skip the rest of the answer.
          answer.on('error', () => {}).resume();
          resolve({ outcome: 'SUCCESS', detail: `HTTP ${status}` });
          return;
        }
        const outcome = FINAL.includes(status) ? 'REFUSED' : 'RETRY';
        firstWords(answer).then((words) => resolve(outcomeOf(outcome, `HTTP ${status} ${words}`)));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Returns the body, the same text in every attempt. It is a contract with receivers: fields may be
 * added, and must never be renamed.
 */
function payloadOf({ content, createdAt, chain }: Parcel): string {
  const data = dataOf(content, chain);
  return JSON.stringify({ type: eventOf(content), timestamp: formatInstant(createdAt), data });
}

function dataOf(content: DeliveryContent, chain: Parcel['chain']): object {
  switch (content.topic) {
    case 'statement': {
      const { merchant, period, reportId } = content;
      return { merchant, period, reportId };
    }
    case 'findings': {
      const { merchant, runId, verdict, findings, more } = content;
      return { merchant, runId, verdict, findings, more, chain };
    }
    case 'run':
      return coverageOf(content.problem);
    case 'night': {
      const { verdicts, entriesAdded } = content.night;
      return { ...coverageOf(content.night), verdicts, entriesAdded };
    }
    default:
      return content.data;
  }
}

function coverageOf({
  night,
  runId,
  expected,
  done,
  missing,
  down,
}: Omit<RunProblem, 'kind'>): object {
  return { night: formatInstant(night), runId, expected, done, missing, down };
}

/**
 * Returns the first KEPT_OF_ANSWER characters of an answer at most; where reading fails, those that
 * were read before.
 */
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
    // The characters so far are enough.
  }
  return Buffer.concat(parts).toString('utf8').slice(0, KEPT_OF_ANSWER);
}
