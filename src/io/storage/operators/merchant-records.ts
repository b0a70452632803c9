// Merchants of the mirror as operators see them: the last verdict, up to when the books are known,
// open findings. Refuses to judge, and to load books.

import {
  type AliasedExpression,
  type ExpressionBuilder,
  type InferResult,
  type Selectable,
  sql,
} from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { AuditReport, Severity, Verdict } from '../../../core/domain/finding.ts';
import { STATE } from '../conclusions/findings.ts';
import { standingOf } from '../conclusions/run-members.ts';
import { profiled } from '../merchants/merchants.ts';
import { ask, build, countOf, type Page } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * A merchant with its newest profile. `verdict` is the standing one, and `judged` says whether the
 * newest run judged the merchant. `lastVerdict`, `lastRun` and `lastRunAt` are of the last run that
 * did; `null` before the first. `watermark` is the instant up to which the mirror was complete
 * then; `null` when that is not known. `openFindings` counts roots that are open and not
 * acknowledged.
 */
export type MerchantRecord = InferResult<ReturnType<typeof recordsOf>>[number];

function recordsOf(
  m: AliasedExpression<Pick<Selectable<Database['merchants']>, 'merchant_id' | 'reference'>, 'm'>,
) {
  return build
    .selectFrom(m)
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom('run_merchants as s')
          .innerJoin('runs as r', 'r.run_id', 's.run_id')
          .leftJoin('run_members as x', (join) =>
            join.onRef('x.merchant_id', '=', 's.merchant_id').onRef('x.run_id', '=', 's.run_id'),
          )
          .select(['s.verdict', 's.run_id', 'r.started_at', 'x.watermark'])
          .whereRef('s.merchant_id', '=', 'h.merchant_id')
          .orderBy('s.run_id', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(standingOf().as('standing'), (join) => join.onTrue())
    .select(({ ref, fn, selectFrom }) => [
      'm.reference',
      profiled('name', 'h').as('name'),
      profiled('country', 'h').as('country'),
      profiled('status', 'h').as('status'),
      ref('standing.verdict').$castTo<Verdict | null>().as('verdict'),
      sql<boolean>`(standing.verdict is not null and standing.reason is null)`.as('judged'),
      ref('last.verdict').$castTo<Verdict | null>().as('lastVerdict'),
      'last.run_id as lastRun',
      'last.started_at as lastRunAt',
      'last.watermark',
      selectFrom('findings as f')
        .select(fn.countAll<number>().as('count'))
        .whereRef('f.merchant_id', '=', 'h.merchant_id')
        .where(({ and }) => and({ 'f.state': 'open', 'f.is_root': sql.lit(true) }))
        .$asScalar()
        .$notNull()
        .as('openFindings'),
    ]);
}

export interface MerchantQuery extends Page {
  /** The standing verdict; `none` when no run has given one, or the newest failed by our fault. */
  readonly verdict?: Verdict | 'none' | undefined;
  /** The status in the merchant's newest profile. */
  readonly status?: string | undefined;
  /** The country in the merchant's newest profile. */
  readonly country?: string | undefined;
  /** A part of the merchant's reference or name, in any case. */
  readonly text?: string | undefined;
}

function conditionOf({ verdict, status, country, text }: MerchantQuery) {
  const standing = standingOf().clearSelect().select('y.verdict');
  const names = sql`lower(concat_ws(' ', m.reference, ${profiled('name', 'h')}))`;
  return ({
    and,
    eb,
  }: ExpressionBuilder<
    Record<'m', Database['merchants']> & Record<'h', Database['merchant_heads']>,
    'm' | 'h'
  >) => {
    const conditions = [
      verdict === undefined
        ? null
        : verdict === 'none'
          ? eb(standing, 'is', null)
          : eb(standing, '=', verdict),
      status === undefined ? null : eb(profiled('status', 'h'), '=', status),
      country === undefined ? null : eb(profiled('country', 'h'), '=', country),
      text === undefined ? null : eb(sql<number>`strpos(${names}, lower(${text}))`, '>', 0),
    ];
    return and(conditions.filter((condition) => condition !== null));
  };
}

/** Lists a page of merchants, by reference, with the number of all that match. */
export async function listMerchantRecords(store: Store, query: MerchantQuery) {
  const { limit, offset = 0 } = query;
  const all = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .where(conditionOf(query));
  const some = all
    .select(['m.merchant_id', 'm.reference'])
    .orderBy('m.reference')
    .limit(limit)
    .offset(offset);
  const total = await countOf(store.pool, all);
  return {
    total,
    items: (await ask(store.pool, recordsOf(some.as('m')).orderBy('m.reference'))).rows,
  };
}

export async function findMerchantRecord(
  store: Store,
  reference: string,
): Promise<MerchantRecord | null> {
  const one = build
    .selectFrom('merchants')
    .select(['merchant_id', 'reference'])
    .where('reference', '=', reference);
  return (await ask(store.pool, recordsOf(one.as('m')))).rows[0] ?? null;
}

/** The report of the last run that judged the merchant; null before the first. */
export async function loadLastReport(store: Store, reference: string): Promise<AuditReport | null> {
  const load = build
    .selectFrom('merchants as m')
    .innerJoin('run_merchants as s', 's.merchant_id', 'm.merchant_id')
    .select(({ ref }) => ref('s.report').$castTo<AuditReport>().as('report'))
    .where('m.reference', '=', reference)
    .orderBy('s.run_id', 'desc')
    .limit(1);
  return (await ask(store.pool, load)).rows[0]?.report ?? null;
}

/**
 * Counts the findings of a merchant that are not resolved, roots and others, by severity and state.
 */
export async function countFindings(
  store: Store,
  reference: string,
): Promise<
  readonly { readonly severity: Severity; readonly state: string; readonly count: number }[]
> {
  const count = build
    .selectFrom('findings as f')
    .innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
    .select(({ ref, fn }) => [
      ref('f.severity').$castTo<Severity>().as('severity'),
      STATE.as('state'),
      fn.countAll<number>().as('count'),
    ])
    .where('m.reference', '=', reference)
    .where('f.state', '<>', 'resolved')
    .groupBy(['f.severity', sql`2`])
    .orderBy('f.severity')
    .orderBy(sql`2`);
  return (await ask(store.pool, count)).rows;
}
