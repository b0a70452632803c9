// Loads everything of a mirror but its lines and operations, for several merchants at once: how
// much there is to read, the wallet, the profiles, refused rows, notified adjustments, operations
// whose later versions break the document's rules, missing operations, and altered lines.

import { sql } from 'kysely';
import type pg from 'pg';
import type { Instant } from '../../../../core/domain/instant.ts';
import {
  type Departure,
  hasDeparted,
  type MissingOperation,
} from '../../../../core/domain/operation.ts';
import { OPERATION_TABLE } from '../../../../core/domain/rows/operation-fields.ts';
import type {
  RejectedRow,
  Remembered,
  ReplacedWallet,
  Snapshot,
  TamperedLines,
} from '../../../../core/domain/snapshot.ts';
import { anyOf, ask, build, by, columnsOf, prepare, type Slots, unnest } from '../../server/ask.ts';
import { loadChangedMonths } from '../changed-months.ts';
import { operationOf } from '../copy/rows.ts';
import type { MissedOperations } from '../line-watch.ts';
import {
  loadReplaced,
  loadWallets,
  PROFILE_COLUMNS,
  profileOf,
  type WalletAsRead,
} from '../profile-rows.ts';
import { findRejected, loadRejected } from '../rejected-rows.ts';
import { loadAlterations } from './load-alterations.ts';
import { newestVersion, recallFrom } from './recall.ts';
import type { MirrorScope } from './streams.ts';

/**
 * A merchant to read. `after` is the place of a checkpoint, after which to read on; `null` to read
 * all.
 */
export interface ReadFrom {
  readonly merchant: string;
  readonly after: { readonly sequence: number; readonly intake: number } | null;
}

export interface Surroundings
  extends Required<Pick<Snapshot, 'profiles' | 'rejected' | 'adjustedAt' | Remembered>> {
  readonly scope: MirrorScope;
  readonly entryCount: number;
  /** Number of the newest page. */
  readonly intake: number;
  /** `null` when the wallet was never read. */
  readonly wallet: WalletAsRead | null;
}

/** The most refused rows to load for a merchant: the first ones. */
const MOST_REJECTED = 10_000;

/** The scope of a merchant that the mirror does not know. */
const NOTHING: ScopeRow = {
  merchantId: 0,
  intake: 0,
  entryCount: 0,
  hasVariants: false,
  reread: 0,
  rereadFrom: null,
  hasMovedOperations: false,
  hasLines: false,
  hasOperations: false,
  missed: null,
  hasDepartures: false,
  hasAlterations: false,
  tampered: null,
  hasChangedMonths: false,
};

/** Loads the surroundings in the order of `asked`. `client` must be in one transaction. */
export async function loadSurroundings(
  client: pg.ClientBase,
  asked: readonly ReadFrom[],
): Promise<readonly Surroundings[]> {
  const scopes = await loadScopes(client, asked);
  const merchantIds = [...new Set(scopes.map(({ merchantId }) => merchantId))].filter(
    (id) => id !== NOTHING.merchantId,
  );
  const wallets = await loadWallets(client, merchantIds);
  const { rows: versions } = await ask(client, profilesOf({ merchantIds }));
  const profiles = Map.groupBy(versions, (record) => record.merchant_id);
  const rejected = await loadAllRejected(client, merchantIds);
  const adjusted = await loadAdjustments(client, merchantIds);
  const having = (what: 'hasDepartures' | 'hasAlterations' | 'hasChangedMonths') =>
    scopes.filter((scope) => scope[what]).map(({ merchantId }) => merchantId);
  const departures = await loadDepartures(client, having('hasDepartures'));
  const alterations = await loadAlterations(client, having('hasAlterations'));
  const changedMonths = await loadChangedMonths(client, having('hasChangedMonths'));
  const replaced = new Map<number, ReplacedWallet>();
  for (const [merchantId, { wallet, isReplaced }] of wallets)
    if (isReplaced) replaced.set(merchantId, await loadReplaced(client, { merchantId, wallet }));
  const missing = await Promise.all(scopes.map((scope) => recallMissing(client, scope)));
  return scopes.map((scope, i) => {
    const { merchantId, entryCount, intake, tampered } = scope;
    const { merchant, after } = asked[i]!;
    const records = profiles.get(merchantId) ?? [];
    return {
      scope: { ...scope, afterIntake: after?.intake ?? null, isReplaced: replaced.has(merchantId) },
      entryCount,
      intake,
      wallet: wallets.get(merchantId) ?? null,
      profiles: records.map((record) => profileOf({ merchant, record })),
      rejected: rejected.get(merchantId) ?? [],
      departures: departures.get(merchantId) ?? [],
      missing: missing[i]!,
      alterations: alterations.get(merchantId) ?? [],
      replaced: replaced.get(merchantId) ?? null,
      tampered,
      changedMonths: changedMonths.get(merchantId) ?? [],
      adjustedAt: adjusted.get(merchantId) ?? null,
    };
  });
}

