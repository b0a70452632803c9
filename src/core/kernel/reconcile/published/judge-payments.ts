// Payments by link as books: gathered as they are read, and judged with what earlier looks saw and
// what was notified.

import { asDecimal } from '../../../domain/decimal.ts';
import { DAY, formatInstant, type Instant, MINUTE } from '../../../domain/instant.ts';
import { type Payment, type PaymentClaim, saysAsServed } from '../../../domain/payment.ts';
import type {
  KeptPayments,
  KeptPayouts,
  KeptTotals,
  PayoutsRead,
} from '../../../domain/published/payout-place.ts';
import type { Span } from '../../../domain/service-report.ts';
import type { Batch, Note, RejectedRow } from '../../../domain/snapshot.ts';
import type { Wording } from '../../../domain/wording.ts';
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

/** `concludeComparison` reports the refused rows. */
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

/** Some notification is missing: read the service's list of failed deliveries. */
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
  const older = isFromFirst
    ? []
    : [{ what: 'older payments', code: 'PAYMENTS_SINCE', figures: { since } } as const];
  return { drafts, rejected: [], sought, notes: [...notes, ...older] };
}

/**
 * The fees of a payment by its notifications. They are not signed: only those that agree with the
 * payment as served count, and only where they have one figure, no larger than the payment.
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

// What was read of payouts, as a part of what a service published: judged with what earlier looks
// have seen and with the payments that were read beside it.

/** One look, and what of it could not be read or is not there. */
export interface PayoutLook {
  readonly read: PayoutsRead;
  readonly rejected: readonly RejectedRow[];
  readonly notes: readonly Note[];
}

/**
 * A service keeps its months in UTC, as the document has it, or on the clocks of a country that
 * links are paid in.
 */
const ZONES: readonly Zone[] = ['UTC', zoneNameOf('CM')].flatMap((name) => openZone(name) ?? []);

/**
 * A place that is no copy is read from an instant on; what is older was counted by an earlier look,
 * or is read for once.
 */
export interface Window {
  readonly from: Instant;
  readonly kept: KeptTotals | null;
}

/** All payments from then on are wanted. */
export function wantedFrom({ from, kept }: Window): Instant {
  return Math.min(from, kept?.before ?? from);
}

/** The payments that pass between the first figures of a look and the last. */
export interface PaymentsPassed {
  /** Older payments that are not counted yet must pass `takeOlder`. */
  readonly wantsOlder: boolean;
  readonly take: (batch: Batch<Payment>) => void;
  readonly takeOlder: (batch: Batch<Payment>) => void;
  /** Some could not be read. */
  readonly giveUp: () => void;
  /** Null where some may be missing. Ask once. */
  readonly totals: () => PaymentTotals | null;
  /** What a later look need not read again; null: nothing new. */
  readonly toKeep: () => KeptTotals | null;
}

/**
 * Those that are kept are counted anew at least so often, so that a look never reads much more than
 * its window.
 */
const KEPT_FOR = 28 * DAY;

/**
 * `window` null: all payments of all time pass. `feesOf`: as in the payment's notification; null:
 * unknown, or notifications differ.
 */
export function beginTotalsOf(
  window: Window | null,
  askedAt: Instant,
  feesOf: (payment: Payment) => string | null = () => null,
): PaymentsPassed {
  const begin = () => beginTotals({ zones: ZONES, askedAt, clockTolerance: CLOCKS });
  const [recent, older] = [begin(), begin()];
  const from = window?.from ?? Number.NEGATIVE_INFINITY;
  // Totals up to a later instant include payments of the window.
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
      // Whatever the zone, the day is whole.
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
    readonly wording: Wording;
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
