// Gathers payments by link as they are read, and judges them with what earlier looks saw and what
// was notified.

import { asDecimal } from '../../../domain/decimal.ts';
import { DAY, formatInstant, type Instant, MINUTE } from '../../../domain/instant.ts';
import { type Payment, type PaymentClaim, saysAsServed } from '../../../domain/payment.ts';
import type {
  KeptPayments,
  KeptPayouts,
  KeptTotals,
  PayoutsRead,
} from '../../../domain/published/payout-place.ts';
import type { ReportWording } from '../../../domain/report-wording.ts';
import type { Span } from '../../../domain/service-report.ts';
import type { Batch, Note, RejectedRow } from '../../../domain/snapshot.ts';
import { openZone, type Zone, zoneNameOf } from '../../../domain/zone.ts';
import { judgeLinks, type LinkCase, unnotified } from '../../checks/links/judge-links.ts';
import { judgePayouts } from '../../checks/payouts/judge-payouts.ts';
import {
  addTotals,
  beginTotals,
  countPayment,
  keepTotals,
  type PaymentTotals,
} from '../../checks/payouts/payment-totals.ts';
import { type JudgedPart, refusedNote } from './judged-part.ts';

/** How far the service's clock may be from the one that dates a look, in milliseconds. */
const CLOCKS = 5 * MINUTE;

/** The payments of a span of time, gathered as they are read. */
export interface PaymentBooks {
  readonly span: Span;
  readonly payments: Map<string, Payment>;
  isWhole: boolean;
}

export function beginPayments(span: Span): PaymentBooks {
  return { span, payments: new Map(), isWhole: true };
}

/** Gathers a batch. `concludeComparison` reports its refused rows. */
export function gatherPayments(books: PaymentBooks, { rows, rejected }: Batch<Payment>): void {
  if (rejected.length > 0) books.isWhole = false;
  for (const payment of rows) books.payments.set(payment.reference, payment);
}

export interface BesidePayments {
  readonly kept: KeptPayments;
  readonly askedAt: Instant;
}

function caseOf(
  { span, payments, isWhole }: PaymentBooks,
  beside: BesidePayments,
): Omit<LinkCase, 'undelivered'> {
  return { payments, span, isWhole, ...beside, clockTolerance: CLOCKS };
}

/** Whether some notification is missing. If so, read the service's list of failed deliveries. */
export function lacksNotification(books: PaymentBooks, beside: BesidePayments): boolean {
  return unnotified(caseOf(books, beside)).length > 0;
}

/** Judges the payments. `isFromFirst` says that all payments were read, from the first one on. */
export function judgePayments(
  books: PaymentBooks,
  beside: BesidePayments,
  { undelivered, isFromFirst }: Pick<LinkCase, 'undelivered'> & { readonly isFromFirst: boolean },
): JudgedPart {
  const { drafts, notes, sought } = judgeLinks({ ...caseOf(books, beside), undelivered });
  const since = formatInstant(books.span.from);
  const older = isFromFirst
    ? []
    : [{ what: 'older payments', code: 'PAYMENTS_SINCE', figures: { since } } as const];
  return { drafts, rejected: [], sought, notes: [...notes, ...older] };
}

/**
 * Returns a function that gives the fees of a payment by its notifications. Notifications are not
 * signed: only those that agree with the payment as served count, and only where they have one
 * figure, no larger than the payment. `null` where the fees are unknown.
 */
export function feesToldIn(claims: readonly PaymentClaim[]): (payment: Payment) => string | null {
  const byReference = Map.groupBy(claims, ({ reference }) => reference);
  return (payment) => {
    const own = (byReference.get(payment.reference) ?? []).filter((claim) =>
      saysAsServed(claim, payment),
    );
    const [fees = null, ...others] = new Set(own.flatMap((claim) => claim.fees ?? []));
    return fees === null || others.length > 0 || asDecimal(fees)!.gt(payment.amount) ? null : fees;
  };
}

// Judges what was read of payouts, with what earlier looks have seen and with the payments that
// were read beside it.

/** One look at the payouts, and what in it could not be read or is not there. */
export interface PayoutLook {
  readonly read: PayoutsRead;
  readonly rejected: readonly RejectedRow[];
  readonly notes: readonly Note[];
}

/**
 * The zones in which a service may keep its months: UTC, as the document says, or the clocks of a
 * country in which links are paid.
 */
