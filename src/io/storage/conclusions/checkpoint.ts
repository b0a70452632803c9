// The replay's checkpoint: the state after a known line, so that the next run reads only what is
// new. Refuses to give a checkpoint back once a line has arrived at or below the head it was taken
// at.

import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { askTogether } from '../../together/ask-together.ts';
import { anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { digestOf } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export interface Checkpoint {
  /** The state includes every line up to this sequence … */
  readonly lastSequence: number;
  /** … and every page up to this one. */
  readonly lastIntake: number;
  /** JSON, opaque to the store. */
  readonly state: string;
  /** What computed the state; another engine's state is for the caller to refuse. */
  readonly engine: string;
  /** What a night with nothing new need not work out again, opaque to the store; null: it must. */
  readonly quiet: string | null;
}

/**
 * The engine of a checkpoint that was changed since it was saved: no engine has this name, so none
 * resumes from it.
 */
export const ALTERED = 'altered';

/** Covers the whole row but for `quiet`, so that an edited row differs from a saved one. */
export function sealOf(
  merchantId: number,
  { lastSequence, lastIntake, state, engine }: Omit<Checkpoint, 'quiet'>,
): string {
  return digestOf([merchantId, lastSequence, lastIntake, engine, state]);
}

const SEAL_LENGTH = 64;

/**
 * `quiet` with a seal of its own in front, over the whole row by a digest of the state, which the
 * database works out.
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
  /** Of the merchant's lock now. */
  readonly fence: number;
}

/** Null when there is none, or when the checkpoint was changed since it was saved. */
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
 * Null when there is none, or when late lines have made it void: the replay must start at the first
 * line.
 */
export const loadCheckpoint = askTogether<string, Checkpoint | null, Store>(({ pool }, merchants) =>
  readCheckpoints(pool, merchants),
);

/** As `loadCheckpoint`, of each merchant as the connection's transaction sees it. */
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
