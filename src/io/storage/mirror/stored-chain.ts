// Compares a merchant's stored lines with the hash chain over them, and keeps the outcome with the merchant's head, where the next
// reading finds it. Refuses to take a merchant without a chain for one whose lines fit.

import type { Instant } from '../../../core/domain/instant.ts';
import type { TamperedLines } from '../../../core/domain/snapshot.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { ask, build } from '../server/ask.ts';
import { openDatabaseSnapshot } from '../server/database-snapshot.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { checkChain } from './entry-chain.ts';

export interface ComparedChain {
  /** False: the lines were stored before there was a chain, and nothing was compared. */
  readonly isChained: boolean;
  readonly tampered: TamperedLines | null;
}

/** Reads every line of the merchant, as of one moment. */
export async function compareWithChain(store: Store, merchant: string): Promise<ComparedChain> {
  const moment = await openDatabaseSnapshot(store);
  try {
    const { head, broken } = await checkChain(moment.client, merchant);
    if (broken === null) return { isChained: head !== null, tampered: null };
    const { firstSequence: first, lastSequence: last, lastLine: until } = broken;
    return { isChained: true, tampered: { first, last, until } };
  } finally {
    await moment.close();
  }
}

/** What `tampered` says holds until the next comparison. Does nothing for a process that lost the merchant. */
export async function keepComparison(
  store: Store,
  { merchantId, fence }: Lease,
  { at, tampered }: { readonly at: Instant; readonly tampered: TamperedLines | null },
): Promise<void> {
  const keep = build
    .updateTable('merchant_heads')
    .set({ chain_compared_at: at, tampered: tampered === null ? null : storableJson(tampered) })
    .where('merchant_id', '=', merchantId)
    .where('fence', '=', fence);
  await ask(store.pool, keep);
}
