// Payments against what was notified of them. A notification of a payment is not signed: anybody may have sent it, so that nothing
// which it says is believed, and one that agrees with the service is enough.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import { DELIVERY_WINDOW } from '../../domain/notification.ts';
import {
  LINK_END_NOTICED,
  LINK_LIFETIME,
  type Payment,
  type ReceivedClaim,
  saysAsServed,
} from '../../domain/payment.ts';
import { draftOf } from '../check.ts';
import { type Judgement, joined, judgedAt, NOT_JUDGED, seriesOf } from '../looks.ts';
import { type LinkCase, paymentEvidence, placeOfPayment } from './link-case.ts';
import { paymentEventContradicts, paymentEventMissing, paymentEventUnknown } from './link-pages.ts';

/** Of more payments than this, one finding speaks for all. */
const MOST_NAMED = 20;
const UNKNOWN_PLACE = 'notifications of unknown payments';
const MISSING_PLACE = 'notifications that are missing';

export function judgeClaims(subject: LinkCase): Judgement {
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
    paymentEventContradicts,
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
    return draftOf(paymentEventMissing, { reference, amount, listed, more }, { inputPlace, evidence });
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
  const draft = draftOf(paymentEventUnknown, figures, { inputPlace: UNKNOWN_PLACE, evidence });
  return judgedAt('PAYMENT_EVENT_UNKNOWN', UNKNOWN_PLACE, [draft]);
}

function claimEvidence({ reference, status, amount, receivedAt }: ReceivedClaim): Evidence {
  const note = `${status} ${amount ?? 'without an amount'}, received at ${formatInstant(receivedAt)}`;
  return { what: 'notification', sequence: null, reference: reference.slice(0, 80), note };
}
