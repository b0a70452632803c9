// Nights that only mirror: they read into the mirror over HTTP and compare with earlier readings,
// without a replay.

import type { Instant } from '../../src/core/domain/instant.ts';
import { HTTP_DEFAULTS } from '../../src/io/sources/http/http-settings.ts';
import { openHttpSource } from '../../src/io/sources/http/http-source.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import {
  type Mirrored,
  mirrorMerchant,
} from '../../src/service/workflows/mirror/mirror-merchant.ts';
import { planSince } from '../../src/service/workflows/mirror/plan-since.ts';
import type { Rotation } from '../../src/service/workflows/mirror/rounds.ts';
import { credentialsOf, type HttpService } from './http-service.ts';

export interface MirrorNight {
  readonly store: Store;
  readonly service: HttpService;
  readonly merchant: string;
  readonly now: Instant;
  readonly rotation?: Rotation | undefined;
  /**
   * Rows that are asked for at once; absent: the usual number. With shorter pages, as many pages of
   * fewer rows are read.
   */
  readonly pageSize?: number;
}

/**
 * Returns what was mirrored, and the calls to the ledger; `single` are calls for one line or two.
 * Throws `SourceFailed`.
 */
export async function mirrorNight({
  store,
  service,
  merchant,
  now,
  rotation,
  pageSize,
}: MirrorNight) {
  service.asked.length = 0;
  const source = openHttpSource({
    ...HTTP_DEFAULTS,
    pageSize: pageSize ?? HTTP_DEFAULTS.pageSize,
    baseUrl: service.baseUrl,
    merchants: { [merchant]: credentialsOf(merchant) },
    clock: () => now,
    random: () => 0.5,
    log: () => {},
  });
  try {
    const mirrored = await mirrorFrom(source, { store, merchant, now, rotation });
    const calls = service.asked.filter(({ path }) => path === '/ledger');
    const single = calls.filter(({ query }) => Number(query.get('limit')) <= 2).length;
    return { mirrored, calls: calls.length, single };
  } finally {
    await source.close();
  }
}

/** Mirrors once from a source. Throws `SourceFailed`. */
export async function mirrorFrom(
  source: Source,
  { store, merchant, now, rotation }: Omit<MirrorNight, 'service' | 'pageSize'>,
): Promise<Mirrored> {
  const outcome = await withMerchantLock(store, merchant, async (lease) => {
    const since = await planSince(store, merchant);
    return mirrorMerchant({ store, source, lease, since, now, rotation, onProgress: () => {} });
  });
  return (outcome as { readonly value: Mirrored }).value;
}

/**
 * Returns the rows whose content differs from what was read first, and the lines that are no longer
 * served, by change and first sequence.
 */
export async function alteredRows(store: Store, merchant: string) {
  const { rows } = await store.pool.query<{
    contents: number;
    first: number | null;
    last: number | null;
  }>(
    `select count(*)::int as contents, min(sequence) as first, max(sequence) as last
      from entries join merchants using (merchant_id) where reference = $1 and variant <> 0`,
    [merchant],
  );
  const gone = await store.pool.query<{ change: string; sequence: number; lines: number }>(
    `select change, a.sequence, lines from entry_alterations a join merchants using (merchant_id)
      where reference = $1 and change in ('deleted', 'reset', 'fallen') order by a.sequence, a.intake`,
    [merchant],
  );
  return { ...rows[0]!, gone: gone.rows };
}
