// What stands around lines and operations: adjustments that nothing explains, operations of a blocked account, and rows
// that could not be read.

import type { FindingDraft } from '../../domain/finding.ts';
import { HOUR, type Instant } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Merchant } from '../../domain/merchant.ts';
import { DELIVERY_WINDOW } from '../../domain/notification.ts';
import type { Operation } from '../../domain/operation.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { Wallet } from '../../domain/wallet.ts';
import { type CheckContext, draftOf, type KindPage, lineEvidence, operationEvidence } from '../check.ts';
import { eventMissing } from '../notifications/notification-pages.ts';

const sound = `
    line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=regularization
    wallet 1000/0`;

export const adjustmentUnexplained: KindPage<'ADJUSTMENT_UNEXPLAINED'> = {
  kind: 'ADJUSTMENT_UNEXPLAINED',
  explanation:
    'An adjustment moved money with neither a description nor a wallet.adjusted event. A notification that could not be read may be that event: its INPUT_REJECTED is the root then.',
  fires: `
    line 1 ADJUSTMENT_CREDIT 1000 1000/0 -`,
  quiet: sound,
};

/** When `wallet.adjusted` was notified, ascending; null: nothing was notified at all. */
export type AdjustedAt = readonly Instant[] | null;

/**
 * Of what lines alone have shown, what still stands at `watermark`: a notification may have come since the line was judged,
 * and one that is missing may still be on its way.
 */
export function stillStanding(
  drafts: readonly FindingDraft[],
  { adjustedAt, watermark, grace }: Pick<CheckContext, 'adjustedAt' | 'watermark' | 'grace'>,
): readonly FindingDraft[] {
  const latest = watermark - DELIVERY_WINDOW - grace;
  return drafts.filter(({ kind, newestEvidence: at }) => {
    if (kind === adjustmentUnexplained.kind) return !isNear(at!, adjustedAt);
    return kind !== eventMissing.kind || (at! < latest && isAwaited(at!, adjustedAt));
  });
}

/** A notification within an hour of an adjustment is taken for its own: what it says is not shown. */
function isNear(createdAt: Instant, adjustedAt: AdjustedAt): boolean {
  if (adjustedAt === null) return false;
  let [from, to] = [0, adjustedAt.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (adjustedAt[middle]! < createdAt - HOUR) from = middle + 1;
    else to = middle;
  }
  return from < adjustedAt.length && adjustedAt[from]! <= createdAt + HOUR;
}

/** Such notifications are known to arrive from the first one on: where they go is set by the account, and may be nowhere. */
function isAwaited(createdAt: Instant, adjustedAt: AdjustedAt): boolean {
  const first = adjustedAt?.[0];
  return first !== undefined && first < createdAt - HOUR && !isNear(createdAt, adjustedAt);
}

/** `entry` is an ADJUSTMENT_* line. What is found of its notification must pass `stillStanding`. */
export function judgeAdjustment(entry: LedgerEntry, adjustedAt: AdjustedAt): readonly FindingDraft[] {
  const isDescribed = entry.description !== null && entry.description.trim() !== '';
  const { sequence, amount, direction, operationReference, createdAt } = entry;
  const figures = { sequence, amount, direction };
  const parts = { sequence, operationReference, evidence: [lineEvidence(sequence)], newestEvidence: createdAt };
  return [
    ...(isDescribed || isNear(createdAt, adjustedAt) ? [] : [draftOf(adjustmentUnexplained, figures, parts)]),
    ...(isAwaited(createdAt, adjustedAt) ? [draftOf(eventMissing, { of: 'adjustment', ...figures }, parts)] : []),
  ];
}

export const operatedWhileBlocked: KindPage<'OPERATED_WHILE_BLOCKED'> = {
  kind: 'OPERATED_WHILE_BLOCKED',
  explanation:
    'An operation was created while the wallet was frozen or closed, or by an account that was never activated. The documents keep no history of these states: only what is certain is reported.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    op CI-2 FAILED 1000 createdAt=+5d
    wallet 1000/0 status=FROZEN updatedAt=+1d`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    wallet 1000/0 status=FROZEN updatedAt=+1d`,
};

/** Certain: created after the last change of a wallet that is not ACTIVE now; or at all, when the account is PENDING. */
export function isBlocked(
  operation: Operation,
  parties: { readonly wallet: Wallet | null; readonly profiles: readonly Merchant[] },
  context: CheckContext,
): boolean {
  const { wallet, profiles } = parties;
  if (profiles.length > 0 && profiles.every((profile) => profile.status === 'PENDING')) return true;
  return (
    wallet !== null && wallet.status !== 'ACTIVE' && operation.createdAt > wallet.updatedAt + context.clockTolerance
  );
}

export function describeBlocked(operation: Operation): FindingDraft {
  const { reference, createdAt } = operation;
  return draftOf(
    operatedWhileBlocked,
    { reference },
    {
      operationReference: reference,
      evidence: [operationEvidence(reference)],
      newestEvidence: createdAt,
    },
  );
}

export const inputRejected: KindPage<'INPUT_REJECTED'> = {
  kind: 'INPUT_REJECTED',
  explanation:
    'A row could not be read exactly, so it was not read at all. Its bytes are kept, its place and the reason are named, and the verdict is at best incomplete. A run looks for it again until the source serves it sound, or no longer serves it.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000
    reject ledger.jsonl:2 amount is 12.5, not a whole number`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000`,
};

export function describeRejected(row: RejectedRow): FindingDraft {
  const placed = row.sequence !== null || row.reference !== null;
  const figures = { part: row.part, place: row.place, reason: row.reason, refusal: row.refusal };
  return draftOf(inputRejected, figures, {
    sequence: row.sequence,
    operationReference: row.reference,
    inputPlace: placed ? null : row.place,
    evidence: [{ what: 'input', sequence: null, reference: row.place, note: row.raw.slice(0, 200) }],
  });
}
