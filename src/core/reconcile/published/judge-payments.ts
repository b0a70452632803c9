// Payments by link as books: gathered as they are read, and judged with what earlier looks saw and what was notified.

import { judgeLinks, type LinkCase, unnotified } from '../../checks/links/judge-links.ts';
import { asDecimal } from '../../domain/decimal.ts';
import { formatInstant, type Instant, MINUTE } from '../../domain/instant.ts';
import { type Payment, type PaymentClaim, saysAsServed } from '../../domain/payment.ts';
import type { KeptPayments } from '../../domain/published/payout-place.ts';
import type { Span } from '../../domain/service-report.ts';
import type { Batch, NotChecked } from '../../domain/snapshot.ts';
import type { JudgedPart } from './judged-part.ts';

/** How far the service's clock may be from the one that a look is dated by. */
const CLOCKS = 5 * MINUTE;

/** The payments of a stretch of time, as they are read. */
export interface PaymentBooks {
  readonly span: Span;
  readonly payments: Map<string, Payment>;
  isWhole: boolean;
}

export function beginPayments(span: Span): PaymentBooks {
  return { span, payments: new Map(), isWhole: true };
}

/** The places themselves that refuse their rows say so: `concludeComparison`. */
export function gatherPayments(books: PaymentBooks, { rows, rejected }: Batch<Payment>): void {
  if (rejected.length > 0) books.isWhole = false;
  for (const payment of rows) books.payments.set(payment.reference, payment);
}

export interface BesidePayments {
  readonly kept: KeptPayments;
  readonly askedAt: Instant;
}

function caseOf({ span, payments, isWhole }: PaymentBooks, beside: BesidePayments): Omit<LinkCase, 'undelivered'> {
  return { payments, span, isWhole, ...beside, clockTolerance: CLOCKS };
}

/** Whether the service is to be asked what became of notifications: some are missing. */
export function lacksNotification(books: PaymentBooks, beside: BesidePayments): boolean {
  return unnotified(caseOf(books, beside)).length > 0;
}

/** `isFromFirst`: all payments that there are were read, from the first. */
export function judgePayments(
  books: PaymentBooks,
  beside: BesidePayments,
  { undelivered, isFromFirst }: Pick<LinkCase, 'undelivered'> & { readonly isFromFirst: boolean },
): JudgedPart {
  const { drafts, notes, sought } = judgeLinks({ ...caseOf(books, beside), undelivered });
  const since = formatInstant(books.span.from);
  const older: NotChecked = {
    what: 'older payments',
    why: `those created before ${since} are not compared with what earlier looks and notifications said`,
    incomplete: false,
    code: 'PAYMENTS_SINCE',
    figures: { since },
  };
  return { drafts, rejected: [], sought, notChecked: isFromFirst ? notes : [...notes, older] };
}

/**
 * What a payment's notifications tell of its fees. They are not signed: those count alone that say of the payment what the service
 * says, and only where they tell one figure, no larger than the payment.
 */
export function feesToldIn(claims: readonly PaymentClaim[]): (payment: Payment) => string | null {
  const byReference = Map.groupBy(claims, ({ reference }) => reference);
  return (payment) => {
    const own = (byReference.get(payment.reference) ?? []).filter((claim) => saysAsServed(claim, payment));
    const [fees = null, ...others] = new Set(own.flatMap((claim) => claim.fees ?? []));
    return fees === null || others.length > 0 || asDecimal(fees)!.gt(payment.amount) ? null : fees;
  };
}
