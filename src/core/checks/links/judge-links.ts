// All that one look at a merchant's payments by link, the looks before it and what was notified show to be wrong.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import { DAY, formatInstant, type Instant } from '../../domain/instant.ts';
import { DELIVERY_WINDOW } from '../../domain/notification.ts';
import {
  LINK_END_NOTICED,
  LINK_LIFETIME,
  type Payment,
  type ReceivedClaim,
  saysAsServed,
} from '../../domain/payment.ts';
import type { FailedDelivery } from '../../domain/published/failed-delivery.ts';
import type { Kept, KeptPayments } from '../../domain/published/payout-place.ts';
import type { Span } from '../../domain/service-report.ts';
import { draftOf } from '../port/check.ts';
import { isSame, type Judgement, joined, judgedAt, NOT_JUDGED, seriesOf } from '../port/judgement.ts';

export function judgeLinks(subject: LinkCase): Judgement {
  return joined([judgeOverdue(subject), judgeVersions(subject), judgeOrders(subject), judgeClaims(subject)]);
}

// Payments against each other: one order that was paid more than once.

/** A merchant may use the name of an order again: within so long of each other, and over the same amount, it is the same one. */
const SAME_ORDER_WITHIN = DAY;
const MOST_EVIDENCE = 20;

function judgeOrders({ payments }: LinkCase): Judgement {
  const named = [...payments.values()].filter(({ orderId }) => orderId !== null);
  const orders = [...Map.groupBy(named, ({ orderId }) => orderId!)].filter(([, of]) => of.length > 1);
  return joined(
    orders.map(([order, of]) => {
      const place = `order ${order.slice(0, 120)}`;
      const paid = of.filter(({ status }) => status === 'SUCCESS').sort((a, b) => a.createdAt - b.createdAt);
      const twice = paidTogether(paid);
      if (twice.length < 2) return judgedAt('ORDER_PAID_TWICE', place, []);
      const [first, second] = twice.map(({ reference }) => reference) as [string, string];
      const figures = { order: order.slice(0, 80), amount: twice[0]!.amount, first, second, count: twice.length };
      const evidence = twice.slice(0, MOST_EVIDENCE).map((one) => paymentEvidence(one, null));
      return judgedAt('ORDER_PAID_TWICE', place, [
        draftOf('ORDER_PAID_TWICE', figures, { inputPlace: place, evidence }),
      ]);
    }),
  );
}

/** The first of them over one amount that follow each other within a day. `paid` is in the order of time. */
function paidTogether(paid: readonly Payment[]): readonly Payment[] {
  for (const same of Map.groupBy(paid, ({ amount }) => amount).values()) {
    const at = same.findIndex((one, i) => i > 0 && one.createdAt - same[i - 1]!.createdAt <= SAME_ORDER_WITHIN);
    if (at < 0) continue;
    const end = same.findIndex((one, i) => i > at && one.createdAt - same[i - 1]!.createdAt > SAME_ORDER_WITHIN);
    return same.slice(at - 1, end < 0 ? undefined : end);
  }
  return [];
}

// Each payment against its own time, and against what earlier looks saw of it: a link ends within a day, an outcome stands, and what
// is fixed at creation stays as it is (dashboard API, "Payment", "States and transitions").

/** By the names that the service has for them. */
const FIXED_AT_CREATION = [
  ['amount', 'amount'],
  ['country', 'country'],
  ['order_id', 'orderId'],
  ['createdAt', 'createdAt'],
] as const;

function judgeOverdue({ payments, kept, askedAt, clockTolerance }: LinkCase): Judgement {
  return joined(
    [...payments.values()].flatMap((payment) => {
      const { reference, amount, status, createdAt } = payment;
      const isPending = status === 'PENDING';
      const wasPending = kept.versions.get(reference)?.some(({ value }) => value.status === 'PENDING') ?? false;
      if (!isPending && !wasPending) return [];
      const due = createdAt + LINK_LIFETIME;
      const isLate = isPending && due + LINK_END_NOTICED + clockTolerance < askedAt;
      const parts = { inputPlace: placeOfPayment(reference), evidence: [paymentEvidence(payment, null)] };
      const draft = draftOf('PAYMENT_OVERDUE', { reference, amount, due: formatInstant(due) }, parts);
      return [judgedAt('PAYMENT_OVERDUE', parts.inputPlace, isLate ? [draft] : [])];
    }),
  );
}

function judgeVersions(subject: LinkCase): Judgement {
  return joined([...subject.kept.versions].flatMap(([reference, rows]) => judgeOne(subject, reference, rows)));
}

