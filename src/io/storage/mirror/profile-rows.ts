// Profiles and wallets as rows of our tables.

import type { Insertable, Selectable } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import { createRecordReader } from '../../../core/bytes/copy-binary/copy-rows.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Merchant, Wallet } from '../../../core/domain/merchant.ts';
import {
  MERCHANT_FIELDS,
  type MerchantRow,
  merchantOf,
  rowOfMerchant,
} from '../../../core/domain/rows/merchant-fields.ts';
import { WALLET_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import type { ReplacedWallet } from '../../../core/domain/snapshot.ts';
import { anyOf, ask, build, columnsOf, prepare, type Slots } from '../server/ask.ts';

type Column = Exclude<keyof Database['profile_versions'], 'merchant_id' | 'version' | 'intake'>;
type ProfileTable = Pick<Database['profile_versions'], Column>;

const FIELDS = MERCHANT_FIELDS.filter(({ name }) => name !== 'reference');

export const PROFILE_COLUMNS = FIELDS.map(({ column }) => column as Column);

/** Returns a profile as a row, its columns in the order of `PROFILE_COLUMNS`. */
export function profileRow(profile: Merchant): Insertable<ProfileTable> {
  const row = rowOfMerchant(profile);
  const values = FIELDS.map(({ name, column }) => [column, row[name as keyof MerchantRow]]);
  return Object.fromEntries(values) as Insertable<ProfileTable>;
}

/** Returns the profile in a row. `merchant` is the reference under which the books are kept. */
export function profileOf({
  merchant,
  record,
}: {
  readonly merchant: string;
  readonly record: Selectable<ProfileTable>;
}): Merchant {
  const values = FIELDS.map(({ name, column }) => [name, record[column as Column]]);
  return merchantOf({ ...Object.fromEntries(values), reference: merchant } as MerchantRow);
}

const walletOf = createRecordReader(WALLET_TABLE);

export interface WalletAsRead {
  readonly wallet: Wallet;
  /** When the wallet was read. For a stored wallet: when it was first read with these values. */
  readonly readAt: Instant;
  /** For a stored wallet: true when the first wallet that was ever read had another id. */
  readonly isReplaced?: boolean;
}

/** The newest wallets, by the merchant's number; a merchant without readings has none. */
export async function loadWallets(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, WalletAsRead>> {
  if (merchantIds.length === 0) return new Map();
  const { rows } = await ask(client, newestWallets({ merchantIds }));
  return new Map(
    rows.map(({ merchant_id, read_at: readAt, is_replaced: isReplaced, ...record }) => [
      merchant_id,
      { wallet: walletOf(record), readAt, isReplaced },
    ]),
  );
}

const newestWallets = prepare(
  'newest wallets',
  (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
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
      .select(({ eb, selectFrom }) => {
        const first = selectFrom('wallet_readings as f')
          .select('f.wallet_id')
          .orderBy('f.intake')
          .limit(1);
        const isReplaced = eb(
          'w.wallet_id',
          '<>',
          first.whereRef('f.merchant_id', '=', 'h.merchant_id'),
        );
        const replaced = isReplaced.$castTo<boolean>().as('is_replaced');
        return ['h.merchant_id', 'w.read_at', replaced, ...columnsOf(WALLET_TABLE, 'w')];
      })
      .where('h.merchant_id', '=', anyOf('bigint', at('merchantIds'))),
);

/**
 * Loads the wallet with another id that came before `wallet`, as it was last read. `since` is when
 * the new wallet was first read.
 */
export async function loadReplaced(
  client: pg.ClientBase,
  { merchantId, wallet: now }: { readonly merchantId: number; readonly wallet: Wallet },
): Promise<ReplacedWallet> {
  const readings = build.selectFrom('wallet_readings').where('merchant_id', '=', merchantId);
  const others = readings
    .selectAll()
    .where('wallet_id', '<>', now.walletId)
    .orderBy('intake', 'desc')
    .limit(1);
  const last = (await ask(client, others)).rows[0]!;
  const later = readings
    .select('read_at')
    .where('intake', '>', last.intake)
    .orderBy('intake')
    .limit(1);
  return { before: walletOf(last), now, since: (await ask(client, later)).rows[0]!.read_at };
}
