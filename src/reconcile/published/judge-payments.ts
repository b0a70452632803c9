// Payments by link as books: gathered as they are read, and judged with what earlier looks saw and what was notified.

import { judgeLinks } from '../../checks/links/judge-links.ts';
import type { LinkCase } from '../../checks/links/link-case.ts';
import { formatInstant, type Instant, MINUTE } from '../../domain/instant.ts';
import type { Payment } from '../../domain/payment.ts';
import type { FailedDelivery } from '../../domain/published/failed-delivery.ts';
import type { KeptPayments } from '../../domain/published/kept-payments.ts';
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
  readonly undelivered: ReadonlyMap<string, FailedDelivery>;
  readonly askedAt: Instant;
  /** All payments that there are were read, from the first. */
  readonly isFromFirst: boolean;
}

export function judgePayments({ span, payments, isWhole }: PaymentBooks, beside: BesidePayments): JudgedPart {
  const { isFromFirst, ...others } = beside;
  const subject: LinkCase = { payments, span, isWhole, ...others, clockTolerance: CLOCKS };
  const { drafts, notes, sought } = judgeLinks(subject);
  const since = formatInstant(span.from);
  const older: NotChecked = {
    what: 'older payments',
    why: `those created before ${since} are not compared with what earlier looks and notifications said`,
    incomplete: false,
    code: 'PAYMENTS_SINCE',
    figures: { since },
  };
  return { drafts, rejected: [], sought, notChecked: isFromFirst ? notes : [...notes, older] };
}

/** The payments whose success nothing tells of: only of them the service is asked what became of their notifications. */
export function lacksNotification({ payments }: PaymentBooks, { claims }: KeptPayments): boolean {
  if (claims === null) return false;
  const told = new Set(claims.map(({ reference }) => reference));
  return [...payments.values()].some(({ status, reference }) => status === 'SUCCESS' && !told.has(reference));
}
