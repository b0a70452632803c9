// Sends notifications in the order of simulated time, tries them again as the documents say, and keeps what became of each; with trouble
// on the way where it is asked for. Knows neither API: headers and final statuses are in the parcel.

import { setTimeout } from 'node:timers/promises';
import { LADDER } from '../../core/domain/delivery/delivery-ladder.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import { drawInteger, drawUnit, seedRandom } from '../model/random.ts';
import type { DeliveryState } from '../model/served.ts';
import { addEvent, type EventQueue, emptyQueue, nextInstant, peekEvent, takeEvent } from '../model/time.ts';

export interface CourierSettings {
  /** What a signature bears: this machine's time, with which receivers compare it, or the simulated time. */
  readonly signatureTime: 'machine' | 'simulated';
  /** Milliseconds of machine time that a receiver has to answer. */
  readonly answerWithin: number;
  /** Attempts that may be under way at once: the next begins when the one before was answered, or kept silent for a while. */
  readonly atOnce: number;
  /** That while: milliseconds of machine time. Receivers that answer sooner see everything in order. */
  readonly patience: number;
  /** Plain HTTP is allowed to private networks, not to this machine alone. */
  readonly privateHttp: boolean;
  readonly misdelivery: Misdelivery;
}

/** "The receiving endpoint answers 2xx within 15 seconds" (direct API, "Delivery rules"). */
const DEFAULT_COURIER: CourierSettings = {
  signatureTime: 'machine',
  answerWithin: 15 * SECOND,
  atOnce: 8,
  patience: 250,
  privateHttp: false,
  misdelivery: {},
};

/**
 * "3 immediate attempts (after 2 s, 4 s, 8 s), then replays after 5 min, 15 min, 1 h, 6 h and 24 h": eight attempts, each
 * after its own wait. The first is sent 2 s after what it tells of.
 */
const MOST_ATTEMPTS = LADDER.length;

interface Errand {
  readonly delivery: Delivery;
  /** What sent it off; a replay makes what was planned before void. */
  readonly round: number;
  readonly isDouble: boolean;
}

/** An attempt without an answer yet; `horizon` is the earliest instant at which it could be due again. */
interface Underway {
  readonly subject: string;
  readonly horizon: Instant;
  readonly done: Promise<void>;
  /** When it has been waited for long enough, by `performance.now()`. */
  readonly waitedFor: number;
}

export interface Courier {
  settings: CourierSettings;
  readonly clock: () => Instant;
  readonly deliveries: Map<string, Delivery>;
  readonly queue: EventQueue<Errand>;
  readonly underway: Set<Underway>;
  readonly stopping: AbortController;
}

/** `clock` is this machine's time. */
export function openCourier(settings: Partial<CourierSettings>, clock: () => Instant): Courier {
  return {
    settings: { ...DEFAULT_COURIER, ...settings },
    clock,
    deliveries: new Map(),
    queue: emptyQueue(),
    underway: new Set(),
    stopping: new AbortController(),
  };
}

/** Sends the parcel off: its first attempt is due after the first wait. Null when it is lost at once (NEVER_SENT). */
export function dispatch(courier: Courier, parcel: Parcel): Delivery | null {
  const { misdelivery } = courier.settings;
  if (befalls(misdelivery, 'NEVER_SENT', parcel)) return null;
  const delivery = keep(courier, parcel);
  const at = parcel.createdAt + LADDER[0]! + heldBack(misdelivery, parcel);
  plan(courier, { delivery, round: 0, isDouble: false }, at);
  return delivery;
}

/** Sends the parcel off and makes its first attempt at once: what somebody waits for. Resolves when it was answered. */
export async function dispatchAtOnce(courier: Courier, parcel: Parcel, now: Instant): Promise<Delivery> {
  const delivery = keep(courier, parcel);
  await attempt(courier, { delivery, round: 0, isDouble: false }, now);
  return delivery;
}

/**
 * Sends a delivery once more, the same bytes: its counter begins anew, and with it the whole ladder. The first attempt is made
 * at once; the promise resolves when it was answered. Refusing what was delivered already is left to the caller.
 */
export async function replay(
  courier: Courier,
  delivery: Delivery,
  at: { readonly now: Instant; readonly url: string },
): Promise<void> {
  const round = delivery.round + 1;
  Object.assign(delivery, { state: 'PENDING', attempts: 0, nextRetryAt: null, updatedAt: at.now, url: at.url, round });
  await attempt(courier, { delivery, round, isDouble: false }, at.now);
}

