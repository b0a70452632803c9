// How many confirmed roots there are and how much money they concern, by currency, state and age,
// and which open roots are oldest and largest. One query over a partial index gives all counts; a
// few more fetch single roots.

import { sql } from 'kysely';
import type { OpenFindings, OpenRoot } from '../../../core/domain/delivery/delivery.ts';
import {
  type Item,
  isOpen,
  OPEN_STATES,
  SEVERITIES,
  type Severity,
} from '../../../core/domain/finding.ts';
import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { AGE_BEGINS, AGES, EXPOSED_STATES, type Exposure } from '../../../core/domain/measures.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { ask, build, by, type Queries } from '../server/ask.ts';
import { rootIn } from './findings.ts';

/**
 * The exposure of the roots of one currency, state and age. `severities` counts the roots by
 * severity; a severity without roots is absent.
 */
export type RootExposure = Exposure & {
  readonly severities: Readonly<Partial<Record<Severity, number>>>;
};

/**
 * Loads one row for each currency, state and age that has roots, sorted in this order. An unknown
 * currency comes last.
 */
export async function loadExposure(
  client: Queries,
  { merchant, at }: { readonly merchant?: string | undefined; readonly at: Instant },
): Promise<readonly RootExposure[]> {
  const roots = build
    .selectFrom('findings as f')
    .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
    .select(({ fn, ref }) => [
      'f.currency',
      ref('f.state').$castTo<Exposure['state']>().as('state'),
      'f.severity',
      ...LATER_AGES.map((age, i) => isBefore(at - AGE_BEGINS[i]! * DAY).as(age)),
      fn.countAll<number>().as('findings'),
      fn.sum('f.amount_off').as('off'),
      fn.sum('f.concerned').as('concerned'),
    ])
    .where(({ and }) => and({ 'f.is_root': sql.lit(true), 'f.is_confirmed': sql.lit(true) }))
    .where('f.state', '<>', sql.lit('resolved'))
    .groupBy(['f.currency', 'f.state', 'f.severity', ...LATER_AGES]);
  const query = build
    .selectFrom(
      (merchant === undefined
        ? roots
        : roots.where('f.merchant_id', '=', merchantIdOf(merchant))
      ).as('x'),
    )
    .select(({ cast, fn }) => [
      'x.currency',
      'x.state',
      AGE.as('age'),
      cast<number>(fn.sum('x.findings'), 'bigint').as('findings'),
      fn.sum<string>('x.off').as('off'),
      fn.coalesce(fn.sum<string>('x.concerned'), sql<string>`0`).as('concerned'),
      fn
        .agg<RootExposure['severities']>('json_object_agg', ['x.severity', 'x.findings'])
        .as('severities'),
    ])
    .groupBy(['x.currency', 'x.state', 'age'])
    .orderBy('x.currency')
    .orderBy(sql`array_position(${sql.lit(STATES)}::text[], x.state)`)
    .orderBy('age');
  const { rows } = await ask(client, query);
  return rows.map(({ age, ...row }): RootExposure => {
    const amounts = row.currency === null ? { off: null, concerned: null } : {};
    return { ...row, ...amounts, age: AGES[age]! };
  });
}

const STATES = `{${EXPOSED_STATES.join()}}`;

/**
 * The ages after the youngest. Each is a boolean column that is true when the root has reached that
 * age. They are booleans because PostgreSQL knows that a condition has two values, and so expects
 * few groups.
 */
const LATER_AGES = AGES.slice(1);

/** The index of the root's age in AGES: the number of later ages that the root has reached. */
const AGE = sql.join<number>(
  LATER_AGES.map((age) => sql`${sql.ref(age)}::integer`),
  sql` + `,
);

function isBefore(at: Instant) {
  return sql<boolean>`coalesce(f.item_at, r.started_at) <= ${at}::bigint`;
}

/**
 * Selects confirmed findings that are neither resolved, settled nor accepted, of all merchants or
 * of one.
 */
function openOf(merchant: string | undefined) {
  return build
    .selectFrom('findings as f')
    .where('f.state', 'in', OPEN_STATES)
    .where('f.is_confirmed', '=', sql.lit(true))
    .$if(merchant !== undefined, (all) => all.where('f.merchant_id', '=', merchantIdOf(merchant!)));
}

/**
 * Counts the open findings of `exposure` and loads the oldest open root, and the largest of each
 * currency, because amounts of two currencies are never compared. Among equals, the root of the
 * merchant that the store knew first is chosen. `exposure` must be that of `merchant`, or of all
 * merchants.
 */
export async function loadOpen(
  client: Queries,
  exposure: readonly RootExposure[],
  merchant?: string,
): Promise<OpenFindings> {
  const open = exposure.filter(isOpen);
  const countOf = (severity: Severity) =>
    open.reduce((sum, { severities }) => sum + (severities[severity] ?? 0), 0);
  const counts = Object.fromEntries(SEVERITIES.map((one) => [one, countOf(one)])) as Record<
    Severity,
    number
  >;
  const following = openOf(merchant)
    .where('f.is_root', '=', sql.lit(false))
    .where(({ exists, not }) => not(exists(rootIn(['settled', 'accepted']))))
    .select(({ fn }) => fn.countAll<number>().as('followers'));
  const { followers } = (await ask(client, following)).rows[0]!;
  // Open roots with the names of their merchants and the instant at which they were first seen.
  const named = openOf(merchant)
    .where('f.is_root', '=', sql.lit(true))
    .innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
    .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
    .select(['m.reference as merchant', 'f.fingerprint', 'r.started_at as since']);
  const first = named
    .orderBy('f.first_seen_run')
    .orderBy('f.merchant_id')
    .orderBy('f.fingerprint')
    .limit(1);
  const oldest: OpenRoot | undefined = (await ask(client, first)).rows[0];
  const weighed = named
    .select(({ ref }) => [
      sql<Item>`f.content -> 'item'`.as('item'),
      ref('f.currency').$notNull().as('currency'),
    ])
    .where('f.amount_off', '>', sql.lit('0'))
    .$call(by('f.amount_off desc', 'f.merchant_id', 'f.fingerprint'))
    .limit(1);
  const largest = [];
  for (const currency of new Set(open.flatMap((one) => one.currency ?? [])))
    largest.push(...(await ask(client, weighed.where('f.currency', '=', currency))).rows);
  return { counts: { ...counts, followers }, oldest: oldest ?? null, largest };
}

const MOST_OWNERS = 10;

const OWNERS = openOf(undefined)
  .select(({ fn, ref }) => [
    ref('f.owner').$notNull().as('owner'),
    fn.countAll<number>().as('findings'),
  ])
  .where('f.is_root', '=', sql.lit(true))
  .where('f.owner', 'is not', null)
  .groupBy('f.owner')
  .$call(by('findings desc', 'f.owner'))
  .limit(MOST_OWNERS);

/** Counts open roots by owner, the owner with the most roots first. At most MOST_OWNERS owners. */
export async function countOwners(client: Queries) {
  return (await ask(client, OWNERS)).rows;
}
