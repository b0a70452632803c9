// Adds what stands around a page's lines and operations: the profile, the wallet, and the rows that were refused.

import type pg from 'pg';
import type { Instant } from '../domain/instant.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { RejectedRow } from '../domain/reading.ts';
import type { Wallet } from '../domain/wallet.ts';
import { PROFILE_COLUMNS, profileOf, profileValues, WALLET_COLUMNS, walletValues } from './profile-rows.ts';
import type { PageHead } from './save-page.ts';
import { digestOf, storableNullable, storableText } from './storable.ts';

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

/** The same row refused again at the same place for the same reason adds nothing. */
export async function saveRejected(
  client: pg.ClientBase,
  head: PageHead,
  rejected: readonly RejectedRow[],
): Promise<void> {
  if (rejected.length === 0) return;
  const rows = rejected.map((row) => ({
    part: row.part,
    place: storableText(row.place),
    reason: storableText(row.reason),
    sequence: row.sequence,
    reference: storableNullable(row.reference),
    raw: storableText(row.raw),
  }));
  const digests = rows.map((row) => digestOf(Object.values(row)));
  await client.query(
    `insert into rejected_rows (merchant_id, intake, digest, part, place, reason, sequence, reference, raw)
    select $1, $2, r.digest, r.part, r.place, r.reason, r.sequence, r.reference, r.raw
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[])
      as r (digest, part, place, reason, sequence, reference, raw)
    on conflict (merchant_id, digest) do nothing`,
    [
      head.merchantId,
      head.intake,
      digests,
      rows.map((row) => row.part),
      rows.map((row) => row.place),
      rows.map((row) => row.reason),
      rows.map((row) => row.sequence),
      rows.map((row) => row.reference),
      rows.map((row) => row.raw),
    ],
  );
}
