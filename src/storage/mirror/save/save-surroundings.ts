// Adds what stands around a page's lines and operations: the profile and the wallet.

import type pg from 'pg';
import type { Instant } from '../../../domain/instant.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { Wallet } from '../../../domain/wallet.ts';
import { createRecordReader, selectList } from '../../../rows/copy-binary/stored-columns.ts';
import { sameWallet, WALLET_TABLE } from '../../../rows/wallet-fields.ts';
import type { PageHead } from '../page-head.ts';
import { PROFILE_COLUMNS, profileOf, profileValues } from '../profile-rows.ts';

export interface NewProfile {
  readonly version: number;
  readonly profile: Merchant;
}

/** Null where it equals the newest version stored. */
export async function findNewProfile(
  client: pg.ClientBase,
  head: PageHead,
  profile: Merchant,
): Promise<NewProfile | null> {
  const newest = await client.query<Record<string, unknown>>({
    name: 'newest profile',
    text: `select version, ${PROFILE_COLUMNS.join(', ')}
    from profile_versions
    where merchant_id = $1
    order by version desc
    limit 1`,
    values: [head.merchantId],
  });
  const known = newest.rows[0];
  if (known === undefined) return { version: 1, profile };
  const before = profileValues(profileOf({ merchant: profile.reference, record: known }));
  if (JSON.stringify(before) === JSON.stringify(profileValues(profile))) return null;
  return { version: (known.version as number) + 1, profile };
}

export async function writeProfile(client: pg.ClientBase, head: PageHead, found: NewProfile): Promise<void> {
  const row = [head.merchantId, head.intake, found.version, ...profileValues(found.profile)];
  await client.query(
    `insert into profile_versions (merchant_id, intake, version, ${PROFILE_COLUMNS.join(', ')})
    values (${row.map((_, i) => `$${i + 1}`).join(', ')})`,
    row,
  );
}

const walletOf = createRecordReader(WALLET_TABLE);

export interface WalletAsRead {
  readonly wallet: Wallet;
  readonly readAt: Instant;
}

/** Null where the wallet stands as when it was last read. */
export async function findNewWallet(
  client: pg.ClientBase,
  head: PageHead,
  reading: WalletAsRead,
): Promise<WalletAsRead | null> {
  const newest = await client.query<Record<string, unknown>>({
    name: 'newest wallet',
    text: `select ${selectList(WALLET_TABLE)}
    from wallet_readings
    where merchant_id = $1
    order by intake desc
    limit 1`,
    values: [head.merchantId],
  });
  const known = newest.rows[0];
  if (known === undefined) return reading;
  return sameWallet(walletOf(known), reading.wallet) ? null : reading;
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
