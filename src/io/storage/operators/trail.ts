// The trail: what operators did and looked at. Entries are added, never changed. Refuses none, not
// even of an operator who is no longer known.

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
 * An entry. `number` counts in the order of writing. `merchant` is `null` when the entry is about
 * no merchant, or about several. `status` is that of the HTTP answer, or the exit status of a
 * command.
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
  /** Only entries at or after this instant. */
  readonly from?: Instant | undefined;
  /** Only entries before this instant. */
  readonly to?: Instant | undefined;
  /** Only entries with a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Lists entries of the trail, the newest first. */
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
