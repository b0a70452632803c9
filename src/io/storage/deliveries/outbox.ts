// The outbox: deliveries are written in the transaction of the event they announce, and senders
// claim them one by one. Each attempt is stored and moves its delivery to its next state. Refuses
// to write a delivery twice, to give it to two senders, and to record an attempt of a process that
// has lost the claim, unless the delivery is in doubt.

import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { SentFile } from '../../../core/domain/delivery/choose-files.ts';
import type {
  Channel,
  DeliveryContent,
  NewDelivery,
} from '../../../core/domain/delivery/delivery.ts';
import type { SendOutcome } from '../../../core/domain/delivery/delivery-channel.ts';
import { stepAfter } from '../../../core/domain/delivery/delivery-ladder.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { ask, build, by, inPieces, jsonText, unnest } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import type { StoredDelivery } from './deliveries.ts';
import { deliveriesTo, type Place } from './sent-files.ts';

/** A delivery whose time has come. */
export interface DueDelivery
  extends Pick<
    StoredDelivery,
    'id' | 'announces' | 'channel' | 'target' | 'merchant' | 'createdAt'
  > {
  readonly content: DeliveryContent;
}

/**
 * The database server's clock, epoch milliseconds. A delivery is due at the earlier of this and the
 * process's clock, so that it is due at once even when the process's clock is hours ahead.
 */
const CLOCK = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Adds deliveries. Must run in the caller's transaction. Skips a delivery that announces the same
 * to the same target as a stored one.
 */
export async function addDeliveries(
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Instant,
): Promise<void> {
  const rows = deliveries.map(({ content, isHeld = false, ...delivery }) => ({
    ...delivery,
    delivery_id: randomUUID(),
    topic: content.topic,
    content: storableJson(content),
    created_at: now,
    state: isHeld ? ('HELD' as const) : ('PENDING' as const),
    next_attempt_at: isHeld ? null : sql<Instant>`least(${now}, ${CLOCK})`,
  }));
  for (const some of inPieces(rows)) {
    const add = build.insertInto('deliveries').values(some);
    await ask(
      client,
      add.onConflict((conflict) =>
        conflict.columns(['announces', 'channel', 'target']).doNothing(),
      ),
    );
  }
}

const NO_MORE = 'is not configured for it any more';

/**
 * Redirects a delivery whose address is no longer configured. `present` holds the same delivery for
 * each address that is configured now; `null` when the address is not to be compared. Returns
 * `null` when the delivery may go to its own address. Otherwise makes the deliveries of `present`
 * due and returns the refusal to record for the old address.
 */
export async function readdress(
  store: Store,
  { target }: DueDelivery,
  present: readonly NewDelivery[] | null,
  at: Instant,
): Promise<SendOutcome | null> {
  if (present?.some((one) => one.target.toLowerCase() === target.toLowerCase()) ?? true)
    return null;
  await inTransaction(store, async (client) => {
    await addDeliveries(client, present!, at);
    for (const one of present!) await putBack(client, one, at);
  });
  const others = present!.map((one) => one.target).join(', ');
  const detail = `${target} ${NO_MORE}${others === '' ? '' : `: it goes to ${others}`}.`;
  return { outcome: 'REFUSED', detail };
}

/**
 * Makes a delivery due again that was refused because its address was not configured, now that the
 * address is configured again.
 */
async function putBack(
  client: pg.ClientBase,
  { announces, channel, target }: NewDelivery,
  at: Instant,
): Promise<void> {
  const put = build
    .updateTable('deliveries as d')
    .set({ state: 'PENDING', next_attempt_at: at })
    .where(({ and }) => and({ 'd.announces': announces, 'd.channel': channel, 'd.target': target }))
    .where('d.state', '=', 'ABANDONED')
    .where(
      ({ selectFrom }) =>
        selectFrom('delivery_attempts as a')
          .select('a.detail')
          .whereRef('a.delivery_id', '=', 'd.delivery_id')
          .orderBy('a.attempt_number', 'desc')
          .limit(1),
      'like',
      `%${NO_MORE}%`,
    );
  await ask(client, put);
}

/**
 * Abandons the held deliveries of earlier revisions of a month. Must run in the caller's
 * transaction, before the deliveries of the new revision are added.
 */
export async function withdrawHeld(client: pg.ClientBase, month: MonthKey): Promise<void> {
  await ask(client, heldOf(month).set({ state: 'ABANDONED' }));
}

