// Merchants that somebody has retired, by whom and why. Their books stay; a mirror's own list of merchants leaves them out.

import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';
import { knowsMerchant } from './merchants.ts';

export interface Retirement {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
}

/** By reference. */
export async function loadRetired(store: Store): Promise<ReadonlyMap<string, Retirement>> {
  const { rows } = await ask(
    store.pool,
    build
      .selectFrom('merchants')
      .select(['reference', 'retired_at', 'retired_by', 'retired_reason'])
      .where('retired_at', 'is not', null),
  );
  return new Map(
    rows.map((row) => [row.reference, { at: row.retired_at!, by: row.retired_by!, reason: row.retired_reason! }]),
  );
}

/** Throws `StoreFailed` (UNKNOWN_MERCHANT, DECISION_REFUSED). */
export async function retireMerchant(store: Store, merchant: string, { at, by, reason }: Retirement): Promise<void> {
  if (reason.trim() === '') throw new StoreFailed('DECISION_REFUSED', 'To retire a merchant needs a reason.');
  if (by.trim() === '') throw new StoreFailed('DECISION_REFUSED', 'To retire a merchant needs the name of who does.');
  const { rows } = await ask(
    store.pool,
    build
      .updateTable('merchants')
      .set({ retired_at: at, retired_by: storableText(by.trim()), retired_reason: storableText(reason.trim()) })
      .where('reference', '=', merchant)
      .where('retired_at', 'is', null)
      .returning('reference'),
  );
  if (rows.length === 0) throw await refusalOf(store, merchant, 'is retired already');
}

/** Throws `StoreFailed` (UNKNOWN_MERCHANT, DECISION_REFUSED). */
export async function restoreMerchant(store: Store, merchant: string): Promise<void> {
  const { rows } = await ask(
    store.pool,
    build
      .updateTable('merchants')
      .set({ retired_at: null, retired_by: null, retired_reason: null })
      .where('reference', '=', merchant)
      .where('retired_at', 'is not', null)
      .returning('reference'),
  );
  if (rows.length === 0) throw await refusalOf(store, merchant, 'is not retired');
}

async function refusalOf(store: Store, merchant: string, why: string): Promise<StoreFailed> {
  if (await knowsMerchant(store, merchant)) return new StoreFailed('DECISION_REFUSED', `${merchant} ${why}.`);
  return new StoreFailed('UNKNOWN_MERCHANT', `The mirror has no merchant '${merchant}'.`);
}
