// Cash-outs that count towards the daily ceiling. They are kept while a rolling day can still reach
// them, and forgotten after their days were judged for good. A change of a judged day asks for a
// replay from the first line.

import type { FindingDraft } from '../../domain/finding.ts';
import { DAY, type Instant } from '../../domain/instant.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Operation } from '../../domain/operation.ts';
import {
  ceilingOf,
  isCrossed,
  judgeDailyLimit,
  type PaidOut,
  paidOutBy,
  SAME_CROSSING,
} from '../checks/across/daily-limit.ts';

/** The part of the books in which cash-outs are kept. */
export interface PaidOutBooks {
  /** Settled cash-outs of the last week, while the account has a daily ceiling. */
  paidOut: Map<string, PaidOut>;
  /** Findings of ceilings crossed before `paidOutFrom`, made when those days were forgotten. */
  readonly limitDrafts: FindingDraft[];
  /** Crossings up to this instant have been judged for good. */
  paidOutFrom: Instant;
  /** The ceiling was crossed before `paidOutFrom`, by creation at least. */
  ceilingCrossed: boolean;
  /** Something that was forgotten has changed: the next replay must start from the first line. */
  replayAgain: boolean;
}

/**
 * A crossing by creation that lies this far back (milliseconds) is judged for good: its counterpart
 * by completion has been seen, with a day to spare.
 */
const SETTLED_AFTER = SAME_CROSSING + DAY;
/**
 * How far back cash-outs are kept, in milliseconds: a crossing and its counterpart each depend on
 * the two days before them.
 */
const REACH = SAME_CROSSING + 2 * DAY;

/** Takes the newest version of an operation. `replaced` is the version taken before, or null. */
export function notePaidOut(
  books: PaidOutBooks,
  version: { readonly operation: Operation; readonly replaced: Operation | null },
  profiles: readonly Merchant[],
): void {
  if (ceilingOf(profiles) === 0) return;
  const paid = paidOutBy(version.operation);
  const before = version.replaced === null ? null : paidOutBy(version.replaced);
  if (paid === null) {
    if (before === null) return;
    if (isJudged(books, before) && books.ceilingCrossed) books.replayAgain = true;
    books.paidOut.delete(before.reference);
    return;
  }
  const isNews = before === null || JSON.stringify(before) !== JSON.stringify(paid);
  if (isNews && (isJudged(books, paid) || (before !== null && isJudged(books, before))))
    books.replayAgain = true;
  books.paidOut.set(paid.reference, paid);
}

/** True when the cash-out belongs to days that have been judged for good. */
function isJudged({ paidOutFrom }: PaidOutBooks, { createdAt, completedAt }: PaidOut): boolean {
  return Math.min(createdAt, completedAt - SAME_CROSSING) <= paidOutFrom;
}

/**
 * Judges the days that can no longer change, and keeps the cash-outs that a rolling day can still
 * reach.
 */
export function forgetPaidOut(books: PaidOutBooks, profiles: readonly Merchant[]): void {
  const paid = [...books.paidOut.values()];
  const newest = paid.reduce(
    (latest, one) => Math.max(latest, one.createdAt),
    Number.MIN_SAFE_INTEGER,
  );
  const judged = newest - SETTLED_AFTER;
  if (judged <= books.paidOutFrom) return;
  const drafts = judgeDailyLimit(paid, profiles, books.paidOutFrom);
  books.limitDrafts.push(...drafts.filter((draft) => draft.newestEvidence! <= judged));
  books.ceilingCrossed ||= isCrossed(paid, profiles, judged);
  books.paidOutFrom = judged;
  const kept = paid.filter((one) => Math.max(one.createdAt, one.completedAt) > judged - REACH);
  books.paidOut = new Map(kept.map((one) => [one.reference, one]));
}
