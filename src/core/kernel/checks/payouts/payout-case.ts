// The subject of the checks on payouts: one look at the dashboard, earlier looks, and the payments
// by link up to now. Also the functions that several of these checks share.

import type { Evidence } from '../../../domain/finding.ts';
import { formatInstant, type Instant } from '../../../domain/instant.ts';
import type { DisbursementCounters, Payout } from '../../../domain/published/payout.ts';
import type { Kept, KeptPayouts, PayoutsRead } from '../../../domain/published/payout-place.ts';
import { localText, type Zone } from '../../../domain/zone.ts';
import { isSame } from '../port/judgement.ts';
import type { PaymentTotals } from './payment-totals.ts';

export interface PayoutCase {
  readonly read: PayoutsRead;
  readonly kept: KeptPayouts;
  /**
   * Zones by whose midnight a month may lawfully begin: UTC, as the document says, or a local one.
   */
  readonly zones: readonly Zone[];
  /** `null` where payments were not read, or not from the first one on. */
  readonly payments: PaymentTotals | null;
  readonly clockTolerance: number;
}

export const LIMITS = 'payout limits';
export const COUNTERS = 'payout counters';

/** Returns the month of an instant in a zone, as `YYYY-MM`. */
export function monthIn(zone: Zone, at: Instant): string {
  return localText(zone, at).slice(0, 7);
}

/** Returns the month in which an instant lies in all the zones; `null` where they disagree. */
export function surelyIn(zones: readonly Zone[], at: Instant): string | null {
  const [first, ...others] = new Set(zones.map((zone) => monthIn(zone, at)));
  return others.length > 0 ? null : first!;
}

/**
 * Returns the instants of which one is that of the look's figures. For a copy of the dashboard it
 * is unknown when the copy was made. Only the months of these instants matter, and all months after
 * the payouts of the copy are alike.
 */
export function momentsOf({ until, copiedAfter }: PayoutsRead): readonly [Instant, ...Instant[]] {
  return copiedAfter === undefined ? [until] : [copiedAfter, until];
}

/** Whether limits and counters stayed the same while the payouts were read. */
export function isStill({ before, after }: PayoutsRead): boolean {
  return isSame(before.limits, after.limits) && isSame(before.counters, after.counters);
}

export function seenAt(what: string, at: Instant, note: string): Evidence {
  return {
    what: 'report',
    sequence: null,
    reference: what,
    note: `${note} at ${formatInstant(at)}`,
  };
}

export function payoutEvidence({ id, amount, status, createdAt }: Payout): Evidence {
  const note = `payout of ${amount}, ${status}, requested at ${formatInstant(createdAt)}`;
  return { what: 'report', sequence: null, reference: id, note };
}

/**
 * Returns all payouts, each as this look saw it, else as an earlier look did; `null` where some may
 * be missing.
 */
export function wholeList({ read, kept }: PayoutCase): readonly Payout[] | null {
  const { payouts, after, before } = read;
  if (payouts === null) return null;
  const all = allKnown(payouts, kept.payouts);
  const counters = after.counters ?? before.counters;
  const isWhole = counters === null ? !mayBeCut(payouts) : all.length >= totalOf(counters);
  return isWhole ? all : null;
}

export function allKnown(
  listed: readonly Payout[],
  kept: ReadonlyMap<string, readonly Kept<Payout>[]>,
): readonly Payout[] {
  const byId = new Map(
    [...kept].flatMap(([id, rows]) => (rows.length === 0 ? [] : [[id, rows.at(-1)!.value]])),
  );
  for (const payout of listed) byId.set(payout.id, payout);
  return [...byId.values()];
}

/**
 * Whether the list may be the first page of more. The document shows no page size, so any list of
 * 10 or more rows, in a multiple of 5, may be one.
 */
export function mayBeCut({ length }: readonly Payout[]): boolean {
  return length >= 10 && length % 5 === 0;
}

export function totalOf({ succeeded, pending, failed }: DisbursementCounters): number {
  return succeeded + pending + failed;
}

export function sayCounters({ succeeded, pending, failed }: DisbursementCounters): string {
  return `requestSuccess ${succeeded}, requestPending ${pending}, requestFailed ${failed}`;
}
