// What the dashboard served about a merchant's payouts and payments by link, one row for each
// change, and the notifications of payments. Reads and writes of several merchants that come in one
// turn are joined. Refuses to write under a lost lease.

import { type Insertable, sql } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type {
  Kept,
  KeptPayouts,
  KeptTotals,
  PayoutsRead,
} from '../../../core/domain/published/payout-place.ts';
import { askTogether } from '../../together/ask-together.ts';
import { type Lease, leaseLost, lockHeads } from '../merchants/merchant-lock.ts';
import { digestRows } from '../mirror/row-digests.ts';
import {
  addingTo,
  anyOf,
  ask,
  build,
  by,
  inPieces,
  type Prepared,
  prepare,
  type Slots,
} from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/**
 * Milliseconds. Figures that were read longer ago than this are not loaded. Payouts are, however
 * old.
 */
const LOOKED_BACK = 400 * DAY;

/**
 * Loads a merchant's versions that were read at `at` or earlier, oldest first. Of the totals of old
 * payments only the newest version is loaded.
 */
export const loadPayouts = askTogether<Omit<AskedPayments, 'from'>, KeptPayouts, Store>(
  async ({ pool }, asked) => {
    const since = Math.min(...asked.map(({ at }) => at)) - LOOKED_BACK;
    const { rows } = await ask(
      pool,
      readingsOf({ references: asked.map(({ merchant }) => merchant), since }),
    );
    const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
    return asked.map(({ merchant, at }) =>
      keptOf((byMerchant.get(merchant) ?? []).filter((row) => row.read_at <= at)),
    );
  },
);

const readingsOf = prepare(
  'payout readings',
  (at: Slots<{ readonly references: readonly string[]; readonly since: number }>) =>
    build
      .selectFrom('payout_readings as r')
      .innerJoin('merchants as m', 'm.merchant_id', 'r.merchant_id')
      .select(['m.reference', 'r.part', 'r.item', 'r.read_at', 'r.content'])
      .where('m.reference', '=', anyOf('text', at('references')))
      .where(({ eb, or }) =>
        or([eb('r.part', '=', sql.lit('payout')), eb('r.read_at', '>=', at('since'))]),
      )
      .where(({ eb, or, not, exists, selectFrom }) => {
        const newer = selectFrom('payout_readings as n')
          .select(sql.lit(1).as('one'))
          .whereRef('n.merchant_id', '=', 'r.merchant_id')
          .where('n.part', '=', sql.lit('payments'))
          .whereRef('n.read_at', '>', 'r.read_at');
        return or([eb('r.part', '<>', sql.lit('payments')), not(exists(newer))]);
      })
      .$call(by('m.reference', 'r.read_at', 'r.part', 'r.item')),
);

type ReadingRow = ReturnType<typeof readingsOf>['row'] & object;

function keptOf(rows: readonly ReadingRow[]): KeptPayouts {
  const byPart = Map.groupBy(rows, ({ part }) => part);
  const versions = <Value>(some: readonly ReadingRow[] = []): readonly Kept<Value>[] =>
    some.map((row) => ({ at: row.read_at, value: row.content as Value }));
  const payouts = Map.groupBy(byPart.get('payout') ?? [], ({ item }) => item);
  return {
    limits: versions(byPart.get('limits')),
    counters: versions(byPart.get('counters')),
    balance: versions(byPart.get('balance')),
    settlement: versions(byPart.get('settlement')),
    totals: versions(byPart.get('payments')),
    payouts: new Map([...payouts].map(([id, some]) => [id, versions(some)])),
  };
}

/**
 * Adds the parts that differ from their last version, and new totals if there are any. Throws
 * `LeaseLost`.
 */
export async function savePayouts(
  store: Store,
  lease: Lease,
  reading: {
    readonly kept: KeptPayouts;
    readonly read: PayoutsRead;
    readonly totals: KeptTotals | null;
  },
): Promise<void> {
  const { kept, read, totals } = reading;
  const { until, after, before, settlement, payouts } = read;
  const { merchantId: merchant_id } = lease;
  const news = (
    part: ReadingPart,
    item: string,
    known: readonly Kept<object>[] | undefined,
    value: object | null,
  ) =>
    value === null || isKnown(known, value)
      ? []
      : [{ merchant_id, part, item, read_at: until, content: storableJson(value) }];
  const rows = [
    ...news('limits', '', kept.limits, after.limits),
    ...news('counters', '', kept.counters, after.counters),
    // The checks judge the balance from before the payments were read.
    ...news('balance', '', kept.balance, before.balance),
    ...news('settlement', '', kept.settlement, settlement),
    ...(payouts ?? []).flatMap((payout) =>
      news('payout', payout.id, kept.payouts.get(payout.id), payout),
    ),
    ...news('payments', '', undefined, totals),
  ];
  if (rows.length > 0) await addReadings(store, { lease, rows });
}

type ReadingPart = Insertable<Database['payout_readings']>['part'];

function isKnown(known: readonly Kept<object>[] | undefined, value: object): boolean {
  const last = known?.at(-1);
  return last !== undefined && storableJson(last.value) === storableJson(value);
}

/**
 * A request for payments created, or notifications received, at `from` or later, as they were known
 * at `at`: rows that were read or received after `at` are left out.
 */
export interface AskedPayments {
  readonly merchant: string;
  readonly from: Instant;
  readonly at: Instant;
}

