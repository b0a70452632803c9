// Notifications that the service loses or alters: one that was sent cannot be taken back, so the fault is chosen before the notification
// is due.

import { HOUR, type Instant } from '../../core/domain/instant.ts';
import type { LinkPayment } from '../dashboard/state.ts';
import type { Expected } from '../model/plan.ts';
import { drawLetters, seedRandom } from '../model/random.ts';
import type { ServedNotification } from '../model/served.ts';
import { instantsOf } from '../model/time.ts';
import type { WalletLife } from '../simulation/state.ts';
import { expectedAt } from './port/planting.ts';

/** Fault → types of notifications, the next of which is lost. A success may still be reversed, which would be notified. */
const LOST_TYPES: Readonly<Record<string, readonly string[]>> = {
  EVENT_MISSING: ['cashin.failed', 'cashin.expired', 'cashout.failed', 'cashout.expired'],
  'EVENT_MISSING/reversal': ['operation.reversed'],
  'EVENT_MISSING/adjustment': ['wallet.adjusted'],
};

/** What `wallet.adjusted` says is not documented: one within this time of a line may be the line's. */
const NEAR = HOUR;

interface Loser {
  readonly simulation: WalletLife;
  readonly notifiedSince: Instant | null;
  readonly losing: Set<string>;
  planted: readonly Expected[];
}

export function isLoss(fault: string): boolean {
  return Object.hasOwn(LOST_TYPES, fault);
}

/** Whether this notification of what has just happened is never sent: a fault has waited for it, which is planted with it. */
export function isLost(loser: Loser, notification: ServedNotification): boolean {
  const { losing, simulation } = loser;
  const { type, data } = notification;
  const fault = [...losing].find((one) => LOST_TYPES[one]!.includes(type));
  if (fault === undefined || !isMissed(loser, notification)) return false;
  losing.delete(fault);
  const { operation } = data;
  const place =
    operation === undefined
      ? { sequence: simulation.sequence, operationReference: null }
      : { sequence: null, operationReference: operation.reference };
  loser.planted = [...loser.planted, { kind: 'EVENT_MISSING', ...place }];
  return true;
}

/** Whoever received nothing of the kind yet misses nothing; nor does anybody miss an adjustment that another one stands near. */
function isMissed({ simulation, notifiedSince }: Loser, notification: ServedNotification): boolean {
  const { type, data, createdAt } = notification;
  const at = Date.parse(createdAt);
  const isAdjustment = data.operation === undefined;
  const before = simulation.notifications
    .filter((one) => one !== notification && (!isAdjustment || one.type === type))
    .map((one) => Date.parse(one.createdAt));
  const planned = isAdjustment ? instantsOf(simulation.queue, ({ what }) => what === 'ADJUSTMENT') : [];
  const isNear = (other: Instant) => Math.abs(other - at) <= NEAR;
  if (isAdjustment && [...before, ...planned].some(isNear)) return false;
  return before.some((other) => notifiedSince !== null && other >= notifiedSince && other < at - NEAR);
}

/** Fault → the results that are told in place of that of the next payment that succeeds. */
const TOLD_INSTEAD: Readonly<Record<string, (payment: LinkPayment) => readonly LinkPayment[]>> = {
  PAYMENT_EVENT_MISSING: () => [],
  PAYMENT_EVENT_CONTRADICTS: (payment) => [{ ...payment, outcome: 'FAILED' }],
  'PAYMENT_EVENT_CONTRADICTS/amount': ({ served, ...payment }) => [
    { ...payment, served: { ...served, amount: served.amount + 1_000 } },
  ],
  PAYMENT_EVENT_UNKNOWN: (payment) => [
    payment,
    { ...payment, served: { ...payment.served, reference: strange(payment) } },
  ],
};

function strange({ served }: LinkPayment): string {
  return `PAY${drawLetters(seedRandom(`another than ${served.reference}`), 8)}`;
}

/** Whoever received nothing yet misses nothing: something was told before the link was made. */
const TOLD_BEFORE = HOUR;

interface Teller {
  readonly mistelling: Set<string>;
  /** When the first result was told; null: none was. */
  firstToldAt: Instant | null;
  planted: readonly Expected[];
}

/** What is told of a payment that has ended: itself, unless a fault has waited for it. */
export function resultsOf(teller: Teller, payment: LinkPayment): readonly LinkPayment[] {
  const [fault] = teller.mistelling;
  teller.firstToldAt ??= payment.settledAt;
  const isDue = payment.outcome === 'SUCCESS' && payment.createdAt >= teller.firstToldAt + TOLD_BEFORE;
  if (fault === undefined || !isDue) return [payment];
  teller.mistelling.delete(fault);
  const told = TOLD_INSTEAD[fault]!(payment);
  const { reference } = (told.at(-1) ?? payment).served;
  teller.planted = [...teller.planted, expectedAt({ name: fault }, reference)];
  return told;
}
