// Adds what stands around a page's lines and operations: the profile and the wallet.

import type pg from 'pg';
import type { Instant } from '../domain/instant.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Wallet } from '../domain/wallet.ts';
import { PROFILE_COLUMNS, profileOf, profileValues, WALLET_COLUMNS, walletValues } from './profile-rows.ts';
import type { PageHead } from './save-page.ts';

/** A new version of the profile where it differs from the newest one stored. */
export async function saveProfile(client: pg.ClientBase, head: PageHead, profile: Merchant): Promise<void> {
  const newest = await client.query<Record<string, unknown>>(
    `select version, ${PROFILE_COLUMNS.join(', ')}
    from profile_versions
    where merchant_id = $1
    order by version desc
    limit 1`,
    [head.merchantId],
  );
  const known = newest.rows[0];
  const values = profileValues(profile);
  if (known !== undefined) {
    const before = profileValues(profileOf({ merchant: profile.reference, record: known }));
    if (JSON.stringify(before) === JSON.stringify(values)) return;
  }
  const version = ((known?.version as number | undefined) ?? 0) + 1;
  const row = [head.merchantId, head.intake, version, ...values];
  await client.query(
    `insert into profile_versions (merchant_id, intake, version, ${PROFILE_COLUMNS.join(', ')})
    values (${row.map((_, i) => `$${i + 1}`).join(', ')})`,
    row,
  );
}

/** Every reading of the wallet is kept, one a page. */
export async function saveWallet(
  client: pg.ClientBase,
  head: PageHead,
  reading: { readonly wallet: Wallet; readonly readAt: Instant },
): Promise<void> {
  const row = [head.merchantId, head.intake, reading.readAt, ...walletValues(reading.wallet)];
  await client.query(
    `insert into wallet_readings (merchant_id, intake, read_at, ${WALLET_COLUMNS.join(', ')})
    values (${row.map((_, i) => `$${i + 1}`).join(', ')})`,
    row,
  );
}
