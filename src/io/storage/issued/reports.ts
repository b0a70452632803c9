// Monthly reports in the store: from PENDING to READY or FAILED, and where they are held back from
// the merchant, its accountants and the folder until a person releases them. Refuses to change one
// that is READY or FAILED.

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
 * `id`: UUID. `periodEnd`: first instant after the month. `generatedAt`, `issued` (as it was given
 * to `issueReport`, its keys in their order) and `files` are of READY ones alone, `error` of FAILED
 * ones. `isHeld`: READY, and kept from all it is meant for until a person releases it.
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

/** Throws `StoreFailed` (UNKNOWN_MERCHANT). Called under the month's lock. */
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
 * Moves a PENDING report to FAILED. Throws `StoreFailed` (REPORT_TAKEN_OVER) when it is PENDING no
 * more.
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

/** Fails what a process that ended on the way has left PENDING. Called under the month's lock. */
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

/** The revision in force: the highest that is READY; null when the month was never issued. */
export async function loadIssuedReport(store: Store, key: MonthKey): Promise<ReportRecord | null> {
  const load = EACH.where('m.reference', '=', key.merchant)
    .where('r.period', '=', key.period)
    .where(isInForce);
  return (await ask(store.pool, load)).rows[0] ?? null;
}

/** Months that were issued, ascending. `end`: first instant after the month. */
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
 * Months whose revision in force is held, by merchant and month, with what was decided since; of
 * one merchant, or of all.
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
 * The last decision, before the issue or since, that moved each root that broke the month `r` of a
 * query.
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

/** After which a root weighs on the month no more. */
export const ENDS = ['settle', 'accept', 'resolve'] as const;

function isEnd(action: string): action is RootOutcome['action'] {
  return ENDS.some((end) => end === action);
}

/**
 * Every revision of every month of a merchant, newest first: the last attempt of each. What failed
 * before that attempt is left out.
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
 * Null when the merchant has no report of that id, even where another merchant has. `id` is a UUID.
 */
export async function findReport(
  store: Store,
  wanted: { readonly merchant: string; readonly id: string },
): Promise<ReportRecord | null> {
  const find = EACH.where('m.reference', '=', wanted.merchant).where('r.report_id', '=', wanted.id);
  return (await ask(store.pool, find)).rows[0] ?? null;
}

/** Within the transaction that issues the report. */
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
 * Of a report that is held: it is READY for its merchant from now on. Returns how many deliveries
 * of it are sent from now on.
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

/** Whether the report `r` of a query is held: released, it has both acts. */
function isHeld({ eb, selectFrom }: ExpressionBuilder<Database & { r: Database['reports'] }, 'r'>) {
  const acts = selectFrom('report_holds as a')
    .select(({ fn }) => fn.countAll<number>().as('acts'))
    .whereRef('a.merchant_id', '=', 'r.merchant_id')
    .whereRef('a.report_id', '=', 'r.report_id');
  return eb(acts, '=', sql.lit(1)).$castTo<boolean>();
}

/**
 * A person had the merchant's lines read anew, and since then no revision of the month that was
 * issued before went out, or was released.
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
