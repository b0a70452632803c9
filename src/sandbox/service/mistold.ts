// What a planted fault makes of a notification of a payment by link: said before it is due, for what was sent cannot be taken back.

import { HOUR, type Instant } from '../../core/domain/instant.ts';
import type { LinkPayment } from '../dashboard/payments.ts';
import { expectedAt } from '../faults/dashboard/dashboard-fault.ts';
import type { Expected } from '../faults/fault.ts';
import { drawLetters, seedRandom } from '../random.ts';

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