/** Of a payment that never changed there is nothing to look for. */
function judgeOne(subject: LinkCase, reference: string, rows: readonly Kept<Payment>[]): readonly Judgement[] {
  const now = subject.payments.get(reference) ?? null;
  const isGone = now === null && mustBeServed(subject, rows.at(-1)!.value);
  const versions = seriesOf(rows, now, subject.askedAt);
  if (versions.length === 1 && !isGone) return [];
  const place = placeOfPayment(reference);
  const outcome = outcomeChange(versions, isGone);
  const field = fieldChange(versions);
  return [
    judgedAt('PAYMENT_OUTCOME_CHANGED', place, outcome === null ? [] : [outcome]),
    judgedAt('PAYMENT_FIELD_CHANGED', place, field === null ? [] : [field]),
  ];
}

/** Its creation lies within what was read, whatever the clocks, and nothing was left out. */
function mustBeServed({ span, isWhole, askedAt, clockTolerance }: LinkCase, { createdAt }: Payment): boolean {
  const isWithin = createdAt >= span.from + clockTolerance && createdAt < span.until - clockTolerance;
  return isWhole && isWithin && createdAt < askedAt - clockTolerance;
}

function outcomeChange(versions: readonly Kept<Payment>[], isGone: boolean): FindingDraft | null {
  const ended = versions.findIndex(({ value }) => value.status !== 'PENDING');
  const other =
    ended < 0 ? undefined : versions.slice(ended).find((one) => one.value.status !== versions[ended]!.value.status);
  if (other === undefined && !isGone) return null;
  const before = other === undefined ? versions.at(-1)! : versions[ended]!;
  const { reference, amount, status } = before.value;
  const now = other?.value.status ?? null;
  return draftOf(
    'PAYMENT_OUTCOME_CHANGED',
    { reference, amount, before: status, now },
    {
      inputPlace: placeOfPayment(reference),
      expected: status,
      actual: now ?? 'not served',
      evidence: [before, ...(other === undefined ? [] : [other])].map(({ at, value }) => paymentEvidence(value, at)),
    },
  );
}

function fieldChange(versions: readonly Kept<Payment>[]): FindingDraft | null {
  const first = versions[0]!;
  for (const other of versions.slice(1)) {
    const changed = FIXED_AT_CREATION.find(([, of]) => !isSame(first.value[of], other.value[of]));
    if (changed === undefined) continue;
    const [name, of] = changed;
    const [before, now] = [shown(first.value, of), shown(other.value, of)];
    return draftOf(
      'PAYMENT_FIELD_CHANGED',
      { reference: first.value.reference, name, before, now },
      {
        inputPlace: placeOfPayment(first.value.reference),
        expected: before,
        actual: now,
        difference: of === 'amount' ? BigInt(other.value.amount - first.value.amount) : null,
        evidence: [first, other].map(({ at, value }) => paymentEvidence(value, at)),
      },
    );
  }
  return null;
}

function shown(payment: Payment, of: (typeof FIXED_AT_CREATION)[number][1]): string {
  const value = payment[of];
  return of === 'createdAt' ? formatInstant(payment.createdAt) : String(value ?? 'null').slice(0, 80);
}

// Payments against what was notified of them. A notification of a payment is not signed: anybody may have sent it, so that nothing
// which it says is believed, and one that agrees with the service is enough.

/** Of more payments than this, one finding speaks for all. */
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

/** What came just before the payments were read may have overtaken them. */
function isSettled({ askedAt, clockTolerance }: LinkCase, { receivedAt }: ReceivedClaim): boolean {
  return receivedAt < askedAt - 2 * clockTolerance;
}

function judgeContradiction(subject: LinkCase, reference: string, own: readonly ReceivedClaim[]): Judgement {
  const payment = subject.payments.get(reference);
  if (payment === undefined) return NOT_JUDGED;
  const versions = seriesOf(subject.kept.versions.get(reference) ?? [], payment, subject.askedAt);
  // What was notified stays true of what an earlier look saw: that it is served otherwise now is another finding.
  const agrees = own.some((claim) => versions.some(({ value }) => saysAsServed(claim, value)));
  const claim = own.find((one) => isSettled(subject, one));
  const place = placeOfPayment(reference);
  // Where all agreed from the beginning there is nothing to look for.
  if (agrees && own.length === 1 && versions.length === 1) return NOT_JUDGED;
  if (agrees || claim === undefined) return judgedAt('PAYMENT_EVENT_CONTRADICTS', place, []);
  return judgedAt('PAYMENT_EVENT_CONTRADICTS', place, [describeContradiction(payment, claim)]);
}

function describeContradiction(payment: Payment, claim: ReceivedClaim): FindingDraft {
  const { reference, status: servedStatus, amount: servedAmount } = payment;
  const { status, amount } = claim;
  const isOfAmount = status === servedStatus && amount !== null;
  return draftOf(
    'PAYMENT_EVENT_CONTRADICTS',
    { reference, status, amount, servedStatus, servedAmount },
    {
      inputPlace: placeOfPayment(reference),
      expected: isOfAmount ? String(servedAmount) : servedStatus,
      actual: isOfAmount ? String(amount) : status,
      difference: isOfAmount ? BigInt(amount - servedAmount) : null,
      evidence: [claimEvidence(claim), paymentEvidence(payment, null)],
    },
  );
}

