// The replay's checkpoint: the state after a known line, so that the next run reads only newer
// lines. Refuses to return a checkpoint once a line has arrived at or below its last line.

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { askTogether } from '../../together/ask-together.ts';
import { anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { digestOf } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export interface Checkpoint {
  /** The last line that the state includes: it includes every line up to this sequence. */
  readonly lastSequence: number;
  /** The last page (intake) whose lines the state includes. */
  readonly lastIntake: number;
  /** JSON, opaque to the store. */
  readonly state: string;
  /** The engine that computed the state. The caller must refuse the state of another engine. */
  readonly engine: string;
  /**
   * Results that the next night may reuse when nothing is new, opaque to the store. `null` when
   * that night must audit the merchant in any case.
   */
  readonly quiet: string | null;
}

/**
 * The engine that is given for a checkpoint whose row was changed after it was saved. No engine has
 * this name, so no engine resumes from the checkpoint.
 */
export const ALTERED = 'altered';

/**
 * Returns a hash over the whole row except `quiet`, so that a row that was edited can be
 * recognized.
 */
export function sealOf(
  merchantId: number,
  { lastSequence, lastIntake, state, engine }: Omit<Checkpoint, 'quiet'>,
): string {
  return digestOf([merchantId, lastSequence, lastIntake, engine, state]);
}

const SEAL_LENGTH = 64;

/**
 * Returns `quiet` with its own seal in front, 64 hexadecimal digits over the whole row. The state
 * enters the seal as `stateDigest`, its SHA-256, because `loadQuiet` has the database compute that
 * and need not fetch the state.
 */
export function withSeal(
  merchantId: number,
  { lastSequence, lastIntake, engine, quiet }: Omit<Checkpoint, 'state'>,
  stateDigest: string,
): string | null {
  return quiet === null
    ? null
    : digestOf([merchantId, lastSequence, lastIntake, engine, stateDigest, quiet]) + quiet;
}

interface KeptQuiet extends Pick<Checkpoint, 'engine'> {
  readonly quiet: string;
  /** The fence number of the merchant's head at the time of the query. */
  readonly fence: number;
}

/**
 * Loads `quiet` of a merchant's checkpoint. Gives `null` when it is not set, or when the checkpoint
 * was changed after it was saved.
 */
export const loadQuiet = askTogether<string, KeptQuiet | null, Store>(
  async ({ pool }, merchants) => {
    const { rows } = await ask(pool, quietOf({ merchants }));
    const known = new Map(
      rows.flatMap(({ merchant, merchantId, sealed, stateDigest, ...row }) => {
        const kept = { ...row, quiet: sealed.slice(SEAL_LENGTH) };
        return sealed === withSeal(merchantId, kept, stateDigest)
          ? [[merchant, kept] as const]
          : [];
      }),
    );
    return merchants.map((merchant) => known.get(merchant) ?? null);
  },
);

const quietOf = prepare('quiet', (at: Slots<Asked>) =>
  rowsOf(at)
    .select(({ ref }) => [
      'h.fence',
      ref('c.quiet').$notNull().as('sealed'),
      sql<string>`encode(sha256(convert_to(c.state, 'UTF8')), 'hex')`.as('stateDigest'),
    ])
    .where('c.quiet', 'is not', null),
);

interface Asked {
  readonly merchants: readonly string[];
}

function rowsOf(at: Slots<Asked>) {
  return build
    .selectFrom('merchants as m')
    .innerJoin('checkpoints as c', 'c.merchant_id', 'm.merchant_id')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'c.merchant_id')
    .select(['m.reference as merchant', 'c.merchant_id as merchantId', 'c.engine'])
    .select(['c.last_sequence as lastSequence', 'c.last_intake as lastIntake'])
    .where('m.reference', '=', anyOf('text', at('merchants')));
}

/**
 * Loads a merchant's checkpoint. Gives `null` when there is none, or when a line has arrived late,
 * at or below it: then the replay must start at the first line.
 */
export const loadCheckpoint = askTogether<string, Checkpoint | null, Store>(({ pool }, merchants) =>
  readCheckpoints(pool, merchants),
);

/**
 * As `loadCheckpoint`, for several merchants, within the transaction of `queries`. The order is
 * that of `merchants`.
 */
export async function readCheckpoints(
  queries: Queries,
  merchants: readonly string[],
): Promise<readonly (Checkpoint | null)[]> {
  const { rows } = await ask(queries, checkpointsOf({ merchants }));
  const known = new Map(
    rows.map(({ merchant, merchantId, digest, ...row }) => {
      const checkpoint = { ...row, quiet: row.quiet?.slice(SEAL_LENGTH) ?? null };
      const sealed = withSeal(merchantId, checkpoint, hash('sha256', row.state));
      const isSound = digest === sealOf(merchantId, checkpoint) && row.quiet === sealed;
      return [merchant, isSound ? checkpoint : { ...checkpoint, engine: ALTERED }];
    }),
  );
  return merchants.map((merchant) => known.get(merchant) ?? null);
}

const checkpointsOf = prepare('checkpoint', (at: Slots<Asked>) =>
  rowsOf(at)
    .select(['c.state', 'c.quiet', 'c.digest'])
    .whereRef('h.late_intake', '<=', 'c.last_intake'),
);
