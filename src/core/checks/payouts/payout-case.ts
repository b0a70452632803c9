// What the checks on payouts look at: one look at the dashboard, what earlier looks have seen, and
// what was collected by link meanwhile.

import type { Evidence } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Payout } from '../../domain/published/payout.ts';
import type { KeptPayouts, PayoutsRead } from '../../domain/published/payout-place.ts';
import { localText, type Zone } from '../../domain/zone.ts';
import type { KindPage } from '../port/check.ts';
import { isSame } from '../port/judgement.ts';
import type { PaymentTotals } from './payment-totals.ts';

export interface PayoutCase {
  readonly read: PayoutsRead;
  readonly kept: KeptPayouts;
  /** In which a month may lawfully begin; the document says UTC, and a local month is lawful. */
  readonly zones: readonly Zone[];
  /** Null: payments were not read, or not from the first. */
  readonly payments: PaymentTotals | null;
  /** How far two clocks may disagree, in milliseconds. */
  readonly clockTolerance: number;
}

/** `YYYY-MM` on the clocks of a zone. */
export function monthIn(zone: Zone, at: Instant): string {
  return localText(zone, at).slice(0, 7);
}

/** The month that an instant lies in, whatever the zone; null where the zones disagree. */
export function surelyIn(zones: readonly Zone[], at: Instant): string | null {
  const [first, ...others] = new Set(zones.map((zone) => monthIn(zone, at)));
  return others.length > 0 ? null : first!;
}

/** Instants at one of which the figures of a look stood: the months after the newest payout are alike. */
export function momentsOf({ until, copiedAfter }: PayoutsRead): readonly [Instant, ...Instant[]] {
  return copiedAfter === undefined ? [until] : [copiedAfter, until];
}

/** What a look says of payouts did not move while they were read. */
export function isStill({ before, after }: PayoutsRead): boolean {
  return isSame(before.limits, after.limits) && isSame(before.counters, after.counters);
}

export function seenAt(what: string, at: Instant, note: string): Evidence {
  return { what: 'report', sequence: null, reference: what, note: `${note} at ${formatInstant(at)}` };
}

export function payoutEvidence({ id, amount, status, createdAt }: Payout): Evidence {
  const note = `payout of ${amount}, ${status}, requested at ${formatInstant(createdAt)}`;
  return { what: 'report', sequence: null, reference: id, note };
}

// The pages of the catalogue on payouts, on what was collected by link and not paid out, and on the counts of payments.

export const payoutLimitsInconsistent: KindPage<'PAYOUT_LIMITS_INCONSISTENT'> = {
  kind: 'PAYOUT_LIMITS_INCONSISTENT',
  explanation:
    'The monthly payout limits do not agree with themselves or with the payouts: what is used and what remains do not come to the ceiling; more is used than the ceiling allows, which was no higher before; what is used fell within a month though no payout failed, or did not begin anew in a new one; or it is not what the listed payouts of the month come to. Whether pending payouts and fees count, which date puts a payout into its month, and in which zone a month begins, the document does not say: the reading that fits most of what was ever seen stands. A list that may be cut short is not held against anything.',
  fires: `
    limits 200000 50000 140000
    at +10d`,
  quiet: `
    limits 200000 50000 150000
    payout 1 SUCCESS 50000
    counters 1 0 0
    at +10d`,
};

export const payoutCeilingUnexpected: KindPage<'PAYOUT_CEILING_UNEXPECTED'> = {
  kind: 'PAYOUT_CEILING_UNEXPECTED',
  explanation:
    'The monthly payout ceiling is neither 200 000 nor 2 000 000, the two that the document names, or does not fit the compliance file: the higher one belongs to an approved file, the lower one to any other. A file that was approved and is looked at again may keep the higher one.',
  fires: `
    limits 500000 0 500000
    at +10d`,
  quiet: `
    limits 2000000 0 2000000 compliance=APPROVED
    at +10d`,
};

export const payoutCountersMismatch: KindPage<'PAYOUT_COUNTERS_MISMATCH'> = {
  kind: 'PAYOUT_COUNTERS_MISMATCH',
  explanation:
    'The counters of payout requests disagree with the list of payouts, over all time and over the month alike, or a counter of requests that have ended fell within a month. Where they count more than the list has, a payout is not listed (PAYOUT_UNRECORDED); where a payout itself changed its outcome, that is the root.',
  fires: `
    limits 200000 50000 150000
    payout 1 SUCCESS 50000
    counters 0 0 1
    at +10d`,
  quiet: `
    limits 200000 50000 150000
    payout 1 SUCCESS 50000
    payout 2 FAILED 90000
    counters 1 0 1
    at +10d`,
};