const ZONES: readonly Zone[] = ['UTC', zoneNameOf('CM')].flatMap((name) => openZone(name) ?? []);

/**
 * Which payments a look reads: those from an instant on, unless it reads a copy. Older payments
 * were counted by an earlier look, or are read once.
 */
export interface Window {
  readonly from: Instant;
  readonly kept: KeptTotals | null;
}

/** Returns the instant from which on all payments are needed. */
export function wantedFrom({ from, kept }: Window): Instant {
  return Math.min(from, kept?.before ?? from);
}

/** Counts the payments that are read between the first and the last figures of a look. */
export interface PaymentsPassed {
  /** True where older payments are not counted yet: the caller must pass them to `takeOlder`. */
  readonly wantsOlder: boolean;
  readonly take: (batch: Batch<Payment>) => void;
  readonly takeOlder: (batch: Batch<Payment>) => void;
  /** Call where some payments could not be read. */
  readonly giveUp: () => void;
  /** Returns the totals; `null` where some payments may be missing. Call once. */
  readonly totals: () => PaymentTotals | null;
  /**
   * Returns the totals that a later look need not read again; `null` where there is nothing new to
   * store.
   */
  readonly toKeep: () => KeptTotals | null;
}

/**
 * Stored totals are renewed at least this often (milliseconds), so that a look never reads much
 * more than its window.
 */
const KEPT_FOR = 28 * DAY;

/**
 * Begins to count. `window` is `null` where all payments of all time are passed. `feesOf` must
 * return the fees in the payment's notification, `null` where they are unknown or notifications
 * differ.
 */
export function beginTotalsOf(
  window: Window | null,
  askedAt: Instant,
  feesOf: (payment: Payment) => string | null = () => null,
): PaymentsPassed {
  const begin = () => beginTotals({ zones: ZONES, askedAt, clockTolerance: CLOCKS });
  const [recent, older] = [begin(), begin()];
  const from = window?.from ?? Number.NEGATIVE_INFINITY;
  // Stored totals up to a later instant include payments of the window, so they cannot be used.
  const kept = window?.kept != null && window.kept.before <= from ? window.kept : null;
  if (kept !== null) addTotals(older, kept);
  let [isRead, unread, counted] = [true, kept?.unread ?? 0, 0];
  const count = (payment: Payment): void => {
    const isOlder = payment.createdAt < from;
    if (isOlder && kept !== null && payment.createdAt < kept.before) return;
    if (isOlder) counted += 1;
    countPayment(isOlder ? older : recent, payment, feesOf(payment));
  };
  return {
    wantsOlder: window !== null && kept === null,
    take: ({ rows, rejected }) => {
      if (rejected.length > 0) isRead = false;
      for (const payment of rows) count(payment);
    },
    takeOlder: ({ rows, rejected }) => {
      unread += rejected.length;
      for (const payment of rows) count(payment);
    },
    giveUp: () => {
      isRead = false;
    },
    totals: () => {
      if (!isRead || unread > 0) return null;
      if (window === null) return recent;
      addTotals(recent, keepTotals(older, from, 0));
      // Two days after `from` a day is whole in every zone.
      return { ...recent, daysFrom: formatInstant(from + 2 * DAY).slice(0, 10) };
    },
    toKeep: () => {
      if (!isRead || window === null) return null;
      const isDue = kept === null || counted > 0 || from - kept.before > KEPT_FOR;
      return isDue ? keepTotals(older, from, unread) : null;
    },
  };
}

export function judgeLook(
  { read, rejected, notes }: PayoutLook,
  {
    wording,
    ...beside
  }: {
    readonly kept: KeptPayouts;
    readonly payments: PaymentTotals | null;
    readonly wording: ReportWording;
  },
): JudgedPart {
  const own = read.settlement?.timezone == null ? null : openZone(read.settlement.timezone);
  const zones = own === null ? ZONES : [...ZONES, own];
  const {
    drafts,
    sought,
    notes: judged,
  } = judgePayouts({ read, ...beside, zones, clockTolerance: CLOCKS });
  const refused =
    rejected.length === 0 ? [] : [refusedNote('refused rows of payouts', rejected.length)];
  const onceEach = new Map(
    judged.map(wording.note).map((note) => [`${note.what} ${note.why}`, note]),
  ).values();
  return { drafts, rejected, sought, notes: [...notes, ...refused, ...onceEach] };
}
