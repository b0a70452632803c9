// Asks for a refresh of operations that are past their expiry and not final: "the partner is expected to poll for operations
// that remain non-final past their expiresAt" (direct API, "What the service does"). It asks the service nothing itself.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { loadOverdue } from '../../../io/storage/mirror/load-overdue.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Jobs } from '../jobs.ts';

export interface OverdueSweep {
  readonly store: Store;
  readonly jobs: Jobs;
  /** False for a merchant whose books are a copy: nothing moves there. */
  readonly moves: (merchant: string) => boolean;
  readonly now: Instant;
  /** Milliseconds past its expiry that an operation may still be moving. */
  readonly grace: number;
}

/** Longer ago: every nightly run asks for what it left open, whatever its age. */
const OVERDUE_SINCE = DAY;
/** More than so many at once are a trouble of the service, and are left to the night. */
const MOST_PER_MERCHANT = 100;
const REQUESTS_AT_ONCE = 500;

/** How many refreshes were asked for. Made to be called every quarter of an hour; one that is queued already stays one. */
export async function sweepOverdue({ store, jobs, moves, now, grace }: OverdueSweep): Promise<number> {
  const until = now - grace;
  const scope = { after: until - OVERDUE_SINCE, until, mostPerMerchant: MOST_PER_MERCHANT };
  const overdue = (await loadOverdue(store, scope)).filter(({ merchant }) => moves(merchant));
  for (let from = 0; from < overdue.length; from += REQUESTS_AT_ONCE) {
    const part = overdue.slice(from, from + REQUESTS_AT_ONCE);
    await jobs.send(part.map(({ merchant, reference }) => ({ kind: 'refresh', data: { merchant, reference } })));
  }
  return overdue.length;
}
