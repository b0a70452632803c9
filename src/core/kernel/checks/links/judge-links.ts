// Judges a merchant's payments by link: what one look at them shows, what earlier looks saw, and
// what was notified.

import type { Evidence } from '../../../domain/finding.ts';
import { DAY, formatInstant, type Instant } from '../../../domain/instant.ts';
import { DELIVERY_WINDOW } from '../../../domain/notification.ts';
import {
  LINK_END_NOTICED,
  LINK_LIFETIME,
  type Payment,
  type ReceivedClaim,
  saysAsServed,
} from '../../../domain/payment.ts';
import type { FailedDelivery } from '../../../domain/published/failed-delivery.ts';
import type { Kept, KeptPayments } from '../../../domain/published/payout-place.ts';
import type { Span } from '../../../domain/service-report.ts';
import { isSame, type Judgement, joined, judged, NOT_JUDGED, seriesOf } from '../port/judgement.ts';

/**
 * The payments of a span of time as the service serves them now, the versions that earlier looks
 * saw, and notifications. A look is one reading of the published payments.
 */
export interface LinkCase {
  /** All payments that were created in `span`, by reference. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly span: Span;
  readonly kept: KeptPayments;
  /** False where rows could not be read: each of them may be a payment that seems missing. */
  readonly isWhole: boolean;
  /** Notifications that the service lists as not delivered, by the payment that they are about. */
  readonly undelivered: ReadonlyMap<string, FailedDelivery>;
  readonly askedAt: Instant;
  readonly clockTolerance: number;
}

export function judgeLinks(subject: LinkCase): Judgement {
  return joined([
    judgeOverdue(subject),
    judgeVersions(subject),
    judgeOrders(subject),
    judgeClaims(subject),
  ]);
}

function placeOf(reference: string): string {
  return `payment ${reference}`;
}

function paymentEvidence(
  { reference, amount, status, createdAt }: Payment,
  seenAt: Instant | null = null,
): Evidence {
  const seen = seenAt === null ? '' : `, as seen at ${formatInstant(seenAt)}`;
  const note = `${status} ${amount}, created at ${formatInstant(createdAt)}${seen}`;
  return { what: 'report', sequence: null, reference, note };
}

// Each payment by itself: a link ends within a day, an outcome is final, and what is fixed at
// creation does not change (dashboard API, "Payment", "States and transitions").

function judgeOverdue({ payments, kept, askedAt, clockTolerance }: LinkCase): Judgement {
  return joined(
    [...payments.values()].flatMap((payment) => {
      const { reference, amount, status, createdAt } = payment;
      const isPending = status === 'PENDING';
      const wasPending =
        kept.versions.get(reference)?.some(({ value }) => value.status === 'PENDING') ?? false;
      if (!isPending && !wasPending) return [];
      const due = createdAt + LINK_LIFETIME;
      const isLate = isPending && due + LINK_END_NOTICED + clockTolerance < askedAt;
      const figures = { reference, amount, due: formatInstant(due) };
      const found = isLate
        ? { figures, evidence: [paymentEvidence(payment)], about: payment }
        : null;
      return [judged('PAYMENT_OVERDUE', placeOf(reference), found)];
    }),
  );
}

/** Judges the versions of each payment. Payments that never changed are skipped. */
function judgeVersions(subject: LinkCase): Judgement {
  return joined(
    [...subject.kept.versions].flatMap(([reference, rows]) => {
      const now = subject.payments.get(reference) ?? null;
      const isGone = now === null && mustBeServed(subject, rows.at(-1)!.value);
      const versions = seriesOf(rows, now, subject.askedAt);
      if (versions.length === 1 && !isGone) return [];
      return [judgeOutcome(reference, versions, isGone), judgeFields(reference, versions)];
    }),
  );
}

/**
 * Whether the payment must be in what was read: its creation lies within the span however wrong the
 * clocks are, and no row was left out.
 */
function mustBeServed(
  { span, isWhole, askedAt, clockTolerance }: LinkCase,
  { createdAt }: Payment,
): boolean {
  const isWithin =
    createdAt >= span.from + clockTolerance && createdAt < span.until - clockTolerance;
  return isWhole && isWithin && createdAt < askedAt - clockTolerance;
}

function judgeOutcome(
  reference: string,
  versions: readonly Kept<Payment>[],
  isGone: boolean,
): Judgement {
  const place = placeOf(reference);
  const ended = versions.findIndex(({ value }) => value.status !== 'PENDING');
  const later = ended < 0 ? [] : versions.slice(ended);
  const other = later.find(({ value }) => value.status !== versions[ended]!.value.status);
  if (other === undefined && !isGone) return judged('PAYMENT_OUTCOME_CHANGED', place, null);
  const before = other === undefined ? versions.at(-1)! : versions[ended]!;
  const { amount, status } = before.value;
  const now = other?.value.status ?? null;
  return judged('PAYMENT_OUTCOME_CHANGED', place, {
    figures: { reference, amount, before: status, now },
    about: before.value,
    expected: status,
    actual: now ?? 'not served',
    evidence: [before, other].flatMap((one) =>
      one === undefined ? [] : [paymentEvidence(one.value, one.at)],
    ),
  });
}

