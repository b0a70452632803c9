// What a night came to, gathered when it ends: verdicts, what is new, what waits. The findings that were held for it are taken out
// of the outbox in the same transaction, so that each is told once.

import type pg from 'pg';
import type { DeliveryContent, NightDigest } from '../../domain/delivery/delivery.ts';
import type { Verdict } from '../../domain/finding.ts';
import { ask, build } from '../server/ask.ts';

const MOST_MERCHANTS = 50;
const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/** Within the transaction that ends the night. */
export async function gatherDigest(
  client: pg.ClientBase,
  coverage: Omit<NightDigest, 'verdicts' | 'entriesAdded' | 'news' | 'moreNews'>,
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
  };
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
