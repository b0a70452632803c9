// What stands around lines and operations: adjustments that nothing explains, operations of a blocked account, and rows
// that could not be read.

import type { FindingDraft } from '../../domain/finding.ts';
import { HOUR, type Instant } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Operation } from '../../domain/operation.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { Wallet } from '../../domain/wallet.ts';
import { type CheckContext, draftOf, type KindPage, lineEvidence, operationEvidence } from '../check.ts';

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

/** True for a draft about an adjustment that a notification explains, which may have come after the line was judged. */
export function isExplained({ kind, newestEvidence }: FindingDraft, adjustedAt: readonly Instant[] | null): boolean {
  return kind === adjustmentUnexplained.kind && isNear(newestEvidence!, adjustedAt);
}

/** A notification within an hour of an adjustment explains it: what it says is not shown. */
function isNear(createdAt: Instant, adjustedAt: readonly Instant[] | null): boolean {
  return adjustedAt?.some((at) => Math.abs(at - createdAt) <= HOUR) ?? false;
}

/** `entry` is an ADJUSTMENT_* line. */
export function judgeAdjustment(entry: LedgerEntry, adjustedAt: readonly Instant[] | null): FindingDraft | null {
  if (entry.description !== null && entry.description.trim() !== '') return null;
  if (isNear(entry.createdAt, adjustedAt)) return null;
  const { sequence, amount, direction, operationReference, createdAt } = entry;
  const figures = { sequence, amount, direction };
  return draftOf(adjustmentUnexplained, figures, {
    sequence,
    operationReference,
    evidence: [lineEvidence(sequence)],
    newestEvidence: createdAt,
  });
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
  const figures = { part: row.part, place: row.place, reason: row.reason };
  return draftOf(inputRejected, figures, {
    sequence: row.sequence,
    operationReference: row.reference,
    inputPlace: placed ? null : row.place,
    evidence: [{ what: 'input', sequence: null, reference: row.place, note: row.raw.slice(0, 200) }],
  });
}
