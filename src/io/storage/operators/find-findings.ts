// Finds findings for operators: across merchants, by their kind, money, state and other properties,
// a page at a time. Refuses to change any.

import {
  type ExpressionBuilder,
  type InferResult,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Database } from '../../../../sql/tables.d.ts';
import {
  type Finding,
  type FindingState,
  type FindingStatus,
  OPEN_STATES,
  type Severity,
} from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { earlierOf } from '../conclusions/changed-kinds.ts';
import {
  type FindingDecision,
  isIn,
  STATE,
  type StoredAction,
  VERBS,
} from '../conclusions/findings.ts';
import { merchantIdOf, profiled } from '../merchants/merchants.ts';
import { newestVersion } from '../mirror/read/recall.ts';
import {
  anyOf,
  ask,
  build,
  by,
  countOf,
  jsonText,
  type Listed,
  type Page,
  type Queries,
} from '../server/ask.ts';
import { type Store, StoreFailed } from '../server/store.ts';

export interface FindingQuery extends Page {
  readonly merchant?: string | undefined;
  readonly kind?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly state?: FindingState | undefined;
  readonly status?: FindingStatus | undefined;
  /** Only findings that were first seen by a run that began at or after this instant. */
  readonly since?: Instant | undefined;
  readonly before?: Instant | undefined;
  /** The country of the merchant, by its newest profile. */
  readonly country?: string | undefined;
  /** The mobile operator of the finding's operation. */
  readonly network?: string | undefined;
  /** Whole units, without sign. */
  readonly minimum?: { readonly amount: string; readonly currency: string } | undefined;
  readonly maximum?: { readonly amount: string; readonly currency: string } | undefined;
  readonly owner?: string | undefined;
  readonly label?: string | undefined;
  readonly operation?: string | undefined;
  /** A part of the reference of the finding's operation, in any case. */
  readonly text?: string | undefined;
  /** The fingerprint of a root: only findings that follow from it. */
  readonly causedBy?: string | undefined;
  /** Only open findings for which correcting entries are proposed. */
  readonly proposed?: boolean;
  /** Leave out findings that follow from another finding. */
  readonly rootsOnly?: boolean;
}

/** Selects the newest row of history of the query's finding `f` with one of these actions. */
function newest(actions: readonly StoredAction[]) {
  return build
    .selectFrom('finding_decisions as d')
    .select(({ ref }) =>
      jsonBuildObject({
        action: ref('d.action'),
        by: ref('d.decided_by'),
        reason: ref('d.reason'),
        at: ref('d.decided_at'),
      }).as('decision'),
    )
    .where('d.merchant_id', '=', sql.ref<number>('f.merchant_id'))
    .where('d.fingerprint', '=', sql.ref<string>('f.fingerprint'))
    .where('d.action', 'in', actions)
    .orderBy('d.decision_number', 'desc')
    .limit(1);
}

/**
 * The run that last saw the query's finding `f`: the stored one, or the newest run of its merchant
 * where none is stored.
 */
export const LAST_SEEN = build.fn.coalesce(
  sql.ref<number>('f.last_seen_run'),
  build
    .selectFrom('run_merchants as s')
    .select(({ fn }) => fn.max<number>('s.run_id').as('run'))
    .where('s.merchant_id', '=', sql.ref<number>('f.merchant_id')),
);

/** Findings of merchants, each with the runs that saw it first and last. */
const EACH = build
  .selectFrom('findings as f')
  .innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
  .leftJoin('runs as first', 'first.run_id', 'f.first_seen_run')
  .leftJoin('runs as last', (join) => join.on('last.run_id', '=', LAST_SEEN))
  .select(({ ref }) => [
    'm.reference as merchant',
    STATE.as('state'),
    'f.first_seen_run as firstSeenRun',
    'first.started_at as firstSeenAt',
    LAST_SEEN.as('lastSeenRun'),
    'last.started_at as lastSeenAt',
    ref('f.content').$castTo<Finding>().as('finding'),
    'f.currency',
    'f.owner',
    'f.labels',
    'f.due_on as dueOn',
    newest([...VERBS, 'resolve']).as('lastDecision'),
    newest(['comment']).as('lastComment'),
  ]);

