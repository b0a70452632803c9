// Adds what looks saw anew: rows of many merchants in one statement, of those alone whose lease stands.

import { askTogether } from '../../together/ask-together.ts';
import { type Lease, leaseLost, lockHeads } from '../merchants/merchant-lock.ts';
import { ask } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import type { Store } from '../server/store.ts';

export interface Seen<Row> {
  readonly lease: Lease;
  readonly news: readonly Row[];
}

/** `statement`: that which adds the rows, at least one. What it returns throws `LeaseLost`. */
export function seenAdder<Row extends object>(
  statement: (rows: readonly (Row & { readonly merchant_id: number })[]) => Parameters<typeof ask>[1],
): (store: Store, seen: Seen<Row>) => Promise<void> {
  return askTogether<Seen<Row>, void, Store>((store, several) =>
    inTransaction(store, async (client) => {
      const standing = await lockHeads(
        client,
        several.map(({ lease }) => lease),
      );
      const rows = several
        .filter(({ lease }) => standing.has(lease))
        .flatMap(({ lease, news }) => news.map((row) => ({ ...row, merchant_id: lease.merchantId })));
      if (rows.length > 0) await ask(client, statement(rows));
      return several.map(({ lease }) => (standing.has(lease) ? undefined : leaseLost(lease)));
    }),
  );
}
