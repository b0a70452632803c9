// A figure below zero, or a hold that is larger than what is available, follows from a fault without which it would not be so.

import { declared } from '../../checks/kinds/catalogue.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { FollowRule } from './causes.ts';
import { causeAtDrift, findingOf, type Material } from './material.ts';
import type { Shortfall } from './shortfall.ts';

export const followBelowZero: FollowRule = (material) => {
  const { drafts, places } = material;
  let before: Before | null = null;
  return (self) => {
    const draft = drafts[self]!;
    if (!isForWant(draft)) return null;
    before ??= lookBefore(material);
    const line = draft.sequence!;
    const last = before.drifts.findLast((drift) => drift.sequence <= line);
    if (last !== undefined && (last.balance < 0n || last.reserved !== 0n) && last.worst !== null) {
      return causeAtDrift(last.worst, material);
    }
    const short = before.short.find(({ offFrom }) => offFrom <= line);
    if (short !== undefined) return findingOf(material, short.shortfall);
    if (before.orphan < line) return places.bySequence.get(before.orphan) ?? null;
    const { uncovered } = before;
    return uncovered !== null && isForWantOf(drafts[uncovered]!, draft) ? uncovered : null;
  };
};

function isForWant(draft: FindingDraft): boolean {
  const { effect } = declared(draft);
  return effect === 'below-zero' || effect === 'uncovered';
}

/** What stood before each line, for the many figures below zero that one fault may leave. */
interface Before {
  /** The first drifts, in the order of lines, each with the sums up to it and the first culprit up to it, if any. */
  readonly drifts: readonly {
    readonly sequence: number;
    readonly balance: bigint;
    readonly reserved: bigint;
    readonly worst: number | null;
  }[];
  /** Operations that lack money, in their order, as far as each was off before all those in front of it. */
  readonly short: readonly { readonly offFrom: number; readonly shortfall: Shortfall }[];
  /** The first line that names no operation: what it holds or frees is in nobody's tally. */
  readonly orphan: number;
  /** The first hold that was larger than what was available: what it took, later lines lack. */
  readonly uncovered: number | null;
}

function lookBefore({ firstDrifts, short, drafts, orphans }: Material): Before {
  let [balance, reserved, worst] = [0n, 0n, null as number | null];
  const drifts = firstDrifts.map((drift) => {
    balance += BigInt(drift.balance);
    reserved += BigInt(drift.reserved);
    if (worst === null && (BigInt(drift.balance) < 0n || drift.reserved !== '0')) worst = drift.sequence;
    return { sequence: drift.sequence, balance, reserved, worst };
  });
  const culprits: Before['short'][number][] = [];
  let earliest = Number.POSITIVE_INFINITY;
  const faults = faultsOf(drafts);
  for (const shortfall of short) {
    const fault = faults.get(shortfall.reference);
    if (shortfall.balance <= 0 && shortfall.reserved === 0 && fault?.tookMore !== true) continue;
    const firstPosted = shortfall.posted[0]?.sequence ?? Number.NEGATIVE_INFINITY;
    const offFrom = fault?.sequence ?? firstPosted;
    if (offFrom >= earliest) continue;
    earliest = offFrom;
    culprits.push({ offFrom, shortfall });
  }
  return { drifts, short: culprits, orphan: Math.min(...orphans.keys()), uncovered: firstUncovered(drafts) };
}

interface FirstFault {
  readonly sequence: number;
  readonly tookMore: boolean;
}

/** Of each operation: the first line that is at fault, and whether one held or took more than was due. */
function faultsOf(drafts: readonly FindingDraft[]): ReadonlyMap<string, FirstFault> {
  const faults = new Map<string, FirstFault>();
  for (const draft of drafts) {
    const { sequence, operationReference } = draft;
    if (operationReference === null || sequence === null || isForWant(draft)) continue;
    const known = faults.get(operationReference);
    const tookMore = takesMore(draft) || known?.tookMore === true;
    faults.set(operationReference, { sequence: Math.min(sequence, known?.sequence ?? sequence), tookMore });
  }
  return faults;
}

function takesMore(draft: FindingDraft): boolean {
  const { subject, figure } = declared(draft);
  const lowersAvailable = figure === '+reserved' || figure === '-balance';
  return subject === 'operation' && lowersAvailable && (draft.difference ?? 0n) > 0n;
}

function firstUncovered(drafts: readonly FindingDraft[]): number | null {
  let first: number | null = null;
  drafts.forEach((draft, i) => {
    if (declared(draft).effect !== 'uncovered') return;
    if (first === null || draft.sequence! < drafts[first]!.sequence!) first = i;
  });
  return first;
}

/** Had the service refused the hold that was too large, the later line would have found all that it took. */
function isForWantOf(uncovered: FindingDraft, { sequence, difference }: FindingDraft): boolean {
  return uncovered.sequence! < sequence! && (difference ?? 0n) <= BigInt(uncovered.actual!);
}
