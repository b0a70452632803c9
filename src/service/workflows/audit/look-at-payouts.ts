// Looks at a merchant's payouts: the figures that move, then (once the caller has read the payments) the lists, and the figures again.
// Asks nothing a second time that the place did not answer the first time.

import type { Instant } from '../../../core/domain/instant.ts';
import type { PaymentStatistics } from '../../../core/domain/published/payout.ts';
import type { Answered, PayoutFigures, PayoutPlace, PayoutsRead } from '../../../core/domain/published/payout-place.ts';
import type { NotChecked, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { PayoutLook } from '../../../core/reconcile/published/judge-payments.ts';

/** A look that has begun. */
export interface BegunLook {
  readonly place: PayoutPlace;
  readonly at: Instant;
  readonly before: PayoutFigures;
  readonly statistics: PaymentStatistics | null;
  readonly rejected: Map<string, RejectedRow>;
  readonly notes: Map<string, NotChecked>;
}

/** `at`: the books are judged as of then, and figures asked for now are not older. */
export async function beginLook(place: PayoutPlace, at: Instant): Promise<BegunLook> {
  const begun = { place, at, rejected: new Map(), notes: new Map() };
  const take = taker(begun);
  const before = {
    limits: take(await place.limits()),
    counters: take(await place.counters()),
    balance: take(await place.balance()),
  };
  return { ...begun, before, statistics: take(await place.statistics()) };
}

export async function endLook(begun: BegunLook): Promise<PayoutLook> {
  const { place, at, before, statistics } = begun;
  const take = taker(begun);
  const payouts = take(await place.list());
  const accounts = take(await place.accounts());
  const settlement = take(await place.settlement());
  const after = {
    limits: before.limits === null ? null : take(await place.limits()),
    counters: before.counters === null ? null : take(await place.counters()),
    balance: before.balance === null ? null : take(await place.balance()),
  };
  // What is listed was there: the clock of the service stood there at least.
  const listed = (payouts ?? []).flatMap(({ createdAt, completedAt }) => [createdAt, completedAt ?? createdAt]);
  const newest = listed.reduce((latest, one) => Math.max(latest, one), Number.NEGATIVE_INFINITY);
  const copied = place.isCopy === true && listed.length > 0 ? { copiedAfter: newest } : {};
  const lists = { payouts, accounts, settlement, statistics };
  const read: PayoutsRead = { from: at, until: Math.max(at, newest), ...copied, before, after, ...lists };
  return { read, rejected: [...begun.rejected.values()], notes: [...begun.notes.values()] };
}

function taker({ rejected, notes }: Pick<BegunLook, 'rejected' | 'notes'>) {
  return <Value>(answered: Answered<Value>): Value | null => {
    for (const row of answered.rejected) rejected.set(`${row.place} ${row.reason}`, row);
    if (answered.absent !== null) notes.set(answered.absent.what, answered.absent);
    return answered.value;
  };
}
