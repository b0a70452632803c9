// The judgement of something that the service publishes beside the ledger: findings, notes on what
// was not judged, and the places that were judged. Also the series of values that earlier looks
// saw. A look is one reading of a published page.

import { leastOf } from '../../../domain/amount.ts';
import type { Evidence, FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import type { Instant } from '../../../domain/instant.ts';
import type { Kept } from '../../../domain/published/payout-place.ts';
import type { CodedNote } from '../../../domain/snapshot.ts';
import { draftOf, type Parts } from './check.ts';

/** A place that was judged. An earlier finding of `kind` that is not found there again is gone. */
export interface Sought {
  readonly kind: FindingKind;
  readonly inputPlace: string;
}

export interface Judgement<Note = CodedNote> {
  readonly drafts: readonly FindingDraft[];
  readonly notes: readonly Note[];
  readonly sought: readonly Sought[];
}

export const NOT_JUDGED: Judgement = { drafts: [], notes: [], sought: [] };

type Found<Kind extends FindingKind> = Parts & { readonly figures: FindingFigures[Kind] };

/** Returns the judgement of one place. `found` is `null` where the place is sound. */
export function judged<Kind extends FindingKind>(
  kind: Kind,
  inputPlace: string,
  found: Found<Kind> | null,
): Judgement {
  const drafts = found === null ? [] : [draftOf(kind, found.figures, { ...found, inputPlace })];
  return { drafts, notes: [], sought: [{ kind, inputPlace }] };
}

/**
 * A figure that the service states, and its lawful values: one for each way to understand the
 * document.
 */
interface StatedFigure<Kind extends FindingKind> {
  readonly stated: number | bigint;
  readonly lawful: readonly (number | bigint)[];
  /** Returns the figures of the finding. `due` is the lawful value nearest to the stated one. */
  readonly figures: (due: bigint) => FindingFigures[Kind];
  readonly evidence: readonly Evidence[];
}

/** Judges a stated figure. It is wrong where it equals none of its lawful values. */
export function judgeFigure<Kind extends FindingKind>(
  kind: Kind,
  place: string,
  { stated, lawful, figures, evidence }: StatedFigure<Kind>,
): Judgement {
  const actual = BigInt(stated);
  const offs = [...new Set(lawful.map((one) => actual - BigInt(one)))];
  if (offs.includes(0n)) return judged(kind, place, null);
  const expected = actual - leastOf(offs);
  const differences = offs.length > 1 ? offs : [];
  return judged(kind, place, {
    figures: figures(expected),
    expected,
    actual,
    differences,
    evidence,
  });
}

export function noted(note: CodedNote): Judgement {
  return { ...NOT_JUDGED, notes: [note] };
}

export function joined<Note>(judgements: readonly Judgement<Note>[]): Judgement<Note> {
  return {
    drafts: judgements.flatMap(({ drafts }) => drafts),
    notes: judgements.flatMap(({ notes }) => notes),
    sought: judgements.flatMap(({ sought }) => sought),
  };
}

/** Returns each pair of looks that follow each other. */
export function pairsOf<Value>(
  rows: readonly Kept<Value>[],
): readonly (readonly [Kept<Value>, Kept<Value>])[] {
  return rows.slice(1).map((row, i) => [rows[i]!, row] as const);
}

/**
 * Returns `kept` with the present value at its end, where that differs from the last one. `now` is
 * `null` where the present value was not read.
 */
export function seriesOf<Value>(
  kept: readonly Kept<Value>[],
  now: Value | null,
  at: Instant,
): readonly Kept<Value>[] {
  const last = kept.at(-1);
  if (now === null || (last !== undefined && isSame(last.value, now))) return kept;
  return [...kept, { at, value: now }];
}

/** Whether two plain values are equal. Their fields must stand in the same order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