/** The fields that are fixed at creation: the name that the service has for each, and ours. */
const FIXED = [
  ['amount', 'amount'],
  ['country', 'country'],
  ['order_id', 'orderId'],
  ['createdAt', 'createdAt'],
] as const;

function judgeFields(reference: string, [first, ...others]: readonly Kept<Payment>[]): Judgement {
  const changes = others.flatMap((other) => {
    const changed = FIXED.find(([, of]) => !isSame(first!.value[of], other.value[of]));
    return changed === undefined ? [] : [{ other, name: changed[0], of: changed[1] }];
  });
  const [change] = changes;
  if (change === undefined) return judged('PAYMENT_FIELD_CHANGED', placeOf(reference), null);
  const { other, name, of } = change;
  const [before, now] = [textOf(first!.value, of), textOf(other.value, of)];
  return judged('PAYMENT_FIELD_CHANGED', placeOf(reference), {
    figures: { reference, name, before, now },
    about: other.value,
    expected: before,
    actual: now,
    difference: of === 'amount' ? BigInt(other.value.amount - first!.value.amount) : null,
    evidence: [first!, other].map(({ at, value }) => paymentEvidence(value, at)),
  });
}

function textOf(payment: Payment, of: (typeof FIXED)[number][1]): string {
  return of === 'createdAt'
    ? formatInstant(payment.createdAt)
    : String(payment[of] ?? 'null').slice(0, 80);
}

// Payments compared with each other: one order that was paid more than once.

/**
 * A merchant may use the name of an order again. Two payments of one name and one amount are of the
 * same order if they were created within this time, in milliseconds.
 */
const SAME_ORDER_WITHIN = DAY;
const MOST_EVIDENCE = 20;

function judgeOrders({ payments }: LinkCase): Judgement {
  const named = [...payments.values()].filter(({ orderId }) => orderId !== null);
  const orders = [...Map.groupBy(named, ({ orderId }) => orderId!)].filter(
    ([, of]) => of.length > 1,
  );
  return joined(
    orders.map(([order, of]) => {
      const paid = of
        .filter(({ status }) => status === 'SUCCESS')
        .sort((a, b) => a.createdAt - b.createdAt);
      const twice = paidTogether(paid);
      const place = `order ${order.slice(0, 120)}`;
      if (twice.length < 2) return judged('ORDER_PAID_TWICE', place, null);
      const [first, second] = twice.map(({ reference }) => reference) as [string, string];
      return judged('ORDER_PAID_TWICE', place, {
        figures: {
          order: order.slice(0, 80),
          amount: twice[0]!.amount,
          first,
          second,
          count: twice.length,
        },
        about: twice[1]!,
        evidence: twice.slice(0, MOST_EVIDENCE).map((one) => paymentEvidence(one)),
      });
    }),
  );
}

/**
 * Returns the first payments of one amount that follow each other within a day; empty where there
 * are no two. `paid` must be in the order of time.
 */
function paidTogether(paid: readonly Payment[]): readonly Payment[] {
  for (const same of Map.groupBy(paid, ({ amount }) => amount).values()) {
    const at = same.findIndex(
      (one, i) => i > 0 && one.createdAt - same[i - 1]!.createdAt <= SAME_ORDER_WITHIN,
    );
    if (at < 0) continue;
    const end = same.findIndex(
      (one, i) => i > at && one.createdAt - same[i - 1]!.createdAt > SAME_ORDER_WITHIN,
    );
    return same.slice(at - 1, end < 0 ? undefined : end);
  }
  return [];
}

// Payments compared with notifications. A notification of a payment is not signed and may come from
// anyone. So none is believed by itself, and one that agrees with the service is enough. Received
// notifications are called claims.

/**
 * Up to this many missing notifications have a finding each; with more, one finding speaks for all.
 */
const MOST_NAMED = 20;
const UNKNOWN_PLACE = 'notifications of unknown payments';
const MISSING_PLACE = 'notifications that are missing';

function judgeClaims(subject: LinkCase): Judgement {
  const { claims } = subject.kept;
  if (claims === null) return NOT_JUDGED;
  const byReference = Map.groupBy(claims, ({ reference }) => reference);
  return joined([
    ...[...byReference].map(([reference, own]) => judgeContradiction(subject, reference, own)),
    judgeMissing(subject),
    judgeUnknown(subject, byReference),
  ]);
}

/** False for a claim that came just before the payments were read: it may have overtaken them. */
function isSettled({ askedAt, clockTolerance }: LinkCase, { receivedAt }: ReceivedClaim): boolean {
  return receivedAt < askedAt - 2 * clockTolerance;
}

function claimEvidence({ reference, status, amount, receivedAt }: ReceivedClaim): Evidence {
  const note = `${status} ${amount ?? 'without an amount'}, received at ${formatInstant(receivedAt)}`;
  return { what: 'notification', sequence: null, reference: reference.slice(0, 80), note };
}

/**
 * Judges the claims about one payment. A claim that agrees with what an earlier look saw is true:
 * that the service serves something else now is a finding of its own.
 */
