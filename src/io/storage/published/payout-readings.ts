// What earlier looks at a merchant's payouts have seen. A look adds what it saw otherwise than the one before it, and nothing where
// all stands as it stood.

import { type Insertable, sql } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { Kept, KeptPayouts, KeptTotals, PayoutsRead } from '../../../core/domain/published/payout-place.ts';
import { askTogether } from '../../together/ask-together.ts';
import type { Lease } from '../merchants/merchant-lock.ts';
import { addingTo, anyOf, ask, build, prepare, type Slots } from '../server/ask.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { seenAdder } from './add-seen.ts';

/** Figures that are older are not looked at again; payouts are, however old. */
const LOOKED_BACK = 400 * DAY;

/** Of payments that are too old to change the newest counts alone. Of a merchant by its reference; one that was never looked at has seen nothing. */
export function loadPayouts(store: Store, asked: AskedPayouts): Promise<KeptPayouts> {
  return load(store, asked);
}

interface AskedPayouts {
  readonly merchant: string;
  readonly at: Instant;
}

const load = askTogether<AskedPayouts, KeptPayouts, Store>(async ({ pool }, asked) => {
  const since = Math.min(...asked.map(({ at }) => at)) - LOOKED_BACK;
  const { rows } = await ask(pool, readingsOf({ references: asked.map(({ merchant }) => merchant), since }));
  const byMerchant = Map.groupBy(rows, ({ reference }) => reference);
  return asked.map(({ merchant, at }) => keptOf((byMerchant.get(merchant) ?? []).filter((row) => row.read_at <= at)));
});

const readingsOf = prepare(
  'payout readings',
  (at: Slots<{ readonly references: readonly string[]; readonly since: number }>) =>
    build
      .selectFrom('payout_readings as r')
      .innerJoin('merchants as m', 'm.merchant_id', 'r.merchant_id')
      .select(['m.reference', 'r.part', 'r.item', 'r.read_at', 'r.content'])
      .where('m.reference', '=', anyOf('text', at('references')))
      .where(({ eb, or }) => or([eb('r.part', '=', sql.lit('payout')), eb('r.read_at', '>=', at('since'))]))
      .where(({ eb, or, not, exists, selectFrom }) => {
        const newer = selectFrom('payout_readings as n')
          .select(sql.lit(1).as('one'))
          .whereRef('n.merchant_id', '=', 'r.merchant_id')
          .where('n.part', '=', sql.lit('payments'))
          .whereRef('n.read_at', '>', 'r.read_at');
        return or([eb('r.part', '<>', sql.lit('payments')), not(exists(newer))]);
      })
      .orderBy('m.reference')
      .orderBy('r.read_at')
      .orderBy('r.part')
      .orderBy('r.item'),
);

interface Row {
  readonly part: string;
  readonly item: string;
  readonly read_at: number;
  readonly content: unknown;
}

function keptOf(rows: readonly Row[]): KeptPayouts {
  const of = <Value>(part: string): readonly Kept<Value>[] =>
    rows.filter((row) => row.part === part).map((row) => ({ at: row.read_at, value: row.content as Value }));
  const payouts = Map.groupBy(
    rows.filter(({ part }) => part === 'payout'),
    ({ item }) => item,
  );
  return {
    limits: of('limits'),
    counters: of('counters'),
    balance: of('balance'),
    settlement: of('settlement'),
    totals: of('payments'),
    payouts: new Map(
      [...payouts].map(([id, some]) => [id, some.map((row) => ({ at: row.read_at, value: row.content as never }))]),
    ),
  };
}

/** Asks the database nothing where there is nothing to add. Throws `LeaseLost`. */
export async function savePayouts(
  store: Store,
  lease: Lease,
  {
    kept,
    read,
    totals,
  }: { readonly kept: KeptPayouts; readonly read: PayoutsRead; readonly totals: KeptTotals | null },
): Promise<void> {
  const news = [...newsIn(kept, read), ...totalsIn(read, totals)];
  if (news.length > 0) await save(store, { lease, news });
}

type Part = Insertable<Database['payout_readings']>['part'];

interface News {
  readonly part: Part;
  readonly item: string;
  readonly read_at: Instant;
  readonly content: string;
}

function newsIn(kept: KeptPayouts, { until, after, before, settlement, payouts }: PayoutsRead): readonly News[] {
  const one = (part: Part, item: string, rows: readonly Kept<object>[] | undefined, value: object | null): News[] => {
    if (value === null) return [];
    const content = storableJson(value);
    const last = rows?.at(-1);
    return last !== undefined && storableJson(last.value) === content ? [] : [{ part, item, read_at: until, content }];
  };
  return [
    ...one('limits', '', kept.limits, after.limits),
    ...one('counters', '', kept.counters, after.counters),
    // What is judged is what was seen before the payments were read.
    ...one('balance', '', kept.balance, before.balance),
    ...one('settlement', '', kept.settlement, settlement),
    ...(payouts ?? []).flatMap((payout) => one('payout', payout.id, kept.payouts.get(payout.id), payout)),
  ];
}

/** Counted anew only where there is something new. */
function totalsIn({ until }: PayoutsRead, totals: KeptTotals | null): readonly News[] {
  return totals === null ? [] : [{ part: 'payments', item: '', read_at: until, content: storableJson(totals) }];
}

const save = seenAdder<News>(
  addingTo(
    'payout_readings',
    { merchant_id: 'bigint', part: 'text', item: 'text', read_at: 'bigint', content: 'json' },
    { name: 'add payout readings', key: ['merchant_id', 'part', 'item', 'read_at'], taken: 'keep' },
  ),
);
