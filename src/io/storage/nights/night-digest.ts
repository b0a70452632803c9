// The digest of a night, gathered at its end: verdicts, new findings, all open findings. Takes the findings that were held for it
// out of the outbox in the same transaction, so that each is announced once.

import { sql } from 'kysely';
import type pg from 'pg';
import type { DeliveryContent, NightDigest, OpenRoot } from '../../../core/domain/delivery/delivery.ts';
import { type Item, SEVERITIES, type Severity, type Verdict } from '../../../core/domain/finding.ts';
import { STATE } from '../conclusions/findings.ts';
import type { RunTotals } from '../conclusions/run-members.ts';
import { anyOf, ask, build, jsonText, type Queries } from '../server/ask.ts';

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

const CAUSE = jsonText('f.content', 'causedBy');

/** Confirmed and neither put right nor accepted, of all merchants. */
const OPEN = build
  .selectFrom('findings as f')
  .where('f.state', '=', anyOf('text', ['open', 'acknowledged']))
  .where(STATE, '=', anyOf('text', ['open', 'acknowledged']))
  .where(jsonText('f.content', 'status'), '=', 'confirmed');

const OPEN_ROOTS = OPEN.innerJoin('merchants as m', 'm.merchant_id', 'f.merchant_id')
  .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
  .where(CAUSE, 'is', null)
  .select(['m.reference as merchant', 'f.fingerprint', 'r.started_at as since']);

/** Amounts of two currencies are never compared: gives the largest of each. */
export async function gatherOpen(client: Queries): Promise<NonNullable<NightDigest['open']>> {
  const count = OPEN.select(({ fn }) => {
    const all = fn.countAll<number>();
    const rootsOf = (severity: Severity) =>
      all.filterWhere(CAUSE, 'is', null).filterWhere('severity', '=', severity).as(severity);
    return [...SEVERITIES.map(rootsOf), all.filterWhere(CAUSE, 'is not', null).as('followers')];
  });
  const oldest = OPEN_ROOTS.orderBy('f.first_seen_run').orderBy('m.reference').orderBy('f.fingerprint').limit(1);
  const weighed = OPEN_ROOTS.select([sql<Item>`f.content -> 'item'`.as('item'), 'f.amount_off as money', 'f.currency']);
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
