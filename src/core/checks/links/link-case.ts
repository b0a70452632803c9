// What the checks on payments by link look at: the payments of a stretch of time as they are served now, the versions that earlier
// looks saw, and what was notified.

import type { Evidence } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Payment } from '../../domain/payment.ts';
import type { FailedDelivery } from '../../domain/published/failed-delivery.ts';
import type { KeptPayments } from '../../domain/published/kept-payments.ts';
import type { Span } from '../../domain/service-report.ts';

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

export function placeOfPayment(reference: string): string {
  return `payment ${reference}`;
}

export function paymentEvidence({ reference, amount, status, createdAt }: Payment, seenAt: Instant | null): Evidence {
  const seen = seenAt === null ? '' : `, as seen at ${formatInstant(seenAt)}`;
  const note = `${status} ${amount}, created at ${formatInstant(createdAt)}${seen}`;
  return { what: 'report', sequence: null, reference, note };
}