/**
 * Makes the held deliveries of a month due. Must run in the caller's transaction. Returns how many
 * they are.
 */
export async function releaseHeld(
  client: pg.ClientBase,
  month: MonthKey,
  now: Instant,
): Promise<number> {
  return (await ask(client, heldOf(month).set({ state: 'PENDING', next_attempt_at: now }))).count;
}

function heldOf({ merchant, period }: MonthKey) {
  return build
    .updateTable('deliveries')
    .where(({ and }) => and({ state: 'HELD', merchant, topic: 'statement' }))
    .where(jsonText('content', 'period'), '=', period);
}

/**
 * Lists the deliveries due at `at`, the longest due first. Claims none: another process may get the
 * same list.
 */
export async function listDue(
  store: Store,
  {
    channel,
    at,
    limit,
  }: { readonly channel: Channel; readonly at: Instant; readonly limit: number },
): Promise<readonly DueDelivery[]> {
  const list = build
    .selectFrom('deliveries')
    .select(({ ref }) => [
      'delivery_id as id',
      'announces',
      'channel',
      'target',
      'merchant',
      ref('content').$castTo<DeliveryContent>().as('content'),
      'created_at as createdAt',
    ])
    .where('channel', '=', channel)
    .where('next_attempt_at', '<=', at)
    .$call(by('next_attempt_at', 'delivery_id'))
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}

/** Returns when the next delivery of a channel is due; `null` when none is planned. */
export async function loadNextDue(store: Store, channel: Channel): Promise<Instant | null> {
  const load = build
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min<Instant | null>('next_attempt_at').as('next'))
    .where('channel', '=', channel)
    .where('next_attempt_at', 'is not', null);
  return (await ask(store.pool, load)).rows[0]!.next;
}

/**
 * The right to send one delivery until an instant. `until` identifies the claim, so no two claims
 * of one delivery may end at the same instant.
 */
export interface Claim {
  readonly id: string;
  readonly claimedAt: Instant;
  readonly until: Instant;
  readonly cargo?: Cargo | undefined;
}

/**
 * The files that a delivery will send, their place, and the states of all deliveries to that place
 * when the files were chosen: `seen` as `loadPlace` gives it.
 */
export interface Cargo {
  readonly files: readonly SentFile[];
  readonly place: Place;
  readonly seen: string;
}

/**
 * Moves a delivery to SENDING, and commits that before it returns, so that no other process sends
 * the delivery. Returns false when the delivery is no longer due, when another process has claimed
 * it, or when the deliveries to its place have changed since `seen`. Two processes that claim for
 * one place wait for each other.
 */