/** Deliveries of one merchant over one API, newest first. */
export function deliveriesOf(
  courier: Courier,
  of: { readonly account: string; readonly channel: Channel; readonly states?: readonly DeliveryState[] },
): readonly Delivery[] {
  return [...courier.deliveries.values()]
    .filter(({ account, channel }) => account === of.account && channel === of.channel)
    .filter(({ state }) => of.states === undefined || of.states.includes(state))
    .reverse();
}

/** Null: the merchant has none of that id over that API. */
export function deliveryNamed(
  { deliveries }: Courier,
  of: { readonly account: string; readonly channel: Channel; readonly id: string },
): Delivery | null {
  const delivery = deliveries.get(of.id);
  return delivery?.account === of.account && delivery.channel === of.channel ? delivery : null;
}

/** When the next attempt is due, simulated time; null: none is planned. */
export function nextDue(courier: Courier): Instant | null {
  for (let next = peekEvent(courier.queue); next !== null; next = peekEvent(courier.queue)) {
    if (next.delivery.round === next.round) return nextInstant(courier.queue);
    takeEvent(courier.queue);
  }
  return null;
}

/** Nothing that an attempt under way could lead to happens before this instant. */
export function horizonOf({ underway }: Courier): Instant {
  return Math.min(...[...underway].map(({ horizon }) => horizon));
}

/** False while an attempt under way must be waited for before the next begins; one must be due. */
export function mayStart(courier: Courier): boolean {
  const { underway, settings, queue } = courier;
  if (underway.size >= settings.atOnce || patienceLeft(courier) > 0) return false;
  const { subject } = peekEvent(queue)!.delivery;
  return ![...underway].some((other) => other.subject === subject);
}

/** Starts the attempt that is due next, at its instant. */
export function startNext(courier: Courier): void {
  const at = nextDue(courier)!;
  void attempt(courier, takeEvent(courier.queue), at);
}

/** Resolves when one of the attempts under way has ended or has been waited for long enough; there must be one. */
export async function oneAnswered(courier: Courier): Promise<void> {
  const waits = [...courier.underway].map(({ done }) => done);
  const left = patienceLeft(courier);
  const enough = new AbortController();
  if (left > 0) waits.push(setTimeout(left, undefined, { signal: enough.signal }).catch(() => undefined));
  await Promise.race(waits);
  enough.abort();
}

function patienceLeft({ underway }: Courier): number {
  return Math.max(...[...underway].map(({ waitedFor }) => waitedFor)) - performance.now();
}

/** Ends what is under way and sends nothing more. */
export async function closeCourier(courier: Courier): Promise<void> {
  courier.stopping.abort();
  courier.queue.slots = [];
  await Promise.all([...courier.underway].map(({ done }) => done));
}

function keep(courier: Courier, parcel: Parcel): Delivery {
  const delivery: Delivery = {
    ...parcel,
    state: 'PENDING',
    attempts: 0,
    lastStatus: null,
    nextRetryAt: null,
    updatedAt: parcel.createdAt,
    round: 0,
  };
  courier.deliveries.set(parcel.id, delivery);
  return delivery;
}

function plan(courier: Courier, errand: Errand, at: Instant): void {
  if (!errand.isDouble) errand.delivery.nextRetryAt = at;
  addEvent(courier.queue, { at, event: errand });
}

/** Entered among those under way before the first wait, and taken out when it was answered. */
function attempt(courier: Courier, errand: Errand, at: Instant): Promise<void> {
  const done = carry(courier, errand, at).finally(() => courier.underway.delete(entry));
  const waitedFor = performance.now() + courier.settings.patience;
  const entry: Underway = {
    subject: errand.delivery.subject,
    horizon: at + nextWait(courier, errand),
    done,
    waitedFor,
  };
  courier.underway.add(entry);
  return done;
}

/** How long after this attempt the next could be, whatever its answer. */
function nextWait({ settings }: Courier, { delivery, isDouble }: Errand): number {
  if (isDouble) return Number.POSITIVE_INFINITY;
  const retried = LADDER[delivery.attempts + 1] ?? Number.POSITIVE_INFINITY;
  return befalls(settings.misdelivery, 'DELIVERED_TWICE', delivery) ? Math.min(retried, DOUBLE_AFTER) : retried;
}

async function carry(courier: Courier, errand: Errand, at: Instant): Promise<void> {
  const { delivery } = errand;
  const { signatureTime, answerWithin } = courier.settings;
  const status = await post({
    url: delivery.url,
    headers: delivery.headers(signatureTime === 'machine' ? courier.clock() : at),
    body: delivery.body,
    within: answerWithin,
    stopped: courier.stopping.signal,
  });
  if (courier.stopping.signal.aborted || errand.isDouble || delivery.round !== errand.round) return;
  settle(courier, errand, { status, at });
}

