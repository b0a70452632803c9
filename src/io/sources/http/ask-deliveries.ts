// Requests the notifications that the service lists as failed or abandoned (direct API, GET
// `/merchants/me/webhooks`): one request when they are few.

import type {
  DeliveryList,
  FailedDelivery,
} from '../../../core/domain/published/failed-delivery.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodeDelivery } from '../decode/decode-payouts.ts';
import { type Asker, openList } from './ask.ts';
import type { HttpSettings } from './http-settings.ts';
import type { ListKind, ServedRow } from './served-page.ts';

/**
 * "Limit 1 to 200, default 50": a service that ignores the limit for this list returns this many
 * rows.
 */
const USUAL_PAGE = 50;
const MOST_LISTED = 2_000;

/**
 * Returns at most `most` failed deliveries, in served order. Each page begins with the last row of
 * the page before; if it does not, the list has moved, and the result may lack rows. Throws
 * `SourceFailed`.
 */
export async function askDeliveries(
  asker: Asker,
  most: number = MOST_LISTED,
): Promise<DeliveryList> {
  const list = openList(asker, listDeliveries(asker.settings));
  const rows = new Map<string, ServedRow<FailedDelivery>>();
  let isWhole = true;
  let last: string | null = null;
  for (let from = 0; ; ) {
    const page = await list.fetch(() => from);
    const known = rows.size;
    isWhole &&= last === null || page.rows[0]?.key === last;
    for (const row of page.rows) rows.set(row.key, row);
    const isEnd = page.rows.length < Math.min(list.pageSize(), USUAL_PAGE) || rows.size === known;
    if (isEnd || rows.size >= most)
      return listOf([...rows.values()].slice(0, most), isWhole && isEnd);
    last = page.rows.at(-1)!.key;
    from += page.rows.length - 1;
  }
}

function listOf(rows: readonly ServedRow<FailedDelivery>[], isWhole: boolean): DeliveryList {
  const deliveries = rows.flatMap(({ row }) => (row === null ? [] : [row]));
  const rejected = rows.flatMap(({ refused }): readonly RejectedRow[] =>
    refused === null ? [] : [refused],
  );
  return { deliveries, rejected, isWhole: isWhole && rejected.length === 0, absent: null };
}

function listDeliveries(settings: HttpSettings): ListKind<FailedDelivery> {
  return {
    part: 'events',
    path: settings.paths.deliveries,
    query: {},
    decode: decodeDelivery,
    keyOf: ({ id }) => id,
    // The order of this list is not known, and nothing depends on it.
    rankOf: () => 0,
    createdAt: ({ createdAt }) => createdAt ?? 0,
    nameRank: String,
  };
}
