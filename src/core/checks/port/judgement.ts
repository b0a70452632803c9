// What a look at something published gives: findings, what was not judged, and the places that were; and what earlier looks have
// seen, beside what stands now.

import type { Evidence, FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Kept } from '../../domain/published/payout-place.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import { draftOf } from './check.ts';
import type { FindingFigures } from './finding-figures.ts';

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

/** A figure that the service states, beside what it may lawfully be, one for each reading of the document. */
interface StatedFigure<Kind extends FindingKind> {
  readonly place: string;
  readonly stated: number | bigint;
  readonly lawful: readonly (number | bigint)[];
  /** What the sentence needs; `due` is the lawful figure that is nearest to the stated one. */
  readonly figures: (due: bigint) => FindingFigures[Kind];
  readonly evidence: readonly Evidence[];
}

/** Wrong when no reading gives the figure. */
export function judgeFigure<Kind extends FindingKind>(kind: Kind, figure: StatedFigure<Kind>): Judgement {
  const stated = BigInt(figure.stated);
  const offs = [...new Set(figure.lawful.map((one) => stated - BigInt(one)))];
  if (offs.includes(0n)) return judgedAt(kind, figure.place, []);
  const far = (off: bigint): bigint => (off < 0n ? -off : off);
  const nearest = offs.reduce((best, one) => (far(one) < far(best) ? one : best));
  const expected = stated - nearest;
  const differences = offs.length > 1 ? offs : [];
  const parts = { expected, actual: stated, inputPlace: figure.place, evidence: figure.evidence, differences };
  return judgedAt(kind, figure.place, [draftOf(kind, figure.figures(expected), parts)]);
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