/**
 * By which a success must have been notified, at the latest. Only of successes: whether a link that merely ended is notified, the
 * document does not say.
 */
const LONGEST = LINK_LIFETIME + LINK_END_NOTICED + DELIVERY_WINDOW;

/**
 * Payments that succeeded, and that no notification names though it is late for one, oldest first; of a merchant that had
 * received any before they were made.
 */
export function unnotified(subject: Omit<LinkCase, 'undelivered'>): readonly Payment[] {
  const { payments, kept, askedAt, clockTolerance } = subject;
  const since = (kept.claims ?? []).reduce((first, { receivedAt }) => Math.min(first, receivedAt), askedAt);
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
  const describe = (payment: Payment, inputPlace: string, more: number): FindingDraft => {
    const { reference, amount } = payment;
    const listed = undelivered.get(reference)?.status ?? null;
    const evidence = [paymentEvidence(payment, null)];
    return draftOf('PAYMENT_EVENT_MISSING', { reference, amount, listed, more }, { inputPlace, evidence });
  };
  const isMany = missing.length > MOST_NAMED;
  const all = isMany ? [describe(missing[0]!, MISSING_PLACE, missing.length - 1)] : [];
  // What came after it had been late may have been missed before.
  const late = (kept.claims ?? []).filter(({ reference, receivedAt }) => {
    const payment = payments.get(reference);
    return payment !== undefined && payment.createdAt + LONGEST - clockTolerance < receivedAt;
  });
  return joined([
    judgedAt('PAYMENT_EVENT_MISSING', MISSING_PLACE, all),
    ...late.map(({ reference }) => judgedAt('PAYMENT_EVENT_MISSING', placeOfPayment(reference), [])),
    ...missing.map((one) => {
      const place = placeOfPayment(one.reference);
      return judgedAt('PAYMENT_EVENT_MISSING', place, isMany ? [] : [describe(one, place, 0)]);
    }),
  ]);
}

/** One finding for all: whoever knows the address may send many. */
function judgeUnknown(subject: LinkCase, byReference: ReadonlyMap<string, readonly ReceivedClaim[]>): Judgement {
  const { payments, kept, span, isWhole, clockTolerance } = subject;
  const isKnown = (reference: string): boolean => payments.has(reference) || kept.versions.has(reference);
  if (!isWhole) return NOT_JUDGED;
  const isWithin = ({ createdAt }: ReceivedClaim): boolean =>
    createdAt !== null && createdAt >= span.from + clockTolerance && createdAt < span.until - clockTolerance;
  const strange = [...byReference].flatMap(([reference, own]) =>
    isKnown(reference) ? [] : own.filter((one) => isWithin(one) && isSettled(subject, one)).slice(0, 1),
  );
  const [first] = strange;
  if (first === undefined) return judgedAt('PAYMENT_EVENT_UNKNOWN', UNKNOWN_PLACE, []);
  const figures = { reference: first.reference.slice(0, 80), status: first.status, more: strange.length - 1 };
  const evidence = strange.slice(0, MOST_NAMED).map(claimEvidence);
  const draft = draftOf('PAYMENT_EVENT_UNKNOWN', figures, { inputPlace: UNKNOWN_PLACE, evidence });
  return judgedAt('PAYMENT_EVENT_UNKNOWN', UNKNOWN_PLACE, [draft]);
}

function claimEvidence({ reference, status, amount, receivedAt }: ReceivedClaim): Evidence {
  const note = `${status} ${amount ?? 'without an amount'}, received at ${formatInstant(receivedAt)}`;
  return { what: 'notification', sequence: null, reference: reference.slice(0, 80), note };
}

// What the checks on payments by link look at: the payments of a stretch of time as they are served now, the versions that earlier
// looks saw, and what was notified.

export interface LinkCase {
  /** By reference: all that were created in `span`. */
  readonly payments: ReadonlyMap<string, Payment>;
  readonly span: Span;
  readonly kept: KeptPayments;
  /** Rows that could not be read: any of them may be a payment that is missed. */
  readonly isWhole: boolean;
  /** Notifications that the service lists as not delivered, by the payment that they tell of. */
  readonly undelivered: ReadonlyMap<string, FailedDelivery>;
  /** When the payments were read; what was notified just before may have overtaken them. */
  readonly askedAt: Instant;
  /** How far two clocks may disagree, in milliseconds. */
  readonly clockTolerance: number;
}

function placeOfPayment(reference: string): string {
  return `payment ${reference}`;
}

function paymentEvidence({ reference, amount, status, createdAt }: Payment, seenAt: Instant | null): Evidence {
  const seen = seenAt === null ? '' : `, as seen at ${formatInstant(seenAt)}`;
  const note = `${status} ${amount}, created at ${formatInstant(createdAt)}${seen}`;
  return { what: 'report', sequence: null, reference, note };
}
