// The trail: what operators did and looked at. Entries are added, never changed; refuses none, also
// of an operator that is known no longer.

import type { InferResult } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { storableNullable, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

const ENTRIES = build
  .selectFrom('trail')
  .select([
    'entry_number as number',
    'at',
    'operator',
    'via',
    'action',
    'merchant',
    'subject',
    'status',
  ]);

/**
 * `number`: in the order of writing. `merchant` null: none, or several. `status`: of the answer
 * over HTTP, or with which a command ended.
 */
export type TrailEntry = InferResult<typeof ENTRIES>[number];

export async function addToTrail(
  store: Store,
  entries: readonly Omit<TrailEntry, 'number'>[],
): Promise<void> {
  const rows = entries.map(({ operator, merchant, subject, ...entry }) => ({
    ...entry,
    operator: storableText(operator),
    merchant: storableNullable(merchant),
    subject: storableNullable(subject),
  }));
  await ask(store.pool, build.insertInto('trail').values(rows));
}

export interface TrailQuery {
  readonly operator?: string | undefined;
  readonly merchant?: string | undefined;
  /** At or after it. */
  readonly from?: Instant | undefined;
  /** Before it. */
  readonly to?: Instant | undefined;
  /** With a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The newest first. */
export async function listTrail(store: Store, query: TrailQuery): Promise<readonly TrailEntry[]> {
  const { operator, merchant, from, to, before, limit } = query;
  const list = ENTRIES.$if(operator !== undefined, (some) => some.where('operator', '=', operator!))
    .$if(merchant !== undefined, (some) => some.where('merchant', '=', merchant!))
    .$if(from !== undefined, (some) => some.where('at', '>=', from!))
    .$if(to !== undefined, (some) => some.where('at', '<', to!))
    .$if(before !== undefined, (some) => some.where('entry_number', '<', before!))
    .orderBy('entry_number', 'desc')
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}