/**
 * A finding as operators see it. `currency` is that of its amounts; `null` when it is not known.
 * `lastDecision` and `lastComment` are `null` when there is none. `dueOn` is the day that a person
 * set. `finding` is as the run `lastSeenRun` reported it.
 */
export type FoundFinding = InferResult<typeof EACH>[number];

/**
 * Removes the settlement or acceptance from a finding that a person has reopened, because the
 * content still has it until the next run reports the finding.
 */
function asItStands(found: FoundFinding): FoundFinding {
  if (found.state !== 'open') return found;
  return { ...found, finding: { ...found.finding, settledBy: null, accepted: null } };
}

/**
 * Finds a page of findings, with the number of all that match: the worst first, then by currency,
 * the most money first, then by merchant, line and fingerprint.
 */
export async function findFindings(
  store: Store,
  query: FindingQuery,
): Promise<Listed<FoundFinding>> {
  const matching = build.selectFrom('findings as f').where(conditionOf(query));
  const total = await countOf(store.pool, matching);
  const { limit, offset = 0 } = query;
  if (total <= offset) return { total, items: [] };
  const page = worstFirst(matching.select(['f.merchant_id', 'f.fingerprint']))
    .limit(limit)
    .offset(offset);
  const list = worstFirst(
    EACH.innerJoin(page.as('page'), (join) =>
      join
        .onRef('page.merchant_id', '=', 'f.merchant_id')
        .onRef('page.fingerprint', '=', 'f.fingerprint'),
    ),
  );
  return { total, items: (await ask(store.pool, list)).rows.map(asItStands) };
}

/**
 * Loads, in no order, what a decision about findings depends on: the amounts of each, and the
 * number of its newest decision, `null` when there is none.
 */
export async function loadStand(queries: Queries, query: Omit<FindingQuery, 'offset'>) {
  const load = build
    .selectFrom('findings as f')
    .innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
    .select(({ selectFrom }) => [
      'm.reference as merchant',
      'f.merchant_id as merchantId',
      'f.fingerprint',
      'f.currency',
      'f.amount_off as off',
      'f.concerned',
      selectFrom('finding_decisions as d')
        .select((of) => of.fn.max('d.decision_number').as('newest'))
        .whereRef('d.merchant_id', '=', 'f.merchant_id')
        .whereRef('d.fingerprint', '=', 'f.fingerprint')
        .$asScalar()
        .as('newest'),
    ])
    .where(conditionOf(query))
    .limit(query.limit);
  return (await ask(queries, load)).rows;
}

/**
 * Finds the findings with that fingerprint, by merchant. There is one, unless two merchants should
 * ever have the same fingerprint.
 */
export async function findByFingerprint(
  queries: Queries,
  wanted: { readonly fingerprint: string; readonly merchant?: string | undefined },
): Promise<readonly FoundFinding[]> {
  const find = EACH.where(conditionOf({ merchant: wanted.merchant, limit: 1 }))
    .where('f.fingerprint', '=', wanted.fingerprint)
    .orderBy('f.merchant_id');
  return (await ask(queries, find)).rows.map(asItStands);
}

/**
 * The one finding whose fingerprint begins with `prefix`, and its decisions, oldest first. Null
 * when there is none; throws `StoreFailed` (AMBIGUOUS_FINGERPRINT) when there are several.
 */
