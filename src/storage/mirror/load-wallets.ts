// The wallet of a merchant as it was last read.

import type pg from 'pg';
import type { Wallet } from '../../domain/wallet.ts';
import { createRecordReader, selectList } from '../../rows/copy-binary/stored-columns.ts';
import { WALLET_TABLE } from '../../rows/wallet-fields.ts';

const walletOf = createRecordReader(WALLET_TABLE);

/** By the merchant's number; who was never read has none. */
export async function loadWallets(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, Wallet>> {
  if (merchantIds.length === 0) return new Map();
  const newest = await client.query<Record<string, unknown> & { readonly merchant_id: number }>({
    name: 'newest wallets',
    text: `select h.merchant_id, w.*
    from merchant_heads h
    cross join lateral (
      select ${selectList(WALLET_TABLE)}
      from wallet_readings
      where merchant_id = h.merchant_id
      order by intake desc
      limit 1
    ) w
    where h.merchant_id = any ($1::bigint[])`,
    values: [merchantIds],
  });
  return new Map(newest.rows.map((record) => [record.merchant_id, walletOf(record)]));
}
