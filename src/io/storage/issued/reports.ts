// Monthly reports in the store: they move from PENDING to READY or FAILED. A READY report may be
// held: the merchant, its accountants and the folder do not get it until a person releases it.
// Refuses to change a report that is READY or FAILED.

import { type ExpressionBuilder, type InferResult, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import type {
  HeldMonth,
  RootOutcome,
  StoredFile,
} from '../../../core/domain/delivery/delivery-channel.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { releaseHeld } from '../deliveries/outbox.ts';
import { merchantIdOf, requireMerchant } from '../merchants/merchants.ts';
import { ask, build, by } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableNullable, storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';

const EACH = build
  .selectFrom('reports as r')
  .innerJoin('merchants as m', 'm.merchant_id', 'r.merchant_id')
  .select((from) => [
    'r.report_id as id',
    'm.reference as merchant',
    'r.period',
    'r.revision',
    'r.status',
    'r.period_label as periodLabel',
    'r.period_start as periodStart',
    'r.period_end as periodEnd',
    'r.requested_at as requestedAt',
    'r.generated_at as generatedAt',
    'r.error',
    'r.issued',
    isHeld(from).as('isHeld'),
    jsonArrayFrom(
      from
        .selectFrom('report_files as f')
        .select([
          'f.format',
          'f.file_name as fileName',
          'f.media_type as mediaType',
          'f.size',
          'f.sha256',
        ])
        .whereRef('f.merchant_id', '=', 'r.merchant_id')
        .whereRef('f.report_id', '=', 'r.report_id')
        .orderBy('f.format'),
    ).as('files'),
  ]);

/**
 * A report. `id` is a UUID. `periodEnd` is the first instant after the month. Only READY reports
 * have `generatedAt`, `issued` (as it was given to `issueReport`, its keys in their order) and
 * `files`; only FAILED ones have `error`. `isHeld` is true when the report is READY but kept from
 * all its receivers until a person releases it.
 */
export type ReportRecord = InferResult<typeof EACH>[number];

export interface ReportFile extends StoredFile {
  /** Name of the format: `pdf`. */
  readonly format: string;
}

export type NewReport = Pick<
  ReportRecord,
  | 'id'
  | 'merchant'
  | 'period'
  | 'revision'
  | 'periodLabel'
  | 'periodStart'
  | 'periodEnd'
  | 'requestedAt'
>;

/**
 * Adds a PENDING report. The caller must hold the month's lock. Throws `StoreFailed`
 * (UNKNOWN_MERCHANT).
 */
export async function beginReport(store: Store, report: NewReport): Promise<ReportRecord> {
  const { id, merchant, period, revision, periodLabel, periodStart, periodEnd, requestedAt } =
    report;
  const of = { merchant_id: await requireMerchant(store, merchant), period, revision };
  const attempt = build
    .selectFrom('reports')
    .select(({ eb, fn, lit }) => eb(fn.coalesce(fn.max('attempt'), lit(0)), '+', 1).as('attempt'))
    .where(({ and }) => and(of));
  const begin = build.insertInto('reports').values({
    ...of,
    ...(await ask(store.pool, attempt)).rows[0]!,
    report_id: id,
    status: 'PENDING',
    period_label: periodLabel,
    period_start: periodStart,
    period_end: periodEnd,
    requested_at: requestedAt,
  });
  await ask(store.pool, begin);
  return {
    ...report,
    status: 'PENDING',
    generatedAt: null,
    error: null,
    issued: null,
    isHeld: false,
    files: [],
  };
}

/**
 * Moves a PENDING report to FAILED. Throws `StoreFailed` (REPORT_TAKEN_OVER) when the report is no
 * longer PENDING.
 */
export async function failReport(
  store: Store,
  report: ReportRecord,
  error: string,
): Promise<ReportRecord> {
  const said = storableText(error);
  const fail = pendingOf(report.merchant)
    .set({ status: 'FAILED', error: said })
    .where('report_id', '=', report.id);
  if ((await ask(store.pool, fail)).count !== 1) throw takenOver(report);
  return { ...report, status: 'FAILED', error: said };
}

/**
 * Moves to FAILED every report of the month that is PENDING because its process died. The caller
 * must hold the month's lock.
 */
export async function failAbandoned(store: Store, key: MonthKey, error: string): Promise<void> {
  const { merchant, period } = key;
  await ask(
    store.pool,
    pendingOf(merchant).set({ status: 'FAILED', error }).where('period', '=', period),
  );
}

function pendingOf(merchant: string) {
  return build
    .updateTable('reports')
    .where('merchant_id', '=', merchantIdOf(merchant))
    .where('status', '=', 'PENDING');
}

export function takenOver(report: ReportRecord): StoreFailed {
  return new StoreFailed(
    'REPORT_TAKEN_OVER',
    `Report ${report.id} is no longer PENDING; nothing of it was saved.`,
  );
}

/**
 * Loads the revision of a month that is in force: the highest one that is READY. Returns `null`
 * when the month was never issued.
 */
export async function loadIssuedReport(store: Store, key: MonthKey): Promise<ReportRecord | null> {
  const load = EACH.where('m.reference', '=', key.merchant)
    .where('r.period', '=', key.period)
    .where(isInForce);
  return (await ask(store.pool, load)).rows[0] ?? null;
}

/**
 * Lists the months that were issued, the earliest first. `end` is the first instant after the
 * month.
 */
export async function listIssuedMonths(store: Store, merchant: string) {
  const list = build
    .selectFrom('reports as r')
    .innerJoin('merchants as m', 'm.merchant_id', 'r.merchant_id')
    .select(['r.period', 'r.period_start as start', 'r.period_end as end'])
    .where('m.reference', '=', merchant)
    .where(isInForce)
    .orderBy('r.period');
  return (await ask(store.pool, list)).rows;
}

function isInForce({
  and,
  eb,
  exists,
  not,
  selectFrom,
}: ExpressionBuilder<Database & Reports, 'r'>) {
  const later = selectFrom('reports as later')
    .select('later.revision')
    .whereRef('later.merchant_id', '=', 'r.merchant_id')
    .whereRef('later.period', '=', 'r.period')
    .whereRef('later.revision', '>', 'r.revision')
    .where('later.status', '=', 'READY');
  return and([eb('r.status', '=', 'READY'), not(exists(later))]);
}

export interface Reports {
  readonly r: Database['reports'];
}

/**
 * Lists months whose revision in force is held, by merchant and month, of one merchant or of all.
 * `since` holds the decisions that have ended roots of the month; `open` is the number of roots
 * that are left, or `null` when the statement does not name its roots.
 */
export async function listHeldMonths(
  store: Store,
  merchant: string | null = null,
): Promise<readonly HeldMonth[]> {
  const list = build
    .selectFrom('report_holds as h')
    .innerJoin('reports as r', (join) =>
      join.onRef('r.merchant_id', '=', 'h.merchant_id').onRef('r.report_id', '=', 'h.report_id'),
    )
    .innerJoin('merchants as m', 'm.merchant_id', 'h.merchant_id')
    .select((from) => [
      'm.reference as merchant',
      'r.period',
      sql<readonly string[] | null>`r.issued -> 'openRoots'`.as('roots'),
      jsonArrayFrom(lastWords(from)).as('words'),
    ])
    .where('h.act', '=', sql.lit('held'))
    .where(isHeld)
    .where(isInForce)
    .$call(by('m.reference', 'r.period'));
  const asked = merchant === null ? list : list.where('m.reference', '=', merchant);
  const { rows } = await ask(store.pool, asked);
  return rows.map(({ roots, words, ...month }) => {
    const since = words.flatMap(({ run, action, by, ...word }): readonly RootOutcome[] =>
      isEnd(action) ? [{ ...word, action, by: run === null ? by : null }] : [],
    );
    return { ...month, open: roots === null ? null : roots.length - since.length, since };
  });
}

/**
 * Selects, for each root that broke the query's month `r`, the last decision that moved it, be it
 * from before the issue or later.
 */
export function lastWords({ selectFrom }: ExpressionBuilder<Database & Reports, 'r'>) {
  return selectFrom('finding_decisions as d')
    .distinctOn('d.fingerprint')
    .select([
      'd.fingerprint',
      'd.action',
      'd.decided_by as by',
      'd.reason',
      'd.decided_at as at',
      'd.run_id as run',
    ])
    .whereRef('d.merchant_id', '=', 'r.merchant_id')
    .where(sql<boolean>`(r.issued -> 'openRoots')::jsonb ? d.fingerprint`)
    .where('d.action', 'in', ['settle', 'accept', 'reopen', 'resolve'])
    .$call(by('d.fingerprint', 'd.decision_number desc'));
}

/** Actions after which a root no longer weighs on the month. */
export const ENDS = ['settle', 'accept', 'resolve'] as const;

function isEnd(action: string): action is RootOutcome['action'] {
  return ENDS.some((end) => end === action);
}

/**
 * Lists every revision of every month of a merchant, newest first, each by its last attempt:
 * attempts that failed before it are left out.
 */
export async function listReports(
  store: Store,
  merchant: string,
): Promise<readonly ReportRecord[]> {
  const list = EACH.where('m.reference', '=', merchant)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('reports as later')
            .select('later.attempt')
            .whereRef('later.merchant_id', '=', 'r.merchant_id')
            .whereRef('later.period', '=', 'r.period')
            .whereRef('later.revision', '=', 'r.revision')
            .whereRef('later.attempt', '>', 'r.attempt'),
        ),
      ),
    )
    .$call(by('r.requested_at desc', 'r.period desc', 'r.revision desc'));
  return (await ask(store.pool, list)).rows;
}

