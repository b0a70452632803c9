// Compares a merchant's stored lines with the hash chain over them, and all other rows with their
// digests. The result is stored with the merchant's head, where the next reading finds it. Refuses
// to correct anything.

import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import { type TamperedLines, tamperedTable } from '../../../core/domain/snapshot.ts';
import { ALTERED, readCheckpoints } from '../conclusions/checkpoint.ts';
import { hasAlteredDecisions } from '../evidence/decisions.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { findMerchantId } from '../merchants/merchants.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { openDatabaseSnapshot } from '../server/database-snapshot.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { checkChain } from './entry-chain.ts';
import { hasAlteredOpening } from './openings.ts';
import { changeState, findAlteredRows } from './row-digests.ts';

/**
 * Reads every row of the merchant, as of one moment, and returns where they differ from what was
 * written; `null` when all are as they were written.
 */
export async function compareWithChain(
  store: Store,
  merchant: string,
): Promise<TamperedLines | null> {
  const moment = await openDatabaseSnapshot(store);
  try {
    const { broken } = await checkChain(moment.client, merchant);
    if (broken === null) return await compareRows(moment.client, merchant);
    const { firstSequence: first, lastSequence: last, lastLine: until } = broken;
    return { first, last, until };
  } finally {
    await moment.close();
  }
}

/**
 * Compares all rows but lines. Returns the first table with a row that is not as it was written.
 */
async function compareRows(client: pg.ClientBase, merchant: string): Promise<TamperedLines | null> {
  const merchantId = (await findMerchantId(client, merchant)) ?? 0;
  const [checkpoint] = await readCheckpoints(client, [merchant]);
  const table =
    (await findAlteredRows(client, merchantId)) ??
    (checkpoint?.engine === ALTERED ? 'checkpoints' : null) ??
    ((await hasAlteredOpening(client, merchantId)) ? 'month_openings' : null) ??
    ((await hasAlteredDecisions(client, merchant)) ? 'people_decisions' : null);
  return table === null ? null : tamperedTable(table);
}

export interface OldestComparison {
  readonly merchant: string;
  /** `null` when the merchant's rows were never compared. */
  readonly at: Instant | null;
  readonly isTampered: boolean;
}

/**
 * Returns the merchant to compare next: one whose rows did not fit, or else the one that was
 * compared longest ago. Only merchants count that are not retired and have stored rows.
 */
export async function loadOldestComparison(store: Store): Promise<OldestComparison | null> {
  const load = build
    .selectFrom('merchant_heads as h')
    .innerJoin('merchants as m', 'm.merchant_id', 'h.merchant_id')
    .select(({ eb }) => [
      'm.reference as merchant',
      'h.chain_compared_at as at',
      eb('h.tampered', 'is not', null).$castTo<boolean>().as('isTampered'),
    ])
    .where('h.intake', '>', 0)
    .where('m.retired_at', 'is', null)
    .orderBy('isTampered', 'desc')
    .orderBy('h.chain_compared_at', (order) => order.asc().nullsFirst())
    .orderBy('m.reference')
    .limit(1);
  return (await ask(store.pool, load)).rows[0] ?? null;
}

/**
 * Stores the result of a comparison, which holds until the next one. Does nothing when the process
 * has lost the merchant's lease.
 */
export async function keepComparison(
  store: Store,
  { merchantId, fence }: Lease,
  { at, tampered }: { readonly at: Instant; readonly tampered: TamperedLines | null },
): Promise<void> {
  const keep = build
    .updateTable('merchant_heads')
    .set({ chain_compared_at: at, tampered: tampered === null ? null : storableJson(tampered) })
    .where(({ and }) => and({ merchant_id: merchantId, fence }));
  await inTransaction(store, (client) => changeState(client, merchantId, () => ask(client, keep)));
}
