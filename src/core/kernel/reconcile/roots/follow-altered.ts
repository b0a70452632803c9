// Follow rules for lines that a later reading served otherwise. The books are judged by what was
// read first, so only lines that are new since then, the wallet and the operations show what the
// altered lines moved.

import type { Alteration } from '../../../domain/alteration.ts';
import { withoutSign } from '../../../domain/amount.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';
import { DAY } from '../../../domain/instant.ts';
import { declared } from '../../checks/port/kinds.ts';
import type { FollowRule, Material } from './material.ts';

const KIND_OF: Readonly<Record<Alteration['change'], FindingKind>> = {
  rewritten: 'ENTRY_REWRITTEN',
  deleted: 'ENTRY_DELETED',
  inserted: 'ENTRY_INSERTED_LATE',
  reset: 'SEQUENCE_RESET',
  fallen: 'HISTORY_NO_LONGER_SERVED',
};

/**
 * A finding follows from an alteration: a drift just after the altered lines, a wallet figure that
 * is off by what they moved, or an operation that they name.
 */
export const followAltered: FollowRule = (material) => {
  const altered = rootsOf(material);
  if (altered.length === 0) return () => null;
  const after = new Map(material.drifts.map((drift) => [drift.sequence, drift.after]));
  const instants = new Map(material.short.map((one) => [one.reference, one.instants]));
  return (self) => {
    const draft = material.drafts[self]!;
    const { subject, effect } = declared(draft);
    const find = (test: (alteration: Alteration) => boolean): number | null =>
      altered.findLast(({ alteration, self: root }) => root !== self && test(alteration))?.self ??
      null;
    if (draft.kind === 'ENTRY_ID_REUSED') return find((one) => hasMoved(one, draft));
    if (draft.kind === 'OPENING_BALANCE_UNEXPLAINED')
      return find((one) => one.lastSequence < draft.sequence!);
    if (effect === 'drift')
      return find((one) => isBehind(one, draft, after.get(draft.sequence!) ?? null));
    if (subject === 'wallet' || subject === 'total') return find((one) => shows(one, draft));
    if (subject !== 'operation' || draft.operationReference === null) return null;
    return find((one) => concerns(one, draft, instants.get(draft.operationReference!) ?? []));
  };
};

/**
 * A finding follows from the history of its operation or wallet: what became of an operation that
 * is no longer served, what an operation has posted since it left its last state, and what a new
 * wallet begins with.
 */
export const followHistory: FollowRule = ({ drafts, places }) => {
  const causes = (['OPERATION_VANISHED', 'STATUS_REGRESSION', 'WALLET_REPLACED'] as const).map(
    (kind) => [kind, places.byKind.get(kind) ?? []] as const,
  );
  return (self) => {
    const { operationReference, ...draft } = drafts[self]!;
    const follows = declared(draft).follows ?? [];
    const possible = causes.flatMap(([kind, found]) => (follows.includes(kind) ? found : []));
    const isCause = (one: number) =>
      drafts[one]!.kind === 'WALLET_REPLACED' ||
      drafts[one]!.operationReference === operationReference;
    return possible.find(isCause) ?? null;
  };
};

/**
 * Returns the alterations that may be causes, each with the index of its finding. Lines that fell
 * out of the served history are judged as they were read, so they explain nothing, unless the books
 * at hand begin after them.
 */
function rootsOf({ alterations, drafts, places, firstSequence }: Material) {
  return alterations.flatMap((alteration) => {
    const { fillsGap, change, lastSequence } = alteration;
    if (fillsGap || (change === 'fallen' && (firstSequence ?? 0) <= lastSequence)) return [];
    const self = (places.byKind.get(KIND_OF[alteration.change]) ?? []).find(
      (one) => drafts[one]!.sequence === alteration.sequence,
    );
    return self === undefined ? [] : [{ alteration, self }];
  });
}

/**
 * Whether the drift comes from the alteration. The line after the last altered one goes on from
 * figures that are not judged; later drifts have causes of their own, unless they are of the same
 * amount.
 */
function isBehind(
  { sequence, lastSequence, off }: Alteration,
  draft: FindingDraft,
  after: number | null,
): boolean {
  if (after === null || draft.sequence! <= sequence) return false;
  if (after <= lastSequence && (after >= sequence || draft.sequence! > lastSequence)) return true;
  const moved = draft.difference ?? 0n;
  return moved !== 0n && (moved === BigInt(off.balance) || moved === BigInt(off.reserved));
}

/**
 * Whether the id was used first within the alteration: inserted lines move the lines behind them to
 * other numbers.
 */
function hasMoved({ sequence, lastSequence }: Alteration, { figures }: FindingDraft): boolean {
  const first = Number(figures.first);
  return first >= sequence && first <= lastSequence;
}

/**
 * Whether the wallet figure is off by what the altered lines moved, or is a total that counts them.
 */
function shows({ change, off, before, now }: Alteration, draft: FindingDraft): boolean {
  const differences = [draft.difference ?? 0n, ...draft.differences]
    .filter((one) => one !== 0n)
    .map(withoutSign);
  const changed = (now?.amount ?? 0) - (before?.amount ?? 0);
  const moved = [off.balance, off.reserved, changed]
    .filter((one) => one !== 0)
    .map((one) => withoutSign(BigInt(one)));
  if (differences.some((one) => moved.includes(one))) return true;
  return declared(draft).subject === 'total' && (change !== 'rewritten' || moved.length > 0);
}

/**
 * Whether the operation is affected: it is that of the first altered line, or, where lines were
 * inserted or removed, it began since.
 */
function concerns(
  { change, before, now }: Alteration,
  draft: FindingDraft,
  instants: readonly number[],
): boolean {
  if (change === 'fallen') return Math.min(...instants) < now!.createdAt;
  const references = [before?.operationReference, now?.operationReference];
  if (references.includes(draft.operationReference)) return true;
  const since = Math.min(
    before?.createdAt ?? Number.POSITIVE_INFINITY,
    now?.createdAt ?? Number.POSITIVE_INFINITY,
  );
  return change !== 'rewritten' && instants.length > 0 && Math.min(...instants) >= since - DAY;
}
