// What stands around the lines and operations of a merchant's mirror, of several merchants at once: how much there is to
// read, the wallet, the profiles, refused rows and adjustments that were notified.

import type pg from 'pg';
import type { Instant } from '../../../domain/instant.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { RejectedRow } from '../../../domain/snapshot.ts';
import type { Wallet } from '../../../domain/wallet.ts';
import { loadWallets } from '../load-wallets.ts';
import { PROFILE_COLUMNS, profileOf } from '../profile-rows.ts';
import { findRejected, loadRejected } from '../rejected-rows.ts';
import type { MirrorScope } from './mirror-scope.ts';

/** From where on a merchant's mirror is read: a checkpoint's place, or null for all of it. */
export interface ReadFrom {
  readonly merchant: string;
  readonly after: { readonly sequence: number; readonly intake: number } | null;
}

export interface Surroundings {
  readonly scope: MirrorScope;
  readonly entryCount: number;
  /** Number of the newest page. */
  readonly intake: number;
  /** Null when it was never read. */
  readonly wallet: Wallet | null;
  /** Oldest first. */
  readonly profiles: readonly Merchant[];
  readonly rejected: readonly RejectedRow[];
  /** Null when nothing was ever notified. */
  readonly adjustedAt: readonly Instant[] | null;
}

/** A merchant with more refused rows than this has other troubles; the first ones are given. */
const MOST_REJECTED = 10_000;

/** Of a merchant that the mirror does not know. */
const NOTHING: ScopeRow = {
  merchantId: 0,
  intake: 0,
  entryCount: 0,
  hasVariants: false,
  hasMovedOperations: false,
  hasLines: false,
  hasOperations: false,
};

/** In the order of what was asked. `client` is in one transaction. */
export async function loadSurroundings(
  client: pg.ClientBase,
  asked: readonly ReadFrom[],
): Promise<readonly Surroundings[]> {
  const scopes = await loadScopes(client, asked);
  const merchantIds = [...new Set(scopes.map(({ merchantId }) => merchantId))].filter(
    (id) => id !== NOTHING.merchantId,
  );
  const wallets = await loadWallets(client, merchantIds);
  const profiles = await loadProfiles(client, merchantIds);
  const rejected = await loadAllRejected(client, merchantIds);
  const adjusted = await loadAdjustments(client, merchantIds);
  return scopes.map(({ entryCount, intake, ...head }, i) => {
    const { merchant, after } = asked[i]!;
    const records = profiles.get(head.merchantId) ?? [];
    return {
      scope: { ...head, afterIntake: after?.intake ?? null },
      entryCount,
      intake,
      wallet: wallets.get(head.merchantId) ?? null,
      profiles: records.map((record) => profileOf({ merchant, record })),
      rejected: rejected.get(head.merchantId) ?? [],
      adjustedAt: adjusted.get(head.merchantId) ?? null,
    };
  });
}

type ScopeRow = Omit<MirrorScope, 'afterIntake'> & { readonly entryCount: number; readonly intake: number };

async function loadScopes(client: pg.ClientBase, asked: readonly ReadFrom[]): Promise<readonly ScopeRow[]> {
  const answer = await client.query<ScopeRow & { readonly place: number }>({
    name: 'heads for reading',
    text: `select asked.place::int as place, h.merchant_id as "merchantId", h.intake, h.entry_count as "entryCount",
      h.variant_count > 0 as "hasVariants", h.moved_operation_count > 0 as "hasMovedOperations",
      h.last_sequence is not null and (asked.sequence is null or h.last_sequence > asked.sequence) as "hasLines",
      asked.intake is null or exists (
        select 1
        from operation_versions v
        where v.merchant_id = h.merchant_id and v.intake > asked.intake
      ) as "hasOperations"
    from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as asked (reference, sequence, intake, place)
    join merchants m on m.reference = asked.reference
    join merchant_heads h on h.merchant_id = m.merchant_id`,
    values: [
      asked.map(({ merchant }) => merchant),
      asked.map(({ after }) => after?.sequence ?? null),
      asked.map(({ after }) => after?.intake ?? null),
    ],
  });
  const rows = new Map(answer.rows.map(({ place, ...row }) => [place, row]));
  return asked.map((_, i) => rows.get(i + 1) ?? NOTHING);
}

type OwnedRecord = Readonly<Record<string, unknown>> & { readonly merchant_id: number };

async function loadProfiles(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly OwnedRecord[]>> {
  const answer = await client.query<OwnedRecord>({
    name: 'profiles',
    text: `select merchant_id, ${PROFILE_COLUMNS.join(', ')}
    from profile_versions
    where merchant_id = any ($1::bigint[])
    order by merchant_id, version`,
    values: [merchantIds],
  });
  return Map.groupBy(answer.rows, (record) => record.merchant_id);
}

/** Of those that ever had one. */
async function loadAllRejected(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly RejectedRow[]>> {
  const rejected = new Map<number, readonly RejectedRow[]>();
  for (const merchantId of await findRejected(client, merchantIds)) {
    rejected.set(merchantId, await loadRejected(client, { merchantId, limit: MOST_REJECTED }));
  }
  return rejected;
}

/** Of those that were ever notified. Notifications about no operation are few, and have a place of their own. */
async function loadAdjustments(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Instant[]>> {
  const notified = await client.query<{ merchant_id: number }>({
    name: 'ever notified',
    text: `select h.merchant_id
    from merchant_heads h
    where h.merchant_id = any ($1::bigint[])
      and exists (select 1 from notifications n where n.merchant_id = h.merchant_id and n.channel = 'direct')`,
    values: [merchantIds],
  });
  const ids = notified.rows.map((row) => row.merchant_id);
  if (ids.length === 0) return new Map();
  const answer = await client.query<{ merchant_id: number; at: Instant }>({
    name: 'adjustments',
    text: `select merchant_id, coalesce(created_at, received_at) as at
    from notifications
    where merchant_id = any ($1::bigint[])
      and operation_reference is null
      and channel = 'direct'
      and type = 'wallet.adjusted'
    order by merchant_id, at`,
    values: [ids],
  });
  const adjusted = Map.groupBy(answer.rows, (row) => row.merchant_id);
  return new Map(ids.map((id) => [id, (adjusted.get(id) ?? []).map(({ at }) => at)]));
}