/** Loads the versions of a merchant's payments, by reference, oldest first. */
export const loadPaymentVersions = askTogether<
  AskedPayments,
  ReadonlyMap<string, readonly Kept<Payment>[]>,
  Store
>(async ({ pool }, asked) => {
  const { rows } = await ask(pool, versionsOf(slotsOf(asked)));
  const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
  return asked.map(({ merchant, from, at }) => {
    const own = (byMerchant.get(merchant) ?? []).filter(
      (row) => row.created_at >= from && row.seen_at <= at,
    );
    return Map.groupBy(
      own.map((row) => ({ at: row.seen_at, value: row.content as unknown as Payment })),
      ({ value }) => value.reference,
    );
  });
});

interface Asked {
  readonly references: readonly string[];
  readonly from: Instant;
}

function slotsOf(asked: readonly AskedPayments[]): Asked {
  return {
    references: asked.map(({ merchant }) => merchant),
    from: Math.min(...asked.map(({ from }) => from)),
  };
}

const versionsOf = prepare('payment versions', (at: Slots<Asked>) =>
  build
    .selectFrom('payment_versions as v')
    .innerJoin('merchants as m', 'm.merchant_id', 'v.merchant_id')
    .select(['m.reference', 'v.seen_at', 'v.created_at', 'v.content'])
    .where('m.reference', '=', anyOf('text', at('references')))
    .where('v.created_at', '>=', at('from'))
    .$call(by('m.reference', 'v.reference', 'v.seen_at')),
);

/** An unsigned notification of a payment, as it came. */
export interface StoredSignal {
  readonly body: Uint8Array;
  readonly receivedAt: Instant;
}

/** Loads the unsigned notifications of a merchant's payments, in the order of their arrival. */
export const loadPaymentSignals = askTogether<AskedPayments, readonly StoredSignal[], Store>(
  async ({ pool }, asked) => {
    const { rows } = await ask(pool, signalsOf(slotsOf(asked)));
    const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
    return asked.map(({ merchant, from, at }) =>
      (byMerchant.get(merchant) ?? []).filter(
        ({ receivedAt }) => receivedAt >= from && receivedAt <= at,
      ),
    );
  },
);

const signalsOf = prepare('payment signals', (at: Slots<Asked>) =>
  build
    .selectFrom('notifications as n')
    .innerJoin('merchants as m', 'm.merchant_id', 'n.merchant_id')
    .select(['m.reference', 'n.received_at as receivedAt', 'n.body'])
    .where(({ and }) =>
      and({ 'm.reference': anyOf('text', at('references')), 'n.channel': 'payments' }),
    )
    .where('n.received_at', '>=', at('from'))
    .$call(by('m.reference', 'n.received_at', 'n.event_id', 'n.variant')),
);

/** Adds the payments that differ from their last version. Throws `LeaseLost`. */
export async function savePaymentVersions(
  store: Store,
  lease: Lease,
  reading: {
    readonly kept: ReadonlyMap<string, readonly Kept<Payment>[]>;
    readonly payments: ReadonlyMap<string, Payment>;
    readonly at: Instant;
  },
): Promise<void> {
  const news = [...reading.payments.values()]
    .filter((payment) => !isKnown(reading.kept.get(payment.reference), payment))
    .map((payment) => ({
      merchant_id: lease.merchantId,
      reference: payment.reference,
      created_at: payment.createdAt,
      seen_at: reading.at,
      content: storableJson(payment),
    }));
  for (const rows of inPieces(news)) await addVersions(store, { lease, rows });
}

/**
 * Adds the rows of several merchants in one statement, for the leases that were not lost. Gives
 * `LeaseLost` for the others.
 */
function addTogether<Row extends { readonly merchant_id: number }>(
  part: 'payout_readings' | 'payment_versions',
  statement: (rows: readonly Row[]) => Prepared<unknown>,
  readAt: (row: Row) => Instant,
) {
  return askTogether<{ readonly lease: Lease; readonly rows: readonly Row[] }, void, Store>(
    (store, several) =>
      inTransaction(store, async (client) => {
        const leases = several.map(({ lease }) => lease);
        const good = await lockHeads(client, leases);
        const rows = several.flatMap(({ lease, rows }) => (good.has(lease) ? rows : []));
        if (rows.length > 0) await ask(client, statement(rows));
        for (const [merchantId, own] of Map.groupBy(rows, (row) => row.merchant_id))
          for (const page of new Set(own.map(readAt)))
            await digestRows(client, { merchantId, page, parts: [part] });
        return leases.map((lease) => (good.has(lease) ? undefined : leaseLost(lease)));
      }),
  );
}

const addReadings = addTogether(
  'payout_readings',
  addingTo(
    'payout_readings',
    { bigint: ['merchant_id', 'read_at'], text: ['part', 'item'], json: ['content'] },
    { name: 'add payout readings', key: ['merchant_id', 'part', 'item', 'read_at'], taken: 'keep' },
  ),
  (row) => row.read_at,
);

const addVersions = addTogether(
  'payment_versions',
  addingTo(
    'payment_versions',
    { bigint: ['merchant_id', 'seen_at', 'created_at'], text: ['reference'], json: ['content'] },
    { name: 'add payment versions', key: ['merchant_id', 'reference', 'seen_at'], taken: 'keep' },
  ),
  (row) => row.seen_at,
);
