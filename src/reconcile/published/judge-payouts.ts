// What was read of payouts, as a part of what a service published: judged with what earlier looks have seen and with the payments
// that were read beside it.

import { judgePayouts } from '../../checks/payouts/judge-payouts.ts';
import { beginTotals, countPayment, type PaymentTotals } from '../../checks/payouts/payment-totals.ts';
import { type Instant, MINUTE } from '../../domain/instant.ts';
import type { Payment } from '../../domain/payment.ts';
import type { KeptPayouts, PayoutsRead } from '../../domain/published/payout-place.ts';
import type { Batch, NotChecked, RejectedRow } from '../../domain/snapshot.ts';
import { openZone, type Zone, zoneNameOf } from '../../domain/zone.ts';
import type { JudgedPart } from './judged-part.ts';

/** One look, and what of it could not be read or is not there. */
export interface PayoutLook {
  readonly read: PayoutsRead;
  readonly rejected: readonly RejectedRow[];
  readonly notes: readonly NotChecked[];
}

/** A service keeps its months in UTC, as the document has it, or on the clocks of a country that links are paid in. */
const ZONES: readonly Zone[] = ['UTC', zoneNameOf('CM')].flatMap((name) => openZone(name) ?? []);

/** How far the service's clock may be from the one that a look is dated by. */
const CLOCKS = 5 * MINUTE;

/** The payments that pass between the first figures of a look and the last. */
export interface PaymentsPassed {
  /** All of them pass, from the first. */
  readonly isWhole: boolean;
  readonly take: (batch: Batch<Payment>) => void;
  /** Null where some may be missing. */
  readonly totals: () => PaymentTotals | null;
}

/** `feesOf`: as the payment's notification told them; null: none did. */
export function beginTotalsOf(
  place: { readonly isCopy: boolean },
  askedAt: Instant,
  feesOf: (reference: string) => string | null = () => null,
): PaymentsPassed {
  const tally = beginTotals({ zones: ZONES, askedAt, clockTolerance: CLOCKS });
  let isRead = place.isCopy;
  return {
    isWhole: place.isCopy,
    take: ({ rows, rejected }) => {
      if (rejected.length > 0) isRead = false;
      for (const payment of rows) countPayment(tally, payment, feesOf(payment.reference));
    },
    totals: () => (isRead ? tally : null),
  };
}

export function judgeLook(
  { read, rejected, notes }: PayoutLook,
  beside: { readonly kept: KeptPayouts; readonly payments: PaymentTotals | null },
): JudgedPart {
  const own = read.settlement?.timezone == null ? null : openZone(read.settlement.timezone);
  const zones = own === null ? ZONES : [...ZONES, own];
  const { drafts, sought, notes: judged } = judgePayouts({ read, ...beside, zones, clockTolerance: CLOCKS });
  return { drafts, rejected, sought, notChecked: [...notes, ...refusedNote(rejected), ...onceEach(judged)] };
}

function refusedNote({ length }: readonly RejectedRow[]): readonly NotChecked[] {
  if (length === 0) return [];
  const why = `${length} rows could not be read exactly`;
  const figures = { count: length };
  return [{ what: 'refused rows of payouts', why, incomplete: true, code: 'PUBLISHED_ROWS_REFUSED', figures }];
}

function onceEach(notes: readonly NotChecked[]): readonly NotChecked[] {
  return [...new Map(notes.map((note) => [`${note.what} ${note.why}`, note])).values()];
}
