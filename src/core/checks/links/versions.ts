// Each payment against its own time, and against what earlier looks saw of it: a link ends within a day, an outcome stands, and what
// is fixed at creation stays as it is (dashboard API, "Payment", "States and transitions").

import type { FindingDraft } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import { LINK_END_NOTICED, LINK_LIFETIME, type Payment } from '../../domain/payment.ts';
import type { Kept } from '../../domain/published/payout-place.ts';
import { draftOf } from '../check.ts';
import { isSame, type Judgement, joined, judgedAt, seriesOf } from '../looks.ts';
import { type LinkCase, paymentEvidence, placeOfPayment } from './link-case.ts';
import { paymentFieldChanged, paymentOutcomeChanged, paymentOverdue } from './link-pages.ts';

/** By the names that the service has for them. */
const FIXED_AT_CREATION = [
  ['amount', 'amount'],
  ['country', 'country'],
  ['order_id', 'orderId'],
  ['createdAt', 'createdAt'],
] as const;

export function judgeOverdue({ payments, kept, askedAt, clockTolerance }: LinkCase): Judgement {
  return joined(
    [...payments.values()].flatMap((payment) => {
      const { reference, amount, status, createdAt } = payment;
      const isPending = status === 'PENDING';
      const wasPending = kept.versions.get(reference)?.some(({ value }) => value.status === 'PENDING') ?? false;
      if (!isPending && !wasPending) return [];
      const due = createdAt + LINK_LIFETIME;
      const isLate = isPending && due + LINK_END_NOTICED + clockTolerance < askedAt;
      const parts = { inputPlace: placeOfPayment(reference), evidence: [paymentEvidence(payment, null)] };
      const draft = draftOf(paymentOverdue, { reference, amount, due: formatInstant(due) }, parts);
      return [judgedAt('PAYMENT_OVERDUE', parts.inputPlace, isLate ? [draft] : [])];
    }),
  );
}

export function judgeVersions(subject: LinkCase): Judgement {
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
    paymentOutcomeChanged,
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
      paymentFieldChanged,
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