/** Loads the merchant's missing operations, each with the first twenty lines that name it. */
async function recallMissing(
  client: pg.ClientBase,
  scope: ScopeRow,
): Promise<readonly MissingOperation[]> {
  const missed = scope.missed ?? {};
  const asked = {
    references: new Set(Object.keys(missed)),
    entryIds: NONE,
    externalReferences: NONE,
  };
  const recalled = await recallFrom(client, {
    scope: { ...scope, afterIntake: null, isReplaced: false },
    asked,
    described: false,
  });
  const lines = Map.groupBy(recalled.entries, ({ entry }) => entry.operationReference);
  return recalled.operations.map(({ operation }) => {
    const named = lines.get(operation.reference)?.slice(0, 20) ?? [];
    return {
      operation,
      ...missed[operation.reference]!,
      lines: named.map(({ entry }) => entry.sequence),
    };
  });
}

const NONE: ReadonlySet<string> = new Set();

type ScopeRow = Omit<ReturnType<typeof headsForReading>['row'] & object, 'place'>;

async function loadScopes(
  client: pg.ClientBase,
  asked: readonly ReadFrom[],
): Promise<readonly ScopeRow[]> {
  const references = asked.map(({ merchant }) => merchant);
  const sequences = asked.map(({ after }) => after?.sequence ?? null);
  const intakes = asked.map(({ after }) => after?.intake ?? null);
  const { rows } = await ask(client, headsForReading({ references, sequences, intakes }));
  const heads = new Map(rows.map(({ place, ...row }) => [place, row]));
  return asked.map((_, i) => heads.get(i + 1) ?? NOTHING);
}

interface AskedHeads {
  readonly references: readonly string[];
  readonly sequences: readonly (number | null)[];
  readonly intakes: readonly (number | null)[];
}

/**
 * Selects the heads of the merchants asked for. `place` counts from 1, in the order of the lists.
 */
const headsForReading = prepare('heads for reading', (at: Slots<AskedHeads>) =>
  build
    .selectFrom(
      unnest('asked', {
        reference: ['text', at('references')],
        sequence: ['bigint', at('sequences')],
        intake: ['bigint', at('intakes')],
      }),
    )
    .innerJoin('merchants as m', 'm.reference', 'asked.reference')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .leftJoin('line_watches as w', 'w.merchant_id', 'h.merchant_id')
    .select(({ and, eb, exists, or, ref, selectFrom }) => [
      'asked.ordinal as place',
      'h.merchant_id as merchantId',
      'h.intake',
      'h.entry_count as entryCount',
      'h.reread',
      'h.reread_from as rereadFrom',
      or([eb('h.variant_count', '>', eb.lit(0)), eb('h.alteration_count', '>', eb.lit(0))])
        .$castTo<boolean>()
        .as('hasVariants'),
      ref('h.tampered').$castTo<TamperedLines | null>().as('tampered'),
      eb('h.changed_months', 'is not', null).$castTo<boolean>().as('hasChangedMonths'),
      ref('w.missing').$castTo<MissedOperations | null>().as('missed'),
      eb('h.moved_operation_count', '>', eb.lit(0)).$castTo<boolean>().as('hasMovedOperations'),
      eb('h.alteration_count', '>', eb.lit(0)).$castTo<boolean>().as('hasAlterations'),
      exists(
        selectFrom('departed_operation_versions as d')
          .select('d.version')
          .whereRef('d.merchant_id', '=', 'h.merchant_id'),
      )
        .$castTo<boolean>()
        .as('hasDepartures'),
      and([
        eb('h.last_sequence', 'is not', null),
        or([
          eb('asked.sequence', 'is', null),
          eb('h.last_sequence', '>', eb.ref('asked.sequence')),
        ]),
      ])
        .$castTo<boolean>()
        .as('hasLines'),
      or([
        eb('asked.intake', 'is', null),
        exists(
          selectFrom('operation_versions as v')
            .select('v.version')
            .whereRef('v.merchant_id', '=', 'h.merchant_id')
            .whereRef('v.intake', '>', 'asked.intake'),
        ),
      ])
        .$castTo<boolean>()
        .as('hasOperations'),
    ]),
);