export async function loadFinding(
  store: Store,
  prefix: string,
): Promise<(FoundFinding & Histories) | null> {
  const find = EACH.where(({ fn, val }) =>
    fn<SqlBool>('starts_with', ['f.fingerprint', val(prefix)]),
  )
    .$call(by('f.fingerprint', 'f.merchant_id'))
    .limit(2);
  const { rows } = await ask(store.pool, find);
  const found = rows[0] && asItStands(rows[0]);
  if (found === undefined) return null;
  if (rows.length > 1) {
    throw new StoreFailed(
      'AMBIGUOUS_FINGERPRINT',
      `Several findings begin with ${prefix}: give more of the fingerprint.`,
    );
  }
  const { merchant, finding } = found;
  return {
    ...found,
    ...(await loadHistories(store, { merchant, fingerprint: finding.fingerprint })),
  };
}

export interface Histories {
  /** The decisions about the finding, oldest first. */
  readonly decisions: readonly FindingDecision[];
  /** The decisions about the findings that it succeeded, oldest first. */
  readonly earlier: readonly FindingDecision[];
}

export async function loadHistories(
  store: Store,
  of: { readonly merchant: string; readonly fingerprint: string },
): Promise<Histories> {
  return { decisions: await loadDecisions(store, of), earlier: await loadEarlier(store, of) };
}

/**
 * Finds at most 50 findings of a merchant, the worst first: those that name the operation, and
 * those at one of these lines.
 */
export async function findNaming(
  store: Store,
  named: {
    readonly merchant: string;
    readonly reference: string | null;
    readonly sequences: readonly number[];
  },
): Promise<readonly FoundFinding[]> {
  const evidence = JSON.stringify([{ reference: named.reference }]);
  const find = EACH.where('f.merchant_id', '=', merchantIdOf(named.merchant)).where(({ eb, or }) =>
    or([
      eb(jsonText('f.content', 'operationReference'), '=', named.reference),
      eb(jsonText('f.content', 'sequence'), '=', anyOf('text', named.sequences.map(String))),
      ...(named.reference === null
        ? []
        : [sql<SqlBool>`f.content -> 'evidence' @> ${evidence}::jsonb`]),
    ]),
  );
  return (await ask(store.pool, worstFirst(find).limit(50))).rows.map(asItStands);
}

async function loadDecisions(
  store: Store,
  of: { readonly merchant: string; readonly fingerprint: string },
): Promise<readonly FindingDecision[]> {
  const own = HISTORY.where(({ and }) =>
    and({ 'd.merchant_id': merchantIdOf(of.merchant), 'd.fingerprint': of.fingerprint }),
  );
  return (await ask(store.pool, own.$call(by('d.decision_number')))).rows;
}

async function loadEarlier(
  store: Store,
  of: { readonly merchant: string; readonly fingerprint: string },
): Promise<readonly FindingDecision[]> {
  const earlier = await earlierOf(store.pool, of);
  if (earlier.length === 0) return [];
  const load = HISTORY.where('d.merchant_id', '=', merchantIdOf(of.merchant))
    .where('d.fingerprint', '=', anyOf('text', earlier))
    .$call(by('d.decided_at', 'd.decision_number'));
  return (await ask(store.pool, load)).rows;
}

const HISTORY = build
  .selectFrom('finding_decisions as d')
  .select(({ ref }) => [
    'd.action',
    ref('d.state_before').$castTo<FindingState>().as('stateBefore'),
    ref('d.state_after').$castTo<FindingState>().as('stateAfter'),
    'd.reason',
    'd.decided_by as by',
    'd.decided_at as at',
    ref('d.terms').$castTo<FindingDecision['terms']>().as('terms'),
    'd.run_id as runId',
  ]);

/** Sorts findings in the order of the index findings_worst. */
function worstFirst<Tables, In extends keyof Tables, Row>(
  findings: SelectQueryBuilder<Tables, In, Row>,
) {
  return findings
    .orderBy(sql`array_position(array['critical', 'error', 'warning', 'info'], f.severity)`)
    .orderBy(sql`f.currency`)
    .orderBy(WORTH, 'desc')
    .orderBy(sql`f.merchant_id`)
    .orderBy(sql`f.sequence`)
    .orderBy(sql`f.fingerprint`);
}