function settle(courier: Courier, errand: Errand, outcome: { readonly status: number | null; readonly at: Instant }) {
  const { delivery } = errand;
  const { misdelivery } = courier.settings;
  const { at } = outcome;
  delivery.attempts += 1;
  delivery.updatedAt = at;
  const isTaken = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
  const isLost = isTaken && delivery.attempts === 1 && befalls(misdelivery, 'ANSWER_LOST', delivery);
  delivery.lastStatus = isLost ? null : outcome.status;
  delivery.nextRetryAt = null;
  if (isTaken && !isLost) {
    delivery.state = 'SUCCESS';
    if (befalls(misdelivery, 'DELIVERED_TWICE', delivery))
      plan(courier, { ...errand, isDouble: true }, at + DOUBLE_AFTER);
  } else if (delivery.lastStatus !== null && delivery.finalStatuses.includes(delivery.lastStatus)) {
    delivery.state = 'ABANDONED';
  } else if (delivery.attempts >= MOST_ATTEMPTS) {
    delivery.state = 'ABANDONED';
  } else {
    delivery.state = 'FAILED';
    plan(courier, errand, at + LADDER[delivery.attempts]!);
  }
}

type Channel = 'direct' | 'dashboard';

/** What is to be sent. The body is the same in every attempt, byte for byte. */
export interface Parcel {
  /** Of the delivery, not of the notification; unique in the sandbox. */
  readonly id: string;
  readonly channel: Channel;
  /** The merchant's reference. */
  readonly account: string;
  readonly url: string;
  /** What it is about: two parcels of one subject are never on their way at once. */
  readonly subject: string;
  readonly type: string;
  readonly body: Buffer;
  readonly createdAt: Instant;
  /** Made anew for each attempt. `signedAt` is the time that a receiver compares with its own. */
  readonly headers: (signedAt: Instant) => Readonly<Record<string, string>>;
  /** Answers after which nothing is sent any more. */
  readonly finalStatuses: readonly number[];
}

export interface Delivery extends Omit<Parcel, 'url'> {
  url: string;
  state: DeliveryState;
  /** Since it was sent off, or since it was replayed. */
  attempts: number;
  /** Of the last answer; null: nobody answered, or nothing was sent yet. */
  lastStatus: number | null;
  /** Simulated time; null where no further attempt is planned. */
  nextRetryAt: Instant | null;
  updatedAt: Instant;
  /** How often it was replayed. */
  round: number;
}

interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Milliseconds of machine time within which an answer must begin. */
  readonly within: number;
  readonly stopped: AbortSignal;
}

/** Null: no answer within the time, or nobody there. */
async function post({ url, headers, body, within, stopped }: Posting): Promise<number | null> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(within)]);
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

/** What each does. All but NEVER_SENT are lawful: delivery is at least once, and order is not guaranteed. */
export const MISDELIVERIES = {
  DELIVERED_TWICE: 'is delivered, and delivered once more a second later',
  OUT_OF_ORDER: 'is held back for one to thirty minutes, so that later ones overtake it',
  LATE: 'is held back for one to twenty-four hours',
  ANSWER_LOST: 'has its first 2xx lost on the way back, so that it is sent again',
  NEVER_SENT: 'is lost before the first attempt and listed nowhere: a fault of the service',
} as const;
export type MisdeliveryName = keyof typeof MISDELIVERIES;

/** Shares of all deliveries, 0 … 1; a name that is absent never happens. */
export type Misdelivery = Partial<Readonly<Record<MisdeliveryName, number>>>;

/** True when the trouble of that name falls on the delivery. */
function befalls(misdelivery: Misdelivery, name: MisdeliveryName, of: { readonly id: string }): boolean {
  const share = misdelivery[name] ?? 0;
  return share > 0 && drawUnit(seedRandom(`${of.id}/${name}`)) < share;
}

/** How much longer than usual the first attempt waits, milliseconds. */
function heldBack(misdelivery: Misdelivery, of: { readonly id: string }): number {
  const random = seedRandom(`${of.id}/held back`);
  const minutes = befalls(misdelivery, 'OUT_OF_ORDER', of) ? drawInteger(random, { from: MINUTE, to: 30 * MINUTE }) : 0;
  return minutes + (befalls(misdelivery, 'LATE', of) ? drawInteger(random, { from: HOUR, to: 24 * HOUR }) : 0);
}

/** How long after a delivery its double follows. */
const DOUBLE_AFTER = SECOND;