interface OfMerchants {
  readonly merchantIds: readonly number[];
}

const profilesOf = prepare('profiles', (at: Slots<OfMerchants>) =>
  build
    .selectFrom('profile_versions')
    .select(['merchant_id', ...PROFILE_COLUMNS])
    .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
    .$call(by('merchant_id', 'version')),
);

/** Loads refused rows, with a query for each merchant that has any. */
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

/**
 * Loads the instants of notified adjustments, by merchant. Merchants that never had a notification
 * are left out. Notifications about no operation are few, and an index finds them together.
 */
async function loadAdjustments(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Instant[]>> {
  const ids = (await ask(client, everNotified({ merchantIds }))).rows.map((row) => row.merchant_id);
  if (ids.length === 0) return new Map();
  const { rows } = await ask(client, adjustmentsOf({ merchantIds: ids }));
  const adjusted = Map.groupBy(rows, (row) => row.merchant_id);
  return new Map(ids.map((id) => [id, (adjusted.get(id) ?? []).map(({ at }) => at)]));
}

const everNotified = prepare('ever notified', (at: Slots<OfMerchants>) =>
  build
    .selectFrom('merchant_heads as h')
    .select('h.merchant_id')
    .where('h.merchant_id', '=', anyOf('bigint', at('merchantIds')))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notifications as n')
          .select('n.variant')
          .whereRef('n.merchant_id', '=', 'h.merchant_id')
          .where('n.channel', '=', sql.lit('direct')),
      ),
    ),
);

const adjustmentsOf = prepare('adjustments', (at: Slots<OfMerchants>) =>
  build
    .selectFrom('notifications')
    .select(({ fn }) => ['merchant_id', fn.coalesce('created_at', 'received_at').as('at')])
    .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
    .where('operation_reference', 'is', null)
    .where(({ and }) =>
      and({ channel: sql.lit('direct' as const), type: sql.lit('wallet.adjusted') }),
    )
    .$call(by('merchant_id', 'at')),
);

/**
 * Loads the operations that departed, by merchant and reference, with the version before the
 * departure and the version now. An operation that has returned to its former state is left out.
 */
async function loadDepartures(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Departure[]>> {
  if (merchantIds.length === 0) return new Map();
  const { rows } = await ask(client, departuresOf({ merchantIds }));
  const byMerchant = new Map<number, Departure[]>();
  for (const record of rows) {
    const departure = { before: operationOf(record, 'before_'), now: operationOf(record, 'now_') };
    if (!hasDeparted(departure)) continue;
    const known = byMerchant.get(record.merchant_id) ?? [];
    byMerchant.set(record.merchant_id, [...known, departure]);
  }
  return byMerchant;
}

const departuresOf = prepare('departures', (at: Slots<OfMerchants>) =>
  build
    .selectFrom((from) =>
      from
        .selectFrom('departed_operation_versions')
        .select(({ fn }) => ['merchant_id', 'reference', fn.min('version').as('version')])
        .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
        .groupBy(['merchant_id', 'reference'])
        .as('wanted'),
    )
    .innerJoin('operation_versions as b', (join) =>
      join
        .onRef('b.merchant_id', '=', 'wanted.merchant_id')
        .onRef('b.reference', '=', 'wanted.reference')
        .on(({ eb }) => eb('b.version', '=', eb('wanted.version', '-', eb.lit(1)))),
    )
    .crossJoinLateral(newestVersion(sql.ref<number>('wanted.merchant_id')).as('n'))
    .select([
      'wanted.merchant_id',
      ...columnsOf(OPERATION_TABLE, 'b', 'before_'),
      ...columnsOf(OPERATION_TABLE, 'n', 'now_'),
    ])
    .$call(by('wanted.merchant_id', 'wanted.reference')),
);
