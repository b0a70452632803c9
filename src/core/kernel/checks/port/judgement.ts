// The judgement of something that the service publishes beside the ledger: findings, what was not
// judged, and the places that were; and the series of what earlier looks saw.

import { leastOf } from '../../../domain/amount.ts';
import type { Evidence, FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import type { Instant } from '../../../domain/instant.ts';
import type { Kept } from '../../../domain/published/payout-place.ts';
import type { CodedNote } from '../../../domain/snapshot.ts';
import { draftOf, type Parts } from './check.ts';

/**
 * A place that was judged: an earlier finding of that kind which is no longer found there is gone.
 */
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

/** Of a place; null: it is sound. */
export function judged<Kind extends FindingKind>(
  kind: Kind,
  inputPlace: string,
  found: Found<Kind> | null,
): Judgement {
  const drafts = found === null ? [] : [draftOf(kind, found.figures, { ...found, inputPlace })];
  return { drafts, notes: [], sought: [{ kind, inputPlace }] };
}

/**
 * A figure that the service states, and its lawful values, one for each reading of the document.
 */
interface StatedFigure<Kind extends FindingKind> {
  readonly stated: number | bigint;
  readonly lawful: readonly (number | bigint)[];
  /** What the sentence needs; `due` is the lawful value nearest to the stated one. */
  readonly figures: (due: bigint) => FindingFigures[Kind];
  readonly evidence: readonly Evidence[];
}

/** Wrong when no reading gives the figure. */
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

/** Two looks that follow each other. */
export function pairsOf<Value>(
  rows: readonly Kept<Value>[],
): readonly (readonly [Kept<Value>, Kept<Value>])[] {
  return rows.slice(1).map((row, i) => [rows[i]!, row] as const);
}

/** With the present value at the end, where it differs. */
export function seriesOf<Value>(
  kept: readonly Kept<Value>[],
  now: Value | null,
  at: Instant,
): readonly Kept<Value>[] {
  const last = kept.at(-1);
  if (now === null || (last !== undefined && isSame(last.value, now))) return kept;
  return [...kept, { at, value: now }];
}

/** Compares plain values whose fields have one order. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