/** READY reports without a file of that format, oldest first, at most 500. */
export async function listWithout(store: Store, format: string): Promise<readonly ReportRecord[]> {
  const list = EACH.where('r.status', '=', 'READY')
    .where(({ exists, not, selectFrom }) => {
      const ofReport = selectFrom('report_files as f')
        .select('f.format')
        .where('f.format', '=', format);
      const own = ofReport
        .whereRef('f.merchant_id', '=', 'r.merchant_id')
        .whereRef('f.report_id', '=', 'r.report_id');
      return not(exists(own));
    })
    .$call(by('r.generated_at', 'r.report_id'))
    .limit(500);
  return (await ask(store.pool, list)).rows;
}

/**
 * Finds a merchant's report. `id` must be a UUID. Returns `null` when this merchant has no report
 * of that id, even if another merchant has.
 */
export async function findReport(
  store: Store,
  wanted: { readonly merchant: string; readonly id: string },
): Promise<ReportRecord | null> {
  const find = EACH.where('m.reference', '=', wanted.merchant).where('r.report_id', '=', wanted.id);
  return (await ask(store.pool, find)).rows[0] ?? null;
}

/** Holds a report back. Must run in the transaction that issues it. */
export async function holdReport(
  client: pg.ClientBase,
  {
    merchantId,
    id,
    at,
  }: { readonly merchantId: number; readonly id: string; readonly at: Instant },
): Promise<void> {
  const row = { merchant_id: merchantId, report_id: id, act: 'held', acted_at: at } as const;
  await ask(client, build.insertInto('report_holds').values(row));
}

