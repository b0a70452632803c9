// Forgets cash-outs that no rolling day can reach any more, after judging the days that they belong to.

import { judgeDailyLimit } from '../checks/across/daily-limit.ts';
import { DAY } from '../domain/instant.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Books } from './books.ts';

/** Keeps two days before the newest cash-out: one to judge, one for the window to reach back. */
export function forgetPaidOut(books: Books, profiles: readonly Merchant[]): void {
  const paid = [...books.paidOut.values()];
  const newest = paid.reduce((latest, one) => Math.max(latest, one.createdAt), Number.MIN_SAFE_INTEGER);
  const judged = newest - DAY;
  const drafts = judgeDailyLimit(paid, profiles, books.paidOutFrom);
  books.limitDrafts.push(...drafts.filter((draft) => draft.newestEvidence! <= judged));
  books.paidOutFrom = Math.max(books.paidOutFrom, judged);
  books.paidOut = new Map(paid.filter((one) => one.createdAt > newest - 2 * DAY).map((one) => [one.reference, one]));
}
