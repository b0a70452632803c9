// What a night came to, gathered when it ends: verdicts, what is new, what is open, new or not. The findings that were held for it are taken out
// of the outbox in the same transaction, so that each is told once.

import { sql } from 'kysely';
import type pg from 'pg';
import type { DeliveryContent, NightDigest, OpenRoot } from '../../../core/domain/delivery/delivery.ts';
import { type Item, SEVERITIES, type Severity, type Verdict } from '../../../core/domain/finding.ts';
import { CURRENCY, MONEY } from '../conclusions/findings.ts';
import { anyOf, ask, build, jsonText } from '../server/ask.ts';

const MOST_MERCHANTS = 50;
const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/** Within the transaction that ends the night. */
export async function gatherDigest(
  client: pg.ClientBase,
  coverage: Omit<NightDigest, 'verdicts' | 'entriesAdded' | 'news' | 'moreNews' | 'open'>,
): Promise<NightDigest> {
  const { runId } = coverage;
  const verdicts = build
    .selectFrom('run_members')
    .select(({ cast, fn, lit }) => [
      'verdict',
      fn.countAll<number>().as('merchants'),
      cast<number>(fn.coalesce(fn.sum('entries_added'), lit(0)), 'bigint').as('entries'),
    ])
    .where('run_id', '=', runId)
    .where('verdict', 'is not', null)
    .groupBy('verdict');
  const judged = (await ask(client, verdicts)).rows;
  const count = (verdict: Verdict): number => judged.find((row) => row.verdict === verdict)?.merchants ?? 0;
  const news = await gatherFindings(client);
  return {
    ...coverage,
    verdicts: { clean: count('clean'), broken: count('broken'), incomplete: count('incomplete') },
    entriesAdded: judged.reduce((sum, { entries }) => sum + entries, 0),
    news: news.slice(0, MOST_MERCHANTS),
    moreNews: Math.max(0, news.length - MOST_MERCHANTS),
    open: await gatherOpen(client),
  };
}

const CAUSE = jsonText('f.content', 'causedBy');

/** Whatever is confirmed and neither put right nor accepted, of all merchants. */
const OPEN = build
  .selectFrom('findings as f')
  .where('f.state', '=', anyOf('text', ['open', 'acknowledged']))
  .where(jsonText('f.content', 'status'), '=', 'confirmed');

const OPEN_ROOTS = OPEN.innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
  .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
  .where(CAUSE, 'is', null)
  .select(['m.reference as merchant', 'f.fingerprint', 'r.started_at as since']);

/** Amounts of two currencies are never held against each other: the largest of each. */
async function gatherOpen(client: pg.ClientBase): Promise<NonNullable<NightDigest['open']>> {
  const count = OPEN.select(({ fn }) => {
    const all = fn.countAll<number>();
    const rootsOf = (severity: Severity) =>
      all.filterWhere(CAUSE, 'is', null).filterWhere('severity', '=', severity).as(severity);
    return [...SEVERITIES.map(rootsOf), all.filterWhere(CAUSE, 'is not', null).as('followers')];
  });
  const oldest = OPEN_ROOTS.orderBy('f.first_seen_run').orderBy('m.reference').orderBy('f.fingerprint').limit(1);
  const weighed = OPEN_ROOTS.select([
    sql<Item>`f.content -> 'item'`.as('item'),
    MONEY.as('money'),
    CURRENCY.as('currency'),
  ]);
  const largest = build
    .selectFrom(weighed.as('x'))
    .distinctOn('x.currency')
    .select(({ ref }) => ['merchant', 'fingerprint', 'since', 'item', ref('x.currency').$notNull().as('currency')])
    .where('x.currency', 'is not', null)
    .where('x.money', '>', sql.lit('0'))
    .orderBy('x.currency')
    .orderBy('x.money', 'desc')
    .orderBy('x.merchant')
    .orderBy('x.fingerprint');
  const counts = (await ask(client, count)).rows[0]!;
  const known: OpenRoot | undefined = (await ask(client, oldest)).rows[0];
  return { counts, oldest: known ?? null, largest: (await ask(client, largest)).rows };
}

/**
 * Also what was concluded for an earlier night after that had ended. One a merchant, however many they were held for; broken
 * books first, then by reference.
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
  const told = new Map(rows.map(({ content }) => [`${content.runId}/${content.merchant}`, content]));
  for (const content of [...told.values()].sort((a, b) => a.runId - b.runId)) {
    const { findings = [], more = 0 } = byMerchant.get(content.merchant) ?? {};
    const joined = { findings: [...findings, ...content.findings], more: more + content.more };
    byMerchant.set(content.merchant, { ...content, ...joined });
  }
  const rank = ({ verdict }: Findings): number => WORST_FIRST.indexOf(verdict);
  return [...byMerchant.values()]
    .sort((a, b) => rank(a) - rank(b) || (a.merchant < b.merchant ? -1 : 1))
    .map(({ merchant, verdict, findings, more }) => ({ merchant, verdict, findings, more }));
}
