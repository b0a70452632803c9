// The subject of the checks on payouts: one look at the dashboard, earlier looks, and the payments
// by link up to then; and what several of these checks use.

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
  /** Zones in which a month may lawfully begin: UTC, as the document has it, or a local one. */
  readonly zones: readonly Zone[];
  /** Null: payments were not read, or not from the first. */
  readonly payments: PaymentTotals | null;
  readonly clockTolerance: number;
}

export const LIMITS = 'payout limits';
export const COUNTERS = 'payout counters';

/** `YYYY-MM` on the clocks of a zone. */
export function monthIn(zone: Zone, at: Instant): string {
  return localText(zone, at).slice(0, 7);
}

/** The month that an instant lies in, whatever the zone; null where the zones disagree. */
export function surelyIn(zones: readonly Zone[], at: Instant): string | null {
  const [first, ...others] = new Set(zones.map((zone) => monthIn(zone, at)));
  return others.length > 0 ? null : first!;
}

/**
 * The figures of a look are of one of these instants. When a copy was made is unknown, but all
 * months after its payouts are alike.
 */
export function momentsOf({ until, copiedAfter }: PayoutsRead): readonly [Instant, ...Instant[]] {
  return copiedAfter === undefined ? [until] : [copiedAfter, until];
}

/** Limits and counters did not change while the payouts were read. */
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
 * All payouts, as this look saw them, else as an earlier one did; null where some may be missing.
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
 * The document shows no page size: a list of a round number of rows may be the first page of more.
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
