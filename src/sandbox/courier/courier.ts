// Sends notifications in the order of simulated time, tries them again as the documents say, keeps
// the outcome of each, and loses or delays them where the settings want it. Knows neither API:
// headers and final statuses are in the parcel.

import { setTimeout } from 'node:timers/promises';
// "3 immediate attempts (after 2 s, 4 s, 8 s), then replays after 5 min, 15 min, 1 h, 6 h and 24
// h": eight, each after its own wait.
import { LADDER } from '../../core/domain/delivery/delivery-ladder.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../core/domain/instant.ts';
import type { DeliveryStatus } from '../../core/domain/notification.ts';
import { drawInteger, drawUnit, seedRandom } from '../model/random.ts';
import {
  addEvent,
  type EventQueue,
  emptyQueue,
  nextInstant,
  peekEvent,
  takeEvent,
} from '../model/time.ts';

export interface CourierSettings {
  /**
   * The time in a signature: this machine's, with which receivers compare it, or the simulated
   * time.
   */
  readonly signatureTime: 'machine' | 'simulated';
  /** Milliseconds of machine time that a receiver has to answer. */
  readonly answerWithin: number;
  /**
   * Attempts that may be under way at once: the next begins when the one before was answered, or
   * kept silent for a while.
   */
  readonly atOnce: number;
  /**
   * That while: milliseconds of machine time. Receivers that answer sooner see everything in order.
   */
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

interface Attempt {
  readonly delivery: Delivery;
  /** How often it was replayed by then: a replay makes the attempts planned before void. */
  readonly round: number;
  readonly isDouble: boolean;
}

/**
 * An attempt without an answer yet; `horizon` is the earliest instant at which it could be due
 * again.
 */
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
  readonly queue: EventQueue<Attempt>;
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

/**
 * Sends the parcel off: its first attempt is due after the first wait. Null when it is lost at once
 * (NEVER_SENT).
 */
export function dispatch(courier: Courier, parcel: Parcel): Delivery | null {
  const { misdelivery } = courier.settings;
  if (hasTrouble(misdelivery, 'NEVER_SENT', parcel)) return null;
  const delivery = addDelivery(courier, parcel);
  const at = parcel.createdAt + LADDER[0]! + heldBack(misdelivery, parcel);
  plan(courier, { delivery, round: 0, isDouble: false }, at);
  return delivery;
}

/** Sends the parcel off and makes its first attempt at once. Resolves when it was answered. */
export async function dispatchAtOnce(
  courier: Courier,
  parcel: Parcel,
  now: Instant,
): Promise<Delivery> {
  const delivery = addDelivery(courier, parcel);
  await start(courier, { delivery, round: 0, isDouble: false }, now);
  return delivery;
}

/**
 * Sends a delivery once more, the same bytes: its counter begins anew, and with it the whole
 * ladder. Makes the first attempt at once and resolves when it was answered. The caller refuses
 * deliveries that have arrived.
 */
export async function replay(
  courier: Courier,
  delivery: Delivery,
  at: { readonly now: Instant; readonly url: string },
): Promise<void> {
  const round = delivery.round + 1;
  Object.assign(delivery, {
    state: 'PENDING',
    attempts: 0,
    nextRetryAt: null,
    updatedAt: at.now,
    url: at.url,
    round,
  });
  await start(courier, { delivery, round, isDouble: false }, at.now);
}

/** Deliveries of one merchant over one API, newest first. */
export function deliveriesOf(
  courier: Courier,
  of: {
    readonly account: string;
    readonly channel: Channel;
    readonly states?: readonly DeliveryStatus[];
  },
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
  void start(courier, takeEvent(courier.queue), at);
}

/**
 * Resolves when one of the attempts under way has ended or has been waited for long enough; there
 * must be one.
 */
export async function oneAnswered(courier: Courier): Promise<void> {
  const waits = [...courier.underway].map(({ done }) => done);
  const left = patienceLeft(courier);
  const enough = new AbortController();
  if (left > 0)
    waits.push(setTimeout(left, undefined, { signal: enough.signal }).catch(() => undefined));
  await Promise.race(waits);
  enough.abort();
}

function patienceLeft({ underway }: Courier): number {
  return Math.max(...[...underway].map(({ waitedFor }) => waitedFor)) - performance.now();
}

/** Ends the attempts under way and sends nothing more. */
export async function closeCourier(courier: Courier): Promise<void> {
  courier.stopping.abort();
  courier.queue.slots = [];
  await Promise.all([...courier.underway].map(({ done }) => done));
}

function addDelivery(courier: Courier, parcel: Parcel): Delivery {
  const fresh = {
    state: 'PENDING',
    attempts: 0,
    lastStatus: null,
    nextRetryAt: null,
    round: 0,
  } as const;
  const delivery: Delivery = { ...parcel, ...fresh, updatedAt: parcel.createdAt };
  courier.deliveries.set(parcel.id, delivery);
  return delivery;
}

function plan(courier: Courier, attempt: Attempt, at: Instant): void {
  if (!attempt.isDouble) attempt.delivery.nextRetryAt = at;
  addEvent(courier.queue, { at, event: attempt });
}

/**
 * Enters the attempt among those under way before the first wait, and takes it out when it was
 * answered.
 */
function start(courier: Courier, attempt: Attempt, at: Instant): Promise<void> {
  const done = make(courier, attempt, at).finally(() => courier.underway.delete(entry));
  const waitedFor = performance.now() + courier.settings.patience;
  const { subject } = attempt.delivery;
  const entry: Underway = { subject, horizon: at + nextWait(courier, attempt), done, waitedFor };
  courier.underway.add(entry);
  return done;
}

/** How long after this attempt the next could be, whatever its answer. */
function nextWait({ settings }: Courier, { delivery, isDouble }: Attempt): number {
  if (isDouble) return Number.POSITIVE_INFINITY;
  const retried = LADDER[delivery.attempts + 1] ?? Number.POSITIVE_INFINITY;
  return hasTrouble(settings.misdelivery, 'DELIVERED_TWICE', delivery)
    ? Math.min(retried, DOUBLE_AFTER)
    : retried;
}

async function make(courier: Courier, attempt: Attempt, at: Instant): Promise<void> {
  const { delivery, isDouble, round } = attempt;
  const status = await post(courier, delivery, at);
  if (courier.stopping.signal.aborted || isDouble || delivery.round !== round) return;
  const { misdelivery } = courier.settings;
  delivery.attempts += 1;
  delivery.updatedAt = at;
  delivery.nextRetryAt = null;
  const isTaken = status !== null && status >= 200 && status < 300;
  const isLost =
    isTaken && delivery.attempts === 1 && hasTrouble(misdelivery, 'ANSWER_LOST', delivery);
  delivery.lastStatus = isLost ? null : status;
  if (isTaken && !isLost) {
    delivery.state = 'SUCCESS';
    if (hasTrouble(misdelivery, 'DELIVERED_TWICE', delivery)) {
      plan(courier, { ...attempt, isDouble: true }, at + DOUBLE_AFTER);
    }
    return;
  }
  const wait = LADDER[delivery.attempts];
  const isFinal =
    delivery.lastStatus !== null && delivery.finalStatuses.includes(delivery.lastStatus);
  delivery.state = isFinal || wait === undefined ? 'ABANDONED' : 'FAILED';
  if (!isFinal && wait !== undefined) plan(courier, attempt, at + wait);
}

/** Null: no answer within the time, or no receiver. */
async function post(
  { settings, clock, stopping }: Courier,
  delivery: Delivery,
  at: Instant,
): Promise<number | null> {
  try {
    const answer = await fetch(delivery.url, {
      method: 'POST',
      headers: delivery.headers(settings.signatureTime === 'machine' ? clock() : at),
      body: new Uint8Array(delivery.body),
      redirect: 'manual',
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(settings.answerWithin)]),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

type Channel = 'direct' | 'dashboard';

/** A notification to be sent. The body is the same in every attempt, byte for byte. */
export interface Parcel {
  /** Of the delivery, not of the notification; unique in the sandbox. */
  readonly id: string;
  readonly channel: Channel;
  /** The merchant's reference. */
  readonly account: string;
  readonly url: string;
  /** Its operation or payment: two parcels of one subject are never on their way at once. */
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
  state: DeliveryStatus;
  /** Since it was sent off, or since it was replayed. */
  attempts: number;
  /** Of the last answer; null: no answer came, or nothing was sent yet. */
  lastStatus: number | null;
  /** Simulated time; null where no further attempt is planned. */
  nextRetryAt: Instant | null;
  updatedAt: Instant;
  /** How often it was replayed. */
  round: number;
}

/**
 * The effect of each. All but NEVER_SENT are lawful: delivery is at least once, and order is not
 * guaranteed.
 */
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

/** True when the trouble of that name concerns the delivery. */
function hasTrouble(
  misdelivery: Misdelivery,
  name: MisdeliveryName,
  of: { readonly id: string },
): boolean {
  const share = misdelivery[name] ?? 0;
  return share > 0 && drawUnit(seedRandom(`${of.id}/${name}`)) < share;
}

/** How much longer than usual the first attempt waits, milliseconds. */
function heldBack(misdelivery: Misdelivery, of: { readonly id: string }): number {
  const random = seedRandom(`${of.id}/held back`);
  const minutes = hasTrouble(misdelivery, 'OUT_OF_ORDER', of)
    ? drawInteger(random, { from: MINUTE, to: 30 * MINUTE })
    : 0;
  return (
    minutes +
    (hasTrouble(misdelivery, 'LATE', of) ? drawInteger(random, { from: HOUR, to: 24 * HOUR }) : 0)
  );
}

/** How long after a delivery its double follows. */
const DOUBLE_AFTER = SECOND;