function judgeContradiction(
  subject: LinkCase,
  reference: string,
  own: readonly ReceivedClaim[],
): Judgement {
  const payment = subject.payments.get(reference);
  if (payment === undefined) return NOT_JUDGED;
  const versions = seriesOf(subject.kept.versions.get(reference) ?? [], payment, subject.askedAt);
  const agrees = own.some((one) => versions.some(({ value }) => saysAsServed(one, value)));
  const claim = own.find((one) => isSettled(subject, one));
  // Where one claim and one version agree, no earlier finding can be at this place.
  if (agrees && own.length === 1 && versions.length === 1) return NOT_JUDGED;
  if (agrees || claim === undefined)
    return judged('PAYMENT_EVENT_CONTRADICTS', placeOf(reference), null);
  const { status, amount } = claim;
  const { status: servedStatus, amount: servedAmount } = payment;
  const evidence = [claimEvidence(claim), paymentEvidence(payment)];
  const isOfAmount = status === servedStatus && amount !== null;
  const compared = isOfAmount
    ? { expected: servedAmount, actual: amount }
    : { expected: servedStatus, actual: status };
  const figures = { reference, status, amount, servedStatus, servedAmount };
  return judged('PAYMENT_EVENT_CONTRADICTS', placeOf(reference), {
    figures,
    ...compared,
    evidence,
    about: payment,
  });
}

/**
 * How long after the creation of a payment its success must have been notified, in milliseconds.
 * This holds for successes only: the document does not say whether a link that merely ended is
 * notified.
 */
const LONGEST = LINK_LIFETIME + LINK_END_NOTICED + DELIVERY_WINDOW;

/**
 * Returns the payments that succeeded long ago and that no claim names, oldest first. Payments made
 * before the merchant's first claim are left out, because notifications may not have been set up.
 */
export function unnotified(subject: Omit<LinkCase, 'undelivered'>): readonly Payment[] {
  const { payments, kept, askedAt, clockTolerance } = subject;
  const since = (kept.claims ?? []).reduce(
    (first, { receivedAt }) => Math.min(first, receivedAt),
    askedAt,
  );
  const named = new Set(kept.claims?.map(({ reference }) => reference));
  return [...payments.values()]
    .filter(({ status, createdAt, reference }) => {
      const isDue = createdAt >= since && createdAt + LONGEST + clockTolerance < askedAt;
      return status === 'SUCCESS' && isDue && !named.has(reference);
    })
    .sort((a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1));
}

function judgeMissing(subject: LinkCase): Judgement {
  const { undelivered, kept, payments, clockTolerance } = subject;
  const missing = unnotified(subject);
  const found = (payment: Payment, more: number) => {
    const { reference, amount } = payment;
    const listed = undelivered.get(reference)?.status ?? null;
    return { figures: { reference, amount, listed, more }, evidence: [paymentEvidence(payment)] };
  };
  const isMany = missing.length > MOST_NAMED;
  // A notification that came late may have been reported as missing before.
  const late = (kept.claims ?? []).filter(({ reference, receivedAt }) => {
    const payment = payments.get(reference);
    return payment !== undefined && payment.createdAt + LONGEST - clockTolerance < receivedAt;
  });
  return joined([
    judged(
      'PAYMENT_EVENT_MISSING',
      MISSING_PLACE,
      isMany ? found(missing[0]!, missing.length - 1) : null,
    ),
    ...late.map(({ reference }) => judged('PAYMENT_EVENT_MISSING', placeOf(reference), null)),
    ...missing.map((one) =>
      judged('PAYMENT_EVENT_MISSING', placeOf(one.reference), isMany ? null : found(one, 0)),
    ),
  ]);
}

/**
 * Judges claims about payments that do not exist. They share one finding, because anyone who knows
 * the address can send many.
 */
function judgeUnknown(
  subject: LinkCase,
  byReference: ReadonlyMap<string, readonly ReceivedClaim[]>,
): Judgement {
  const { payments, kept, span, isWhole, clockTolerance } = subject;
  if (!isWhole) return NOT_JUDGED;
  const isKnown = (reference: string): boolean =>
    payments.has(reference) || kept.versions.has(reference);
  const isWithin = ({ createdAt }: ReceivedClaim): boolean =>
    createdAt !== null &&
    createdAt >= span.from + clockTolerance &&
    createdAt < span.until - clockTolerance;
  const strange = [...byReference].flatMap(([reference, own]) =>
    isKnown(reference)
      ? []
      : own.filter((one) => isWithin(one) && isSettled(subject, one)).slice(0, 1),
  );
  const [first] = strange;
  if (first === undefined) return judged('PAYMENT_EVENT_UNKNOWN', UNKNOWN_PLACE, null);
  const figures = {
    reference: first.reference.slice(0, 80),
    status: first.status,
    more: strange.length - 1,
  };
  const evidence = strange.slice(0, MOST_NAMED).map(claimEvidence);
  return judged('PAYMENT_EVENT_UNKNOWN', UNKNOWN_PLACE, { figures, evidence });
}
