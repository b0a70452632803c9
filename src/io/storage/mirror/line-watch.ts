// How far the lines and operations that a merchant's source serves were compared with its mirror:
// one row for each merchant, written at the first reading and when lines have moved. It does not
// judge why they moved.

import type { Compilable } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { MissingOperation } from '../../../core/domain/operation.ts';
import { type Lease, requireLease } from '../merchants/merchant-lock.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import type { Store } from '../server/store.ts';
import { changeState } from './row-digests.ts';

/** The state after the last comparison of the served lines with the stored ones. */
export interface LineWatch {
  /** The last page (intake) whose lines were compared. */
  readonly comparedIntake: number;
  /**
   * How many positions lower the newest known line stood in the service's list than in the mirror.
   */
  readonly positionShift: number;
  /**
   * The sequence of the newest line that was served; `null` when that is the newest line stored.
   */
  readonly headSequence: number | null;
}

/** A round through the books in which known lines are read again. */
export interface LineRound {
  /** The position at which the round goes on: all lines below it were read in this round. */
  readonly nextPosition: number;
  readonly beganAt: Instant;
  /**
   * When the round before this one began: every line has been read since then. `null` when that is
   * not known.
   */
  readonly earlierBeganAt: Instant | null;
}

/**
 * A round in which known operations are read again. Operations created before `readUntil` were read
 * in this round.
 */
export interface OperationRound extends LineRound {
  readonly readUntil: Instant;
}

/** Known operations that are not served any more, by reference. */
export type MissedOperations = Readonly<
  Record<string, Pick<MissingOperation, 'missedAt' | 'missedAgainAt'>>
>;

/**
 * Saves the operations that are not served any more, and how far the round of operations has come;
 * `null` when no round has begun. Throws `LeaseLost`.
 */
export function saveOperationWatch(
  store: Store,
  lease: Lease,
  { missed, round }: { readonly missed: MissedOperations; readonly round: OperationRound | null },
): Promise<void> {
  const values = {
    missing: JSON.stringify(missed),
    operation_round: round === null ? null : JSON.stringify(round),
  };
  return change(store, lease, watchOf(lease).set(values));
}

/** Saves how far the round of lines has come. Throws `LeaseLost`. */
export function saveLineRound(store: Store, lease: Lease, round: LineRound): Promise<void> {
  const {
    nextPosition: next_position,
    beganAt: round_began_at,
    earlierBeganAt: earlier_round_began_at,
  } = round;
  return change(
    store,
    lease,
    watchOf(lease).set({ next_position, round_began_at, earlier_round_began_at }),
  );
}

/**
 * Saves the state of the comparison. `readAt` is given after a first reading: every line was read
 * then, so the first round begins at that instant. Throws `LeaseLost`.
 */
export function saveLineWatch(
  store: Store,
  lease: Lease,
  {
    comparedIntake,
    positionShift,
    headSequence,
    readAt = null,
  }: LineWatch & { readonly readAt?: Instant | null },
): Promise<void> {
  const values = {
    compared_intake: comparedIntake,
    position_shift: positionShift,
    head_sequence: headSequence,
  };
  const begun = { round_began_at: readAt, earlier_round_began_at: readAt };
  const save = build
    .insertInto('line_watches')
    .values({ merchant_id: lease.merchantId, ...values, ...begun })
    .onConflict((conflict) => conflict.column('merchant_id').doUpdateSet(values));
  return change(store, lease, save);
}

function watchOf({ merchantId }: Lease) {
  return build.updateTable('line_watches').where('merchant_id', '=', merchantId);
}

async function change(store: Store, lease: Lease, save: Compilable): Promise<void> {
  await inTransaction(store, async (client) => {
    await requireLease(client, lease);
    await changeState(client, lease.merchantId, () => ask(client, save));
  });
}
