// The wallet of a merchant as it was last read.

import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Wallet } from '../../../core/domain/wallet.ts';
import { createRecordReader } from '../../../core/rows/copy-binary/copy-rows.ts';
import { WALLET_TABLE } from '../../../core/rows/operation-fields.ts';
import { anyOf, ask, build, prepare, type Slots } from '../server/ask.ts';
import { columnsOf } from './copy/row-columns.ts';

const walletOf = createRecordReader(WALLET_TABLE);

export interface StoredWallet {
  readonly wallet: Wallet;
  /** When it was first read as it is. */
  readonly readAt: Instant;
}

/** By the merchant's number; who was never read has none. */
export async function loadWallets(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, StoredWallet>> {
  if (merchantIds.length === 0) return new Map();
  const { rows } = await ask(client, newestWallets({ merchantIds }));
  return new Map(rows.map((record) => [record.merchant_id, { wallet: walletOf(record), readAt: record.read_at }]));
}

const newestWallets = prepare('newest wallets', (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
  build
    .selectFrom('merchant_heads as h')
    .crossJoinLateral((from) =>
      from
        .selectFrom('wallet_readings as r')
        .selectAll('r')
        .whereRef('r.merchant_id', '=', 'h.merchant_id')
        .orderBy('r.intake', 'desc')
        .limit(1)
        .as('w'),
    )
    .select(['h.merchant_id', 'w.read_at', ...columnsOf(WALLET_TABLE, 'w')])
    .where('h.merchant_id', '=', anyOf('bigint', at('merchantIds'))),
);