export async function claimDelivery(
  store: Store,
  { id, claimedAt, until, cargo }: Claim,
): Promise<boolean> {
  const claim = build
    .with('due', (from) =>
      from
        .selectFrom('deliveries')
        .select('delivery_id')
        .where('delivery_id', '=', id)
        .where('next_attempt_at', '<=', claimedAt)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('deliveries as d')
    .from('due')
    .set({ state: 'SENDING', next_attempt_at: null, claimed_at: claimedAt, claimed_until: until })
    .set({ files: cargo === undefined ? null : storableJson(cargo.files) })
    .whereRef('d.delivery_id', '=', 'due.delivery_id');
  return inTransaction(store, async (client) => {
    if (cargo !== undefined) {
      const { rows } = await ask(client, deliveriesTo(cargo.place).forUpdate());
      const states = rows.map(({ state }) => state);
      if (states.join() !== cargo.seen || states.includes('SENDING')) return false;
    }
    return (await ask(client, claim)).count === 1;
  });
}

interface LockedDelivery {
  readonly id: string;
  readonly attempts: number;
  readonly startedAt: Instant;
}

const ROWS_PER_STATEMENT = 500;

/**
 * Records an attempt and ends its claim. Returns false, and records nothing, when the claim has run
 * out and another process has gone on from there. A delivery that became IN_DOUBT meanwhile gets
 * the outcome that is known now.
 */
export async function recordAttempt(
  store: Store,
  claim: Claim,
  attempt: SendOutcome & { readonly finishedAt: Instant },
): Promise<boolean> {
  return inTransaction(store, async (client) => {
    const lock = build
      .selectFrom('deliveries')
      .select(['state', 'attempts', 'claimed_until as until'])
      .where('delivery_id', '=', claim.id)
      .forUpdate();
    const row = (await ask(client, lock)).rows[0];
    if (row === undefined || (row.until !== claim.until && row.state !== 'IN_DOUBT')) return false;
    const ended = { id: claim.id, attempts: row.attempts, startedAt: claim.claimedAt };
    await endAttempts(client, [ended], attempt);
    return true;
  });
}

interface Ended {
  readonly channel: Channel;
  readonly at: Instant;
  readonly outcome: SendOutcome;
}

/**
 * Records a failed attempt for every delivery due on a channel at `at`, when the channel could not
 * be opened. None of them was claimed. Returns how many.
 */
export function recordUnopened(store: Store, ended: Ended): Promise<number> {
  return endAll(store, ended, {
    by: 'next_attempt_at',
    startedAt: sql<Instant>`${ended.at}::bigint`,
  });
}

/**
 * Ends the claims of a channel that ran out by `at`, because the process that held them has died or
 * hangs. Returns how many.
 */
export function endStaleClaims(store: Store, ended: Ended): Promise<number> {
  return endAll(store, ended, { by: 'claimed_until', startedAt: sql.ref<Instant>('claimed_at') });
}

/**
 * Ends attempts in pieces of ROWS_PER_STATEMENT. Skips deliveries that another process has locked.
 * Returns how many it ended.
 */
async function endAll(
  store: Store,
  { channel, at, outcome }: Ended,
  {
    by,
    startedAt,
  }: { readonly by: 'next_attempt_at' | 'claimed_until'; readonly startedAt: RawBuilder<Instant> },
): Promise<number> {
  const lock = build
    .selectFrom('deliveries')
    .select(['delivery_id as id', 'attempts', startedAt.as('startedAt')])
    .where('channel', '=', channel)
    .where(by, '<=', at)
    .orderBy(by)
    .orderBy('delivery_id')
    .limit(ROWS_PER_STATEMENT)
    .forUpdate()
    .skipLocked();
  for (let total = 0; ; ) {
    const count = await inTransaction(store, async (client) => {
      const { rows } = await ask(client, lock);
      await endAttempts(client, rows, { ...outcome, finishedAt: at });
      return rows.length;
    });
    total += count;
    if (count < ROWS_PER_STATEMENT) return total;
  }
}

/**
 * Adds an attempt to each delivery and moves it to its next state. The caller must have locked the
 * rows.
 */
async function endAttempts(
  client: pg.ClientBase,
  ended: readonly LockedDelivery[],
  { outcome, detail, finishedAt }: SendOutcome & { readonly finishedAt: Instant },
): Promise<void> {
  if (ended.length === 0) return;
  const steps = ended.map(({ attempts }) =>
    stepAfter(outcome, { attempts: attempts + 1, at: finishedAt }),
  );
  const ids = ended.map(({ id }) => id);
  const add = build
    .insertInto('delivery_attempts')
    .columns([
      'delivery_id',
      'attempt_number',
      'started_at',
      'finished_at',
      'outcome',
      'detail',
      'files',
    ])
    .expression((from) =>
      from
        .selectFrom(
          unnest('e', {
            delivery_id: ['uuid', ids],
            started_at: ['bigint', ended.map(({ startedAt }) => startedAt)],
          }),
        )
        .innerJoin('deliveries as d', 'd.delivery_id', 'e.delivery_id')
        .select(({ selectFrom, val }) => [
          'e.delivery_id',
          selectFrom('delivery_attempts as a')
            .select(({ eb, fn, lit }) =>
              eb(fn.coalesce(fn.max('a.attempt_number'), lit(0)), '+', 1).as('number'),
            )
            .whereRef('a.delivery_id', '=', 'e.delivery_id')
            .as('attempt_number'),
          'e.started_at',
          val(finishedAt).as('finished_at'),
          val(outcome).as('outcome'),
          val(storableText(detail)).as('detail'),
          'd.files',
        ]),
    );
  await ask(client, add);
  const step = unnest('e', {
    delivery_id: ['uuid', ids],
    state: ['text', steps.map(({ state }) => state)],
    next_attempt_at: ['bigint', steps.map(({ nextAttemptAt }) => nextAttemptAt)],
  });
  const move = build
    .updateTable('deliveries as d')
    .from(step)
    .set(({ eb, ref }) => ({
      state: ref('e.state'),
      attempts: eb('d.attempts', '+', 1),
      next_attempt_at: ref('e.next_attempt_at'),
      claimed_at: null,
      claimed_until: null,
    }))
    .whereRef('d.delivery_id', '=', 'e.delivery_id');
  await ask(client, move);
}
