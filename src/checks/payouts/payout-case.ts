// What the checks on payouts look at, and what each of them gives: one look at the dashboard, what earlier looks have seen, and
// what was collected by link meanwhile.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Payout } from '../../domain/published/payout.ts';
import type { Kept, KeptPayouts, PayoutsRead } from '../../domain/published/payout-place.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import { localText, type Zone } from '../../domain/zone.ts';
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

/** A place that was looked at: a finding of that kind which is not found there any more is gone. */
export interface Sought {
  readonly kind: FindingKind;
  readonly inputPlace: string;
}

export interface Judgement {
  readonly drafts: readonly FindingDraft[];
  readonly notes: readonly NotChecked[];
  readonly sought: readonly Sought[];
}

export const NOT_JUDGED: Judgement = { drafts: [], notes: [], sought: [] };

/** A place that was judged, with what was found at it. */
export function judgedAt(kind: FindingKind, inputPlace: string, drafts: readonly FindingDraft[]): Judgement {
  return { drafts, notes: [], sought: [{ kind, inputPlace }] };
}

export function noted(note: NotChecked): Judgement {
  return { ...NOT_JUDGED, notes: [note] };
}

export function joined(judgements: readonly Judgement[]): Judgement {
  return {
    drafts: judgements.flatMap(({ drafts }) => drafts),
    notes: judgements.flatMap(({ notes }) => notes),
    sought: judgements.flatMap(({ sought }) => sought),
  };
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

/** Two looks that follow each other. */
export function pairsOf<Value>(rows: readonly Kept<Value>[]): readonly (readonly [Kept<Value>, Kept<Value>])[] {
  return rows.slice(1).map((row, i) => [rows[i]!, row] as const);
}

/** With what stands now at the end, where it differs. */
export function seriesOf<Value>(kept: readonly Kept<Value>[], now: Value | null, at: Instant): readonly Kept<Value>[] {
  const last = kept.at(-1);
  if (now === null || (last !== undefined && isSame(last.value, now))) return kept;
  return [...kept, { at, value: now }];
}

/** Of plain values whose fields stand in one order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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