export const payoutUnrecorded: KindPage<'PAYOUT_UNRECORDED'> = {
  kind: 'PAYOUT_UNRECORDED',
  explanation:
    'The service counts more payout requests than it lists: money was paid out, or is to be, that the list does not show. What else would be held against the list is not judged then. Where the list may be cut short (the document shows no page size, and the number of its rows is a round one), nothing is said.',
  fires: `
    payout 1 SUCCESS 50000
    counters 2 0 0
    at +10d`,
  quiet: `
    payout 1 SUCCESS 50000
    payout 2 SUCCESS 10000
    counters 2 0 0
    at +10d`,
};

export const payoutOutcomeChanged: KindPage<'PAYOUT_OUTCOME_CHANGED'> = {
  kind: 'PAYOUT_OUTCOME_CHANGED',
  explanation:
    'A payout that had ended, with success or without, has another outcome now, or what is fixed when it is requested has changed: its amount, its date, the account that it goes to; or when it had ended, its fees or when that was. What earlier looks saw is kept and shown.',
  fires: `
    payout 1 SUCCESS 50000 seen=+9d
    payout 1 FAILED 50000
    at +10d`,
  quiet: `
    payout 1 PENDING 50000 seen=+1h
    payout 1 SUCCESS 50000
    at +10d`,
};

export const linkBalanceMismatch: KindPage<'LINK_BALANCE_MISMATCH'> = {
  kind: 'LINK_BALANCE_MISMATCH',
  explanation:
    'The balance of what was collected by link is not the payments that succeeded, less their fees, less what was paid out. Gross or net of fees, pending payouts taken off or not, and the fees of payouts on top of them or not are all lawful: no reading fits. The fees of a payment are stated in its notification alone: where some were never received, the balance is held against bounds, and where it lies within them, that is said and no more. It takes every payment and payout from the first.',
  fires: `
    payment 1 SUCCESS 10000
    fees 1 200
    payout 1 SUCCESS 4000
    counters 1 0 0
    balance 5700.00
    at +10d`,
  quiet: `
    payment 1 SUCCESS 10000
    fees 1 200
    payout 1 SUCCESS 4000
    counters 1 0 0
    balance 5800.00
    at +10d`,
};

export const settlementMissed: KindPage<'SETTLEMENT_MISSED'> = {
  kind: 'SETTLEMENT_MISSED',
  explanation:
    'An automatic payout (T0: every day, T1: every two days, at the chosen time of the chosen zone) was due and did not happen, nor within as long again: the settings were the same all the while, a primary account was there, there was money to pay out, and room for it under the ceiling. What was not so at each look since then excuses it, and so does an account that is not ACTIVE.',
  fires: `
    settlement T0 06:00 UTC last=+1d seen=+2d
    limits 200000 0 200000 seen=+2d
    balance 9000 seen=+2d
    at +10d`,
  quiet: `
    settlement T0 06:00 UTC last=+1d seen=+2d
    settlement T0 06:00 UTC last=+9d
    limits 200000 0 200000 seen=+2d
    balance 9000 seen=+2d
    at +10d`,
};

export const paymentCountMismatch: KindPage<'PAYMENT_COUNT_MISMATCH'> = {
  kind: 'PAYMENT_COUNT_MISMATCH',
  explanation:
    'The statistics of payments by link, in all, of a month or of a day, count other payments than were read, though these were read from the first to the last. A payment that may have been made, paid or refused while they were read may be counted or not; the day and the month may be those of UTC or of the country. What is missing from a day, its month and the whole is one finding, of the day.',
  fires: `
    payment 1 SUCCESS 1000
    payment 2 FAILED 500
    count all 3 2 0 1
    at +10d`,
  quiet: `
    payment 1 SUCCESS 1000
    payment 2 FAILED 500
    count all 2 1 0 1
    count 2026-10 2 1 0 1 1000
    flow 2026-10-01 1 1000
    at +10d`,
};