/**
 * Releases a held report, so that it is READY for its merchant from now on. Returns the number of
 * its deliveries that become due by this.
 */
export async function releaseReport(
  store: Store,
  report: MonthKey & { readonly id: string },
  {
    by,
    reason,
    now,
  }: { readonly by: string; readonly reason: string | null; readonly now: Instant },
): Promise<number> {
  const merchant_id = await requireMerchant(store, report.merchant);
  return inTransaction(store, async (client) => {
    const release = build
      .insertInto('report_holds')
      .values({
        merchant_id,
        report_id: report.id,
        act: 'released',
        acted_at: now,
        acted_by: storableText(by),
        reason: storableNullable(reason),
      })
      .onConflict((conflict) => conflict.doNothing());
    await ask(client, release);
    return releaseHeld(client, report, now);
  });
}

/**
 * A condition that the query's report `r` is held: it has the act `held` and not the act
 * `released`, so one act.
 */
function isHeld({ eb, selectFrom }: ExpressionBuilder<Database & { r: Database['reports'] }, 'r'>) {
  const acts = selectFrom('report_holds as a')
    .select(({ fn }) => fn.countAll<number>().as('acts'))
    .whereRef('a.merchant_id', '=', 'r.merchant_id')
    .whereRef('a.report_id', '=', 'r.report_id');
  return eb(acts, '=', sql.lit(1)).$castTo<boolean>();
}

/**
 * Returns whether a person has had the merchant's lines read anew since the month was last issued,
 * not counting revisions that are still held. Returns false when there is no such revision.
 */
export async function wasRereadSinceIssue(
  store: Store,
  { merchant, period }: MonthKey,
): Promise<boolean> {
  const issued = build
    .selectFrom('reports as r')
    .select(({ fn }) => fn.max('r.generated_at').as('at'))
    .where(({ and }) =>
      and({ 'r.merchant_id': merchantIdOf(merchant), 'r.period': period, 'r.status': 'READY' }),
    )
    .where((from) => from.not(isHeld(from)));
  const find = build
    .selectFrom('ledger_rereads')
    .select('reread')
    .where('merchant_id', '=', merchantIdOf(merchant))
    .where('decided_at', '>', issued)
    .limit(1);
  return (await ask(store.pool, find)).rows.length > 0;
}
