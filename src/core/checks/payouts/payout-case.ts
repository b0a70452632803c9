// What the checks on payouts look at: one look at the dashboard, what earlier looks have seen, and
// what was collected by link meanwhile.

import type { Evidence } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Payout } from '../../domain/published/payout.ts';
import type { KeptPayouts, PayoutsRead } from '../../domain/published/payout-place.ts';
import { localText, type Zone } from '../../domain/zone.ts';
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
