// Issued months as operators see them: one row for each merchant and month, with the revision in
// force, its hold, its release, its closing and its deliveries. One query loads the months of all
// merchants, a second the open roots of the months that are shown. Refuses to change any.

import { type InferResult, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { STUCK_STATES } from '../../../core/domain/delivery/delivery.ts';
import type { Verdict } from '../../../core/domain/finding.ts';
import { anyOf, ask, build, by, type Page } from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import { ENDS, lastWords } from './reports.ts';

/**
 * `releaseReason` is `null` also when no reason was asked for. `deliveries` counts the deliveries
 * of the revision, `sent` those that arrived, `stuck` those that failed or wait for a person.
 * `openRoots` counts the roots that the month was issued with and that no decision has ended since;
 * `null` when the issued statement does not name them.
 */
export type MonthRecord = Omit<ListedMonth, 'merchantId'> & { readonly openRoots: number | null };

type ListedMonth = InferResult<ReturnType<typeof issuedMonths>>[number] & Sent;

interface Sent {
  readonly deliveries: number;
  readonly sent: number;
  readonly stuck: number;
}

export interface MonthQuery extends Page {
  readonly merchant?: string | undefined;
  /** YYYY-MM. When neither a period nor a merchant is given, the newest issued month is meant. */
  readonly period?: string | undefined;
  readonly verdict?: Verdict | undefined;
  readonly isHeld?: boolean | undefined;
}

/**
 * Lists months by merchant, the newest first. `counts` are of all months of the period or of the
 * merchant, also of months that `verdict` and `isHeld` leave out. `counts.sent` counts months of
 * which at least one delivery arrived.
 */
export async function listMonthRecords(store: Store, query: MonthQuery) {
  const { merchant, verdict, isHeld, limit, offset = 0 } = query;
  const period = query.period ?? (merchant === undefined ? await loadNewestMonth(store) : null);
  const filtered = monthsWithDeliveries({ merchant, period }).with('some', (from) =>
    from
      .selectFrom('each')
      .selectAll()
      .$if(verdict !== undefined, (some) => some.where('verdict', '=', verdict!))
      .$if(isHeld !== undefined, (some) => some.where('isHeld', '=', isHeld!)),
  );
  const list = filtered.selectFrom('each').select(({ fn, selectFrom, eb }) => {
    const all = fn.countAll<number>();
    return [
      all.as('stated'),
      all.filterWhere('verdict', '=', 'broken').as('broken'),
      all.filterWhere('isHeld', '=', true).as('held'),
      all.filterWhere('sent', '>', 0).as('sent'),
      all.filterWhere('closedAt', 'is not', null).as('closed'),
      selectFrom('some')
        .select(eb.fn.countAll<number>().as('total'))
        .$asScalar()
        .$notNull()
        .as('total'),
      jsonArrayFrom(
        selectFrom('some as s')
          .selectAll('s')
          .$call(by('s.merchant', 's.period desc'))
          .limit(limit)
          .offset(offset),
      ).as('items'),
    ];
  });
  const { total, items, ...counts } = (await ask(store.pool, list)).rows[0]!;
  const shown = items as readonly ListedMonth[];
  const openRoots = await loadOpenRoots(store, shown);
  const records = shown.map(({ merchantId: _, ...month }): MonthRecord => {
    return { ...month, openRoots: openRoots.get(month.reportId) ?? null };
  });
  return { period, counts, total, items: records };
}

async function loadNewestMonth(store: Store): Promise<string | null> {
  const load = build
    .selectFrom('reports')
    .select(({ fn }) => fn.max<string | null>('period').as('period'))
    .where('status', '=', sql.lit('READY'));
  return (await ask(store.pool, load)).rows[0]!.period;
}

type Wanted = Pick<MonthQuery, 'merchant'> & { readonly period: string | null };

/**
 * Builds the relation `each`: the months with the numbers of their deliveries. These are the
 * report's own deliveries, `report/ID`, and those that a person asked for later, whose name has an
 * instant after that. The months are materialized first, because on a cluster the deliveries stay
 * on the coordinator.
 */
function monthsWithDeliveries(wanted: Wanted) {
  return build
    .with(
      (named) => named('issued').materialized(),
      () => issuedMonths(wanted),
    )
    .with('announced', (from) => {
      const all = build.fn.countAll<number>();
      return from
        .selectFrom('issued as i')
        .innerJoin('deliveries as d', (join) =>
          join
            .on('d.announces', '>=', sql<string>`'report/' || i."reportId"`)
            .on('d.announces', '<', sql<string>`'report/' || i."reportId" || '0'`),
        )
        .select([
          'i.reportId',
          all.as('deliveries'),
          all.filterWhere(sql`d.state`, '=', sql.lit('SUCCESS')).as('sent'),
          all.filterWhere(sql`d.state`, 'in', [...STUCK_STATES]).as('stuck'),
        ])
        .groupBy('i.reportId');
    })
    .with('each', (from) =>
      from
        .selectFrom('issued as i')
        .leftJoin('announced as a', 'a.reportId', 'i.reportId')
        .selectAll('i')
        .select(({ fn, lit }) => [
          fn.coalesce('a.deliveries', lit(0)).as('deliveries'),
          fn.coalesce('a.sent', lit(0)).as('sent'),
          fn.coalesce('a.stuck', lit(0)).as('stuck'),
        ]),
    );
}

/**
 * Selects the revision in force of each month. It looks up each merchant's reports by key, so that
 * it never scans all reports that were ever issued.
 */
function issuedMonths({ merchant, period }: Wanted) {
  return build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as o', 'o.merchant_id', 'm.merchant_id')
    .crossJoinLateral((from) =>
      from
        .selectFrom('reports')
        .distinctOn('period')
        .select(['period', 'report_id', 'revision', 'generated_at', 'verdict'])
        .whereRef('merchant_id', '=', 'o.merchant_id')
        .where('status', '=', sql.lit('READY'))
        .$if(period !== null, (some) => some.where('period', '=', period!))
        .$call(by('period desc', 'revision desc'))
        .as('r'),
    )
    .leftJoin('report_holds as h', (join) =>
      join
        .onRef('h.merchant_id', '=', 'o.merchant_id')
        .onRef('h.report_id', '=', 'r.report_id')
        .on('h.act', '=', sql.lit('held')),
    )
    .leftJoin('report_holds as l', (join) =>
      join
        .onRef('l.merchant_id', '=', 'o.merchant_id')
        .onRef('l.report_id', '=', 'r.report_id')
        .on('l.act', '=', sql.lit('released')),
    )
    .leftJoin('closed_months as c', (join) =>
      join.onRef('c.merchant_id', '=', 'o.merchant_id').onRef('c.period', '=', 'r.period'),
    )
    .select(({ and, eb, ref }) => [
      'o.merchant_id as merchantId',
      'm.reference as merchant',
      'r.period',
      'r.report_id as reportId',
      'r.revision',
      ref('r.generated_at').$notNull().as('statedAt'),
      ref('r.verdict').$castTo<Verdict>().as('verdict'),
      and([eb('h.act', 'is not', null), eb('l.act', 'is', null)])
        .$castTo<boolean>()
        .as('isHeld'),
      'l.acted_at as releasedAt',
      'l.acted_by as releasedBy',
      'l.reason as releaseReason',
      'c.closed_at as closedAt',
      'c.closed_by as closedBy',
    ])
    .$if(merchant !== undefined, (some) => some.where('m.reference', '=', merchant!));
}

/**
 * Counts, by report, the roots that the month was issued with, less those that a decision has ended
 * since.
 */
async function loadOpenRoots(
  store: Store,
  months: readonly ListedMonth[],
): Promise<ReadonlyMap<string, number | null>> {
  const load = build
    .selectFrom('reports as r')
    .select((from) => {
      const issued = from.fn<number | null>('jsonb_array_length', [
        sql`(r.issued -> 'openRoots')::jsonb`,
      ]);
      const ended = from
        .selectFrom(lastWords(from).as('w'))
        .select(from.fn.countAll<number>().as('count'))
        .where('w.action', 'in', [...ENDS]);
      return ['r.report_id as reportId', from.eb(issued, '-', ended).as('openRoots')];
    })
    .where(
      'r.merchant_id',
      '=',
      anyOf('bigint', [...new Set(months.map(({ merchantId }) => merchantId))]),
    )
    .where(
      'r.report_id',
      '=',
      anyOf(
        'uuid',
        months.map(({ reportId }) => reportId),
      ),
    );
  const { rows } = await ask(store.pool, load);
  return new Map(rows.map(({ reportId, openRoots }) => [reportId, openRoots]));
}
