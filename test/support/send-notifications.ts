// Sends notifications as the service does: signed, with the immediate attempts of the document, and given up where its table
// says so. The deferred attempts of the following 31 hours are left to the test.

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, SECOND } from '../../src/domain/instant.ts';

/** The body, of which only these two fields matter on the way. */
export interface Sendable {
  readonly id: string;
  readonly type: string;
}

export interface NotificationTarget {
  readonly url: string;
  /** `whsec_…`; the key is all of it. */
  readonly secret: string;
}

export interface Sending {
  /** Of the signature: the receiver compares it with its own. */
  readonly clock: () => Instant;
  /** Milliseconds before each further attempt. */
  readonly waits?: readonly number[];
}

/** `SUCCESS`: answered 2xx; `ABANDONED`: answered with a code that is final; `FAILED`: would be sent again later. */
export interface Delivery {
  readonly id: string;
  readonly state: 'SUCCESS' | 'ABANDONED' | 'FAILED';
  readonly attempts: number;
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
}

/** "3 immediate attempts (after 2 s, 4 s, 8 s)" ("Delivery rules"). */
const IMMEDIATE_WAITS = [2 * SECOND, 4 * SECOND, 8 * SECOND];
const FINAL_CODES = [400, 401, 404, 410, 422];
const ANSWER_WITHIN = 15 * SECOND;

/** One after the other, in the order given. */
export async function sendNotifications(
  notifications: readonly Sendable[],
  target: NotificationTarget,
  { clock, waits = IMMEDIATE_WAITS }: Sending,
): Promise<readonly Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const notification of notifications) deliveries.push(await deliver(notification, target, { clock, waits }));
  return deliveries;
}

async function deliver(
  notification: Sendable,
  target: NotificationTarget,
  { clock, waits }: Required<Sending>,
): Promise<Delivery> {
  const body = JSON.stringify(notification);
  const { id, type } = notification;
  let status: number | null = null;
  for (const [attempt, wait] of [0, ...waits].entries()) {
    await sleep(wait);
    const seconds = Math.floor(clock() / SECOND);
    status = await post(target.url, body, {
      'content-type': 'application/json',
      'service-event': type,
      'service-signature': `t=${seconds},v1=${createHmac('sha256', target.secret).update(`${seconds}.${body}`).digest('hex')}`,
    });
    const attempts = attempt + 1;
    if (status !== null && status >= 200 && status < 300) return { id, state: 'SUCCESS', attempts, status };
    if (status !== null && FINAL_CODES.includes(status)) return { id, state: 'ABANDONED', attempts, status };
  }
  return { id, state: 'FAILED', attempts: waits.length + 1, status };
}

/** Null: nobody answered. */
async function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number | null> {
  try {
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_WITHIN) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}
