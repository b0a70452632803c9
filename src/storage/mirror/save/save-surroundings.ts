// Adds what stands around a page's lines and operations: the profile and the wallet.

import type pg from 'pg';
import type { Instant } from '../../../domain/instant.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { Wallet } from '../../../domain/wallet.ts';
import { selectList } from '../../../rows/copy-binary/stored-columns.ts';
import { sameWallet, WALLET_TABLE } from '../../../rows/wallet-fields.ts';
import { loadWallets } from '../load-wallets.ts';
import type { PageHead } from '../page-head.ts';
import { PROFILE_COLUMNS, profileOf, profileValues } from '../profile-rows.ts';

export interface NewProfile {
  readonly version: number;
  readonly profile: Merchant;
}

/** In the order of the pages; null where a page has none, or it equals the newest version stored. */
export async function findNewProfiles(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly profile: Merchant | null }[],
): Promise<readonly (NewProfile | null)[]> {
  const merchantIds = pages.flatMap(({ head, profile }) => (profile === null ? [] : [head.merchantId]));
  const newest = await loadProfiles(client, merchantIds);
  return pages.map(({ head, profile }) => {
    if (profile === null) return null;
    const known = newest.get(head.merchantId);
    if (known === undefined) return { version: 1, profile };
    const before = profileValues(profileOf({ merchant: profile.reference, record: known }));
    if (JSON.stringify(before) === JSON.stringify(profileValues(profile))) return null;
    return { version: (known.version as number) + 1, profile };
  });
}

type StoredRecord = Readonly<Record<string, unknown>>;

/** The newest of each merchant, by its number. */
async function loadProfiles(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<unknown, StoredRecord>> {
  if (merchantIds.length === 0) return new Map();
  const newest = await client.query<StoredRecord>({
    name: 'newest profiles',
    text: `select h.merchant_id, p.*
    from merchant_heads h
    cross join lateral (
      select version, ${PROFILE_COLUMNS.join(', ')}
      from profile_versions
      where merchant_id = h.merchant_id
      order by version desc
      limit 1
    ) p
    where h.merchant_id = any ($1::bigint[])`,
    values: [merchantIds],
  });
  return new Map(newest.rows.map((record) => [record.merchant_id, record]));
}

export async function writeProfile(client: pg.ClientBase, head: PageHead, found: NewProfile): Promise<void> {
  const row = [head.merchantId, head.intake, found.version, ...profileValues(found.profile)];
  await client.query(
    `insert into profile_versions (merchant_id, intake, version, ${PROFILE_COLUMNS.join(', ')})
    values (${row.map((_, i) => `$${i + 1}`).join(', ')})`,
    row,
  );
}

export interface WalletAsRead {
  readonly wallet: Wallet;
  readonly readAt: Instant;
}

/** In the order of the pages; null where a page has none, or the wallet stands as when it was last read. */
export async function findNewWallets(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly wallet: WalletAsRead | null }[],
): Promise<readonly (WalletAsRead | null)[]> {
  const merchantIds = pages.flatMap(({ head, wallet }) => (wallet === null ? [] : [head.merchantId]));
  const newest = await loadWallets(client, merchantIds);
  return pages.map(({ head, wallet }) => {
    const known = newest.get(head.merchantId);
    return wallet === null || (known !== undefined && sameWallet(known, wallet.wallet)) ? null : wallet;
  });
}

/** One a page. */
export async function writeWallet(client: pg.ClientBase, head: PageHead, reading: WalletAsRead): Promise<void> {
  const row = [
    head.merchantId,
    head.intake,
    reading.readAt,
    ...WALLET_TABLE.fields.map(({ name }) => reading.wallet[name as keyof Wallet]),
  ];
  await client.query(
    `insert into wallet_readings (merchant_id, intake, read_at, ${selectList(WALLET_TABLE)})
    values (${row.map((_, i) => `$${i + 1}`).join(', ')})`,
    row,
  );
}
