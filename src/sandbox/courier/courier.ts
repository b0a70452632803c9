// Sends notifications in the order of simulated time, retries them as the documents say, keeps the
// outcome of each, and loses or delays some where the settings want it. It knows neither API:
// headers and final statuses come with the parcel.

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
   * The time in a signature: `machine` for this machine's time, with which receivers compare it, or
   * `simulated`.
   */
  readonly signatureTime: 'machine' | 'simulated';
  /** Milliseconds of machine time within which a receiver must answer. */
  readonly answerWithin: number;
  /**
   * Most attempts that may be under way at once. The next one begins when the one before was
   * answered, or after `patience`.
   */
  readonly atOnce: number;
  /**
   * Milliseconds of machine time that an attempt is waited for before the next begins. Receivers
   * that answer sooner see everything in order.
   */
  readonly patience: number;
  /** True when plain HTTP is allowed to private networks too, and not only to this machine. */
  readonly privateHttp: boolean;
  readonly misdelivery: Misdelivery;
}

/**
 * The default time follows the document: "The receiving endpoint answers 2xx within 15 seconds"
 * (direct API, "Delivery rules").
 */
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
  /**
   * How often the delivery was replayed when the attempt was planned. A replay makes attempts
   * planned before it void.
   */
  readonly round: number;
  readonly isDouble: boolean;
}

/** An attempt without an answer yet. */
interface Underway {
  readonly subject: string;
  /** The earliest simulated instant at which its delivery could be due again. */
  readonly horizon: Instant;
  readonly done: Promise<void>;
  /** Until when the next attempt waits for this one, by `performance.now()`. */
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

/** Opens a courier. `clock` returns this machine's time. */
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
 * Adds a delivery whose first attempt is due after the first wait. Returns `null` when it is lost
 * at once (NEVER_SENT).
 */
export function dispatch(courier: Courier, parcel: Parcel): Delivery | null {
  const { misdelivery } = courier.settings;
  if (hasTrouble(misdelivery, 'NEVER_SENT', parcel)) return null;
  const delivery = addDelivery(courier, parcel);
  const at = parcel.createdAt + LADDER[0]! + heldBack(misdelivery, parcel);
  plan(courier, { delivery, round: 0, isDouble: false }, at);
  return delivery;
}

/** Adds a delivery and makes its first attempt at once. Resolves when the attempt was answered. */
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
 * Sends the same bytes again: the attempts, and with them the whole ladder of waits, begin anew.
 * Makes the first attempt at once and resolves when it was answered. The caller must refuse
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

/** Returns the deliveries of one merchant over one API, newest first. */
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

/** Returns `null` when the merchant has no delivery of that id over that API. */
export function deliveryNamed(
  { deliveries }: Courier,
  of: { readonly account: string; readonly channel: Channel; readonly id: string },
): Delivery | null {
  const delivery = deliveries.get(of.id);
  return delivery?.account === of.account && delivery.channel === of.channel ? delivery : null;
}

/** Returns the simulated time at which the next attempt is due; `null` when none is planned. */
export function nextDue(courier: Courier): Instant | null {
  for (let next = peekEvent(courier.queue); next !== null; next = peekEvent(courier.queue)) {
    if (next.delivery.round === next.round) return nextInstant(courier.queue);
    takeEvent(courier.queue);
  }
  return null;
}

/** Returns the instant before which no attempt under way can lead to another. */
export function horizonOf({ underway }: Courier): Instant {
  return Math.min(...[...underway].map(({ horizon }) => horizon));
}

/**
 * Returns false while an attempt under way must be waited for before the next begins. An attempt
 * must be due.
 */
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
 * Resolves when one of the attempts under way has ended or its patience is over. At least one
 * attempt must be under way.
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

/** Starts an attempt. It counts as under way from this call until it was answered. */
function start(courier: Courier, attempt: Attempt, at: Instant): Promise<void> {
  const done = make(courier, attempt, at).finally(() => courier.underway.delete(entry));
  const waitedFor = performance.now() + courier.settings.patience;
  const { subject } = attempt.delivery;
  const entry: Underway = { subject, horizon: at + nextWait(courier, attempt), done, waitedFor };
  courier.underway.add(entry);
  return done;
}

/** Returns how long after this attempt the next could come, whatever the answer. */
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

/**
 * Returns the status of the answer; `null` when no answer came in time, or no receiver was there.
 */
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

/** A notification to be sent. Its body is the same in every attempt, byte for byte. */
export interface Parcel {
  /** The id of the delivery, not of the notification; unique in the sandbox. */
  readonly id: string;
  readonly channel: Channel;
  /** The merchant's reference. */
  readonly account: string;
  readonly url: string;
  /**
   * Names its operation or payment. Two parcels of one subject are never on their way at the same
   * time.
   */
  readonly subject: string;
  readonly type: string;
  readonly body: Buffer;
  readonly createdAt: Instant;
  /**
   * Returns the headers of one attempt. `signedAt` is the time that a receiver compares with its
   * own.
   */
  readonly headers: (signedAt: Instant) => Readonly<Record<string, string>>;
  /** Statuses of an answer after which nothing is sent any more. */
  readonly finalStatuses: readonly number[];
}

export interface Delivery extends Omit<Parcel, 'url'> {
  url: string;
  state: DeliveryStatus;
  /** Attempts since the delivery was added, or since its last replay. */
  attempts: number;
  /** The status of the last answer; `null` when no answer came, or nothing was sent yet. */
  lastStatus: number | null;
  /** The simulated time of the next attempt; `null` when none is planned. */
  nextRetryAt: Instant | null;
  updatedAt: Instant;
  /** How often the delivery was replayed. */
  round: number;
}

/**
 * What each trouble does to a delivery. All but NEVER_SENT are lawful, because delivery is at least
 * once and order is not guaranteed.
 */
export const MISDELIVERIES = {
  DELIVERED_TWICE: 'is delivered, and delivered once more a second later',
  OUT_OF_ORDER: 'is held back for one to thirty minutes, so that later ones overtake it',
  LATE: 'is held back for one to twenty-four hours',
  ANSWER_LOST: 'has its first 2xx lost on the way back, so that it is sent again',
  NEVER_SENT: 'is lost before the first attempt and listed nowhere: a fault of the service',
} as const;
export type MisdeliveryName = keyof typeof MISDELIVERIES;

/**
 * For each trouble the share of deliveries it happens to, 0 … 1. A trouble that is absent never
 * happens.
 */
export type Misdelivery = Partial<Readonly<Record<MisdeliveryName, number>>>;

/** Tells whether the trouble happens to the delivery. The answer is the same on every call. */
function hasTrouble(
  misdelivery: Misdelivery,
  name: MisdeliveryName,
  of: { readonly id: string },
): boolean {
  const share = misdelivery[name] ?? 0;
  return share > 0 && drawUnit(seedRandom(`${of.id}/${name}`)) < share;
}

/** Returns how many milliseconds longer than usual the first attempt waits. */
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
