// What became of deliveries: each attempt is kept, and moves its delivery on, in one transaction. Refuses an attempt of a process that
// no longer holds the claim, unless it ends a doubt.

import type pg from 'pg';
import type { Channel, DeliveryState } from '../../domain/delivery/delivery.ts';
import type { SendOutcome } from '../../domain/delivery/delivery-channel.ts';
import { stepAfter } from '../../domain/delivery/delivery-ladder.ts';
import type { Instant } from '../../domain/instant.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { inTransaction } from '../server/transaction.ts';
import type { Claim } from './outbox.ts';

interface LockedDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly startedAt: Instant;
}

const ROWS_PER_STATEMENT = 500;

/**
 * False when the claim ran out and somebody else has gone on from there: then nothing is recorded. A delivery that was put
 * IN_DOUBT meanwhile takes what is known now.
 */
export async function recordAttempt(
  store: Store,
  claim: Claim,
  attempt: SendOutcome & { readonly finishedAt: Instant },
): Promise<boolean> {
  return inTransaction(store, async (client) => {
    const locked = await client.query<{ state: DeliveryState; attempts: number; until: Instant | null }>(
      `select state, attempts, claimed_until as until
      from deliveries
      where delivery_id = $1
      for update`,
      [claim.id],
    );
    const row = locked.rows[0];
    if (row === undefined || (row.until !== claim.until && row.state !== 'IN_DOUBT')) return false;
    const ended = { id: claim.id, attempts: row.attempts, startedAt: claim.claimedAt };
    await endAttempts(client, [ended], attempt);
    return true;
  });
}

/** Counts an attempt that could not even begin, for all that is due on a channel at `at`; nothing of it was claimed. */
export async function recordUnopened(
  store: Store,
  { channel, at, outcome }: { readonly channel: Channel; readonly at: Instant; readonly outcome: SendOutcome },
): Promise<number> {
  return endAll(
    store,
    `select delivery_id as id, attempts, $2::bigint as "startedAt"
    from deliveries
    where channel = $1 and next_attempt_at <= $2
    order by next_attempt_at, delivery_id
    limit ${ROWS_PER_STATEMENT}
    for update skip locked`,
    { channel, at, outcome },
  );
}

/** Ends the claims of a channel that ran out before `at`: the process that held them has ended, or hangs. */
export async function endStaleClaims(
  store: Store,
  { channel, at, outcome }: { readonly channel: Channel; readonly at: Instant; readonly outcome: SendOutcome },
): Promise<number> {
  return endAll(
    store,
    `select delivery_id as id, attempts, claimed_at as "startedAt"
    from deliveries
    where channel = $1 and claimed_until < $2
    order by claimed_until, delivery_id
    limit ${ROWS_PER_STATEMENT}
    for update skip locked`,
    { channel, at, outcome },
  );
}

async function endAll(
  store: Store,
  select: string,
  { channel, at, outcome }: { readonly channel: Channel; readonly at: Instant; readonly outcome: SendOutcome },
): Promise<number> {
  for (let total = 0; ; ) {
    const ended = await inTransaction(store, async (client) => {
      const locked = await client.query<LockedDelivery>(select, [channel, at]);
      await endAttempts(client, locked.rows, { ...outcome, finishedAt: at });
      return locked.rows.length;
    });
    total += ended;
    if (ended < ROWS_PER_STATEMENT) return total;
  }
}

/** The rows are locked. */
async function endAttempts(
  client: pg.ClientBase,
  ended: readonly LockedDelivery[],
  { outcome, detail, finishedAt }: SendOutcome & { readonly finishedAt: Instant },
): Promise<void> {
  if (ended.length === 0) return;
  const steps = ended.map(({ attempts }) => stepAfter(outcome, { attempts: attempts + 1, at: finishedAt }));
  const ids = ended.map(({ id }) => id);
  await client.query(
    `insert into delivery_attempts (delivery_id, attempt_number, started_at, finished_at, outcome, detail)
    select e.delivery_id, 1 + coalesce((
        select max(a.attempt_number)
        from delivery_attempts a
        where a.delivery_id = e.delivery_id
      ), 0), e.started_at, $3, $4, $5
    from unnest($1::uuid[], $2::bigint[]) as e (delivery_id, started_at)`,
    [ids, ended.map(({ startedAt }) => startedAt), finishedAt, outcome, storableText(detail)],
  );
  await client.query(
    `update deliveries d
    set state = e.state, attempts = d.attempts + 1, next_attempt_at = e.next_attempt_at, claimed_at = null,
      claimed_until = null
    from unnest($1::uuid[], $2::text[], $3::bigint[]) as e (delivery_id, state, next_attempt_at)
    where d.delivery_id = e.delivery_id`,
    [ids, steps.map(({ state }) => state), steps.map(({ nextAttemptAt }) => nextAttemptAt)],
  );
}