/**
 * The amount by which findings are sorted: how much a root puts figures off, or the amount it is
 * about, whichever is larger. Whole units without sign.
 */
const WORTH = sql<string>`greatest(f.amount_off, f.concerned)`;

/**
 * Sums the amounts of these roots of a merchant, whatever their state. `currency` is `null` when
 * they have no common one.
 */
export async function weighRoots(
  store: Store,
  {
    merchant,
    fingerprints,
  }: { readonly merchant: string; readonly fingerprints: readonly string[] },
): Promise<{ readonly amount: bigint; readonly currency: string | null }> {
  const weigh = build
    .selectFrom('findings as f')
    .select(({ fn }) => [
      fn.coalesce(fn.sum<string>(WORTH), sql<string>`0`).as('amount'),
      sql<string | null>`case when ${ONE_CURRENCY} then min(f.currency) end`.as('currency'),
    ])
    .where(({ and }) =>
      and({
        'f.merchant_id': merchantIdOf(merchant),
        'f.fingerprint': anyOf('text', fingerprints),
      }),
    );
  const { amount, currency } = (await ask(store.pool, weigh)).rows[0]!;
  return { amount: BigInt(amount), currency };
}

const ONE_CURRENCY = sql`count(f.currency) = count(*) and min(f.currency) = max(f.currency)`;

const OPERATION = jsonText('f.content', 'operationReference');

function operationsOver(network: string) {
  const newest = newestVersion(sql.ref<number>('f.merchant_id'), {
    reference: OPERATION.$notNull(),
  });
  return build.selectFrom(newest.as('o')).select('o.version').where('o.operator', '=', network);
}

function conditionOf(query: FindingQuery) {
  const { merchant, state, severity, kind, status, since, before, causedBy, rootsOnly } = query;
  const { country, network, minimum, maximum, owner, label, operation, text, proposed } = query;
  const runs = build.selectFrom('runs').select('run_id');
  return ({
    and,
    eb,
    exists,
  }: ExpressionBuilder<Database & { readonly f: Database['findings'] }, 'f'>) => {
    const conditions = [
      merchant === undefined ? null : eb('f.merchant_id', '=', merchantIdOf(merchant)),
      state === undefined ? null : rootsOnly === true ? eb('f.state', '=', state) : isIn(state),
      severity === undefined ? null : eb('f.severity', '=', severity),
      kind === undefined ? null : eb('f.kind', '=', kind),
      status === undefined ? null : eb('f.is_confirmed', '=', sql.lit(status === 'confirmed')),
      since === undefined
        ? null
        : eb('f.first_seen_run', 'in', runs.where('started_at', '>=', since)),
      before === undefined
        ? null
        : eb('f.first_seen_run', 'in', runs.where('started_at', '<', before)),
      country === undefined ? null : eb(profiled('country', 'f'), '=', country),
      network === undefined ? null : exists(operationsOver(network)),
      minimum === undefined
        ? null
        : and([eb('f.currency', '=', minimum.currency), eb(WORTH, '>=', minimum.amount)]),
      maximum === undefined
        ? null
        : and([eb('f.currency', '=', maximum.currency), eb(WORTH, '<=', maximum.amount)]),
      owner === undefined ? null : eb('f.owner', '=', owner),
      label === undefined ? null : eb(sql<string>`${label}`, '=', sql<string>`any (f.labels)`),
      operation === undefined ? null : eb(OPERATION, '=', operation),
      text === undefined
        ? null
        : eb(sql<number>`strpos(lower(${OPERATION}), lower(${text}))`, '>', 0),
      causedBy === undefined ? null : eb('f.caused_by', '=', causedBy),
      proposed === true ? eb('f.state', 'in', OPEN_STATES) : null,
      proposed === true ? sql<SqlBool>`jsonb_typeof(f.content -> 'proposal') = 'array'` : null,
      rootsOnly === true ? eb('f.is_root', '=', sql.lit(true)) : null,
    ];
    return and(conditions.filter((condition) => condition !== null));
  };
}
