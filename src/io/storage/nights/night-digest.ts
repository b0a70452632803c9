// The digest of a night, gathered at its end: verdicts, new findings, all open findings. Takes the findings that were held for it
// out of the outbox in the same transaction, so that each is announced once.

import { sql } from 'kysely';
import type pg from 'pg';
import type { DeliveryContent, NightDigest, OpenRoot } from '../../../core/domain/delivery/delivery.ts';
import { type Item, SEVERITIES, type Verdict } from '../../../core/domain/finding.ts';
import { isIn } from '../conclusions/findings.ts';
import type { RunTotals } from '../conclusions/run-members.ts';
import { ask, build, type Queries } from '../server/ask.ts';

const MOST_MERCHANTS = 50;
const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/** Within the transaction that ends the night. */
export async function gatherDigest(
  client: pg.ClientBase,
  coverage: Omit<NightDigest, 'verdicts' | 'entriesAdded' | 'news' | 'moreNews' | 'open'>,
  { verdicts, entriesAdded }: RunTotals,
): Promise<NightDigest> {
  const news = await gatherFindings(client);
  return {
    ...coverage,
    verdicts,
    entriesAdded,
    news: news.slice(0, MOST_MERCHANTS),
    moreNews: Math.max(0, news.length - MOST_MERCHANTS),
    open: await gatherOpen(client),
  };
}

/** Confirmed and neither put right nor accepted, of all merchants. */
const OPEN = build
  .selectFrom('findings as f')
  .where('f.state', 'in', ['open', 'acknowledged'])
  .where('f.is_confirmed', '=', sql.lit(true));

const ROOTS = OPEN.where('f.is_root', '=', sql.lit(true));

/** With the names of its merchant and its first run. */
const NAMED = ROOTS.innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
  .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
  .select(['m.reference as merchant', 'f.fingerprint', 'r.started_at as since']);

const FOLLOWERS = OPEN.where('f.is_root', '=', sql.lit(false)).where(isIn('open', 'acknowledged'));

/** Amounts of two currencies are never compared: gives the largest of each. Of equals the merchant that was known first. */
export async function gatherOpen(client: Queries): Promise<NonNullable<NightDigest['open']>> {
  const count = ROOTS.select(({ fn, selectFrom }) => [
    ...SEVERITIES.map((one) => fn.countAll<number>().filterWhere('f.severity', '=', one).as(one)),
    selectFrom(FOLLOWERS.select('f.fingerprint').as('x'))
      .select(({ fn: of }) => of.countAll<number>().as('followers'))
      .$asScalar()
      .as('followers'),
  ]);
  const oldest = NAMED.orderBy('f.first_seen_run').orderBy('f.merchant_id').orderBy('f.fingerprint').limit(1);
  const currencies = ROOTS.select(({ ref }) => ref('f.currency').$notNull().as('currency')).distinct();
  const largest = build
    .selectFrom(currencies.where('f.currency', 'is not', null).as('c'))
    .innerJoinLateral(
      NAMED.select(sql<Item>`f.content -> 'item'`.as('item'))
        .where('f.currency', '=', sql.ref<string>('c.currency'))
        .where('f.amount_off', '>', sql.lit('0'))
        .orderBy('f.amount_off', 'desc')
        .orderBy('f.merchant_id')
        .orderBy('f.fingerprint')
        .limit(1)
        .as('x'),
      (join) => join.onTrue(),
    )
    .select(['x.merchant', 'x.fingerprint', 'x.since', 'x.item', 'c.currency'])
    .orderBy('c.currency');
  const counts = (await ask(client, count)).rows[0]!;
  const known: OpenRoot | undefined = (await ask(client, oldest)).rows[0];
  return { counts, oldest: known ?? null, largest: (await ask(client, largest)).rows };
}

/**
 * Includes findings that an earlier night concluded after its end. One item a merchant, however many were held for it; broken books
 * first, then by reference.
 */
async function gatherFindings(client: pg.ClientBase): Promise<NightDigest['news']> {
  const gather = build
    .updateTable('deliveries')
    .set({ state: 'GATHERED' })
    .where('state', '=', 'HELD')
    .where('topic', '=', 'findings')
    .returning(({ ref }) => ref('content').$castTo<Findings>().as('content'));
  const { rows } = await ask(client, gather);
  const byMerchant = new Map<string, Findings>();
  const held = new Map(rows.map(({ content }) => [`${content.runId}/${content.merchant}`, content]));
  for (const content of [...held.values()].sort((a, b) => a.runId - b.runId)) {
    const { findings = [], more = 0 } = byMerchant.get(content.merchant) ?? {};
    const joined = { findings: [...findings, ...content.findings], more: more + content.more };
    byMerchant.set(content.merchant, { ...content, ...joined });
  }
  const rank = ({ verdict }: Findings): number => WORST_FIRST.indexOf(verdict);
  return [...byMerchant.values()]
    .sort((a, b) => rank(a) - rank(b) || (a.merchant < b.merchant ? -1 : 1))
    .map(({ merchant, verdict, findings, more }) => ({ merchant, verdict, findings, more }));
}
