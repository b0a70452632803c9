// The replay's checkpoint: the state after a known line, so that the next run reads only what is new. Refuses to give a
// checkpoint back once a line has arrived at or below the head it was taken at.

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
}

/** The engine of a checkpoint that was changed since it was saved: no engine has this name, so none resumes from it. */
export const ALTERED = 'altered';

/** Covers the whole row, so that an edited row differs from a saved one. */
export function sealOf(merchantId: number, { lastSequence, lastIntake, state, engine }: Checkpoint): string {
  return digestOf([merchantId, lastSequence, lastIntake, engine, state]);
}

/** Null when there is none, or when late lines have made it void: the replay must start at the first line. */
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
    rows.map(({ merchant, merchantId, digest, ...checkpoint }) => {
      const isSound = digest === sealOf(merchantId, checkpoint);
      return [merchant, isSound ? checkpoint : { ...checkpoint, engine: ALTERED }];
    }),
  );
  return merchants.map((merchant) => known.get(merchant) ?? null);
}

const checkpointsOf = prepare('checkpoint', (at: Slots<{ readonly merchants: readonly string[] }>) =>
  build
    .selectFrom('merchants as m')
    .innerJoin('checkpoints as c', 'c.merchant_id', 'm.merchant_id')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'c.merchant_id')
    .select([
      'm.reference as merchant',
      'c.last_sequence as lastSequence',
      'c.last_intake as lastIntake',
      'c.state',
      'c.engine',
      'c.digest',
      'c.merchant_id as merchantId',
    ])
    .where('m.reference', '=', anyOf('text', at('merchants')))
    .whereRef('h.late_intake', '<=', 'c.last_intake'),
);
