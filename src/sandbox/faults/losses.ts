// Faults in which the service loses or alters a notification. What was sent cannot be taken back,
// so such a fault waits for the next notification that it applies to, and is planted with that one.

import { HOUR, type Instant } from '../../core/domain/instant.ts';
import type { LinkPayment } from '../dashboard/state.ts';
import type { Expected } from '../model/plan.ts';
import type { ServedNotification } from '../model/served.ts';
import type { WalletLife } from '../simulation/state.ts';
import { type DashboardFault, expectedAt } from './port/planting.ts';

/**
 * For each fault the types of notifications of which the next one is lost. Types of a success are
 * left out, because a success may still be reversed, and that would be notified.
 */
const LOST_TYPES: Readonly<Record<string, readonly string[]>> = {
  EVENT_MISSING: ['cashin.failed', 'cashin.expired', 'cashout.failed', 'cashout.expired'],
  'EVENT_MISSING/reversal': ['operation.reversed'],
  'EVENT_MISSING/adjustment': ['wallet.adjusted'],
};

/**
 * The document does not show what `wallet.adjusted` carries, so a notification within this time of
 * an adjustment's line may be about that line.
 */
const NEAR = HOUR;

/**
 * The part of an account in which faults wait for the next notification of an operation or an
 * adjustment.
 */
interface AwaitingLoss {
  readonly simulation: WalletLife;
  readonly notifiedSince: Instant | null;
  readonly losing: Set<string>;
  planted: readonly Expected[];
}

export function isLoss(fault: string): boolean {
  return Object.hasOwn(LOST_TYPES, fault);
}

/**
 * Tells whether a fault has waited for this notification, which must then never be sent. Plants
 * that fault.
 */
export function isLost(account: AwaitingLoss, notification: ServedNotification): boolean {
  const { losing, simulation } = account;
  const { type, data } = notification;
  const fault = [...losing].find((one) => LOST_TYPES[one]!.includes(type));
  if (fault === undefined || !isMissed(account, notification)) return false;
  losing.delete(fault);
  const place =
    data.operation === undefined
      ? { sequence: simulation.sequence, operationReference: null }
      : { sequence: null, operationReference: data.operation.reference };
  account.planted = [...account.planted, { kind: 'EVENT_MISSING', ...place }];
  return true;
}

/**
 * Tells whether a receiver would miss the notification: it must have received one before. For an
 * adjustment, no other adjustment may be near.
 */
function isMissed(
  { simulation, notifiedSince }: AwaitingLoss,
  notification: ServedNotification,
): boolean {
  const { type, data, createdAt } = notification;
  const at = Date.parse(createdAt);
  const isAdjustment = data.operation === undefined;
  const before = simulation.notifications
    .filter((one) => one !== notification && (!isAdjustment || one.type === type))
    .map((one) => Date.parse(one.createdAt));
  const planned = simulation.queue.slots
    .filter(({ event }) => event.what === 'ADJUSTMENT')
    .map((slot) => slot.at);
  const isNear = (other: Instant) => Math.abs(other - at) <= NEAR;
  if (isAdjustment && [...before, ...planned].some(isNear)) return false;
  return before.some(
    (other) => notifiedSince !== null && other >= notifiedSince && other < at - NEAR,
  );
}

/** The part of an account in which faults wait for the next result of a payment by link. */
interface AwaitingResult {
  readonly misreporting: Set<DashboardFault>;
  /** When the first result was notified; `null` when none was. */
  firstResultAt: Instant | null;
  planted: readonly Expected[];
}

/**
 * Returns the results to notify of a payment that has ended: its own, or those of a fault that has
 * waited for it. A receiver can miss a result only if it had received one an hour before the link
 * was made.
 */
export function resultsOf(account: AwaitingResult, payment: LinkPayment): readonly LinkPayment[] {
  const [fault] = account.misreporting;
  account.firstResultAt ??= payment.settledAt;
  const isDue = payment.outcome === 'SUCCESS' && payment.createdAt >= account.firstResultAt + HOUR;
  if (fault === undefined || !isDue) return [payment];
  account.misreporting.delete(fault);
  const results = fault.notified!(payment);
  const { reference } = (results.at(-1) ?? payment).served;
  account.planted = [...account.planted, expectedAt(fault, reference)];
  return results;
}
