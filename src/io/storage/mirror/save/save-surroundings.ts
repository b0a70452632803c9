// Adds the profile and the wallet of a page.

import type { Insertable } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../../sql/tables.d.ts';
import type { Merchant, Wallet } from '../../../../core/domain/merchant.ts';
import { sameWallet, WALLET_TABLE } from '../../../../core/domain/rows/operation-fields.ts';
import { anyOf, ask, build, prepare, type Slots } from '../../server/ask.ts';
import {
  loadWallets,
  PROFILE_COLUMNS,
  profileOf,
  profileRow,
  type WalletAsRead,
} from '../profile-rows.ts';
import type { PageHead } from '../rejected-rows.ts';

export interface NewProfile {
  readonly version: number;
  readonly profile: Merchant;
}

/**
 * Finds new profiles, in the order of the pages; `null` for a page without a profile, or with one
 * that equals the newest stored version.
 */
export async function findNewProfiles(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly profile?: Merchant | undefined }[],
): Promise<readonly (NewProfile | null)[]> {
  const merchantIds = pages.flatMap(({ head, profile }) =>
    profile === undefined ? [] : [head.merchantId],
  );
  const newest =
    merchantIds.length === 0 ? new Map<never, never>() : await loadProfiles(client, merchantIds);
  return pages.map(({ head, profile }) => {
    if (profile === undefined) return null;
    const known = newest.get(head.merchantId);
    if (known === undefined) return { version: 1, profile };
    const before = profileRow(profileOf({ merchant: profile.reference, record: known }));
    if (JSON.stringify(before) === JSON.stringify(profileRow(profile))) return null;
    return { version: known.version + 1, profile };
  });
}

/** Loads the newest profile of each merchant, by its number. */
async function loadProfiles(client: pg.ClientBase, merchantIds: readonly number[]) {
  const { rows } = await ask(client, newestProfiles({ merchantIds }));
  return new Map(rows.map((record) => [record.merchant_id, record]));
}

const newestProfiles = prepare(
  'newest profiles',
  (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
    build
      .selectFrom('merchant_heads as h')
      .crossJoinLateral((from) =>
        from
          .selectFrom('profile_versions as v')
          .select(['v.version', ...PROFILE_COLUMNS])
          .whereRef('v.merchant_id', '=', 'h.merchant_id')
          .orderBy('v.version', 'desc')
          .limit(1)
          .as('p'),
      )
      .select('h.merchant_id')
      .selectAll('p')
      .where('h.merchant_id', '=', anyOf('bigint', at('merchantIds'))),
);

export async function writeProfile(
  client: pg.ClientBase,
  head: PageHead,
  found: NewProfile,
): Promise<void> {
  const { merchantId: merchant_id, intake } = head;
  const row = { merchant_id, intake, version: found.version, ...profileRow(found.profile) };
  await ask(client, build.insertInto('profile_versions').values(row));
}

/**
 * Finds changed wallets, in the order of the pages; `null` for a page without a wallet, or with one
 * that has not changed.
 */
export async function findNewWallets(
  client: pg.ClientBase,
  pages: readonly { readonly head: PageHead; readonly wallet?: WalletAsRead | undefined }[],
): Promise<readonly (WalletAsRead | null)[]> {
  const merchantIds = pages.flatMap(({ head, wallet }) =>
    wallet === undefined ? [] : [head.merchantId],
  );
  const newest = await loadWallets(client, merchantIds);
  return pages.map(({ head, wallet }) => {
    const known = newest.get(head.merchantId);
    return wallet === undefined || (known !== undefined && sameWallet(known.wallet, wallet.wallet))
      ? null
      : wallet;
  });
}

/** Adds a wallet reading. A page may have only one. */
export async function writeWallet(
  client: pg.ClientBase,
  head: PageHead,
  reading: WalletAsRead,
): Promise<void> {
  const { merchantId: merchant_id, intake } = head;
  const { wallet, readAt } = reading;
  const columns = WALLET_TABLE.fields.map(({ name, column }) => [
    column,
    wallet[name as keyof Wallet],
  ]);
  const row = { merchant_id, intake, read_at: readAt, ...Object.fromEntries(columns) };
  await ask(
    client,
    build.insertInto('wallet_readings').values(row as Insertable<Database['wallet_readings']>),
  );
}
