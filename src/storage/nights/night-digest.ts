// What a night came to, gathered when it ends: verdicts, what is new, what waits. The findings that were held for it are taken out
// of the outbox in the same transaction, so that each is told once.

import type pg from 'pg';
import type { DeliveryContent, NightDigest } from '../../domain/delivery/delivery.ts';
import type { Verdict } from '../../domain/finding.ts';

const MOST_MERCHANTS = 50;
const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/** Within the transaction that ends the night. */
export async function gatherDigest(
  client: pg.ClientBase,
  coverage: Omit<NightDigest, 'verdicts' | 'entriesAdded' | 'news' | 'moreNews' | 'heldStatements'>,
): Promise<NightDigest> {
  const { runId } = coverage;
  const judged = await client.query<{ verdict: Verdict; merchants: number; entries: number }>(
    `select verdict, count(*) as merchants, coalesce(sum(entries_added), 0)::bigint as entries
    from run_members
    where run_id = $1 and verdict is not null
    group by verdict`,
    [runId],
  );
  const held = await client.query<{ statements: number }>(
    `select count(distinct (merchant, content ->> 'period')) as statements
    from deliveries
    where state = 'HELD' and topic = 'statement'`,
  );
  const count = (verdict: Verdict): number => judged.rows.find((row) => row.verdict === verdict)?.merchants ?? 0;
  const news = await gatherFindings(client, runId);
  return {
    ...coverage,
    verdicts: { clean: count('clean'), broken: count('broken'), incomplete: count('incomplete') },
    entriesAdded: judged.rows.reduce((sum, { entries }) => sum + Number(entries), 0),
    news: news.slice(0, MOST_MERCHANTS),
    moreNews: Math.max(0, news.length - MOST_MERCHANTS),
    heldStatements: held.rows[0]!.statements,
  };
}

/** One a merchant, however many they were held for; broken books first, then by reference. */
async function gatherFindings(client: pg.ClientBase, runId: number): Promise<NightDigest['news']> {
  const gathered = await client.query<{ content: Findings }>(
    `update deliveries
    set state = 'GATHERED'
    where state = 'HELD' and topic = 'findings' and announces like $1
    returning content`,
    [`findings/${runId}/%`],
  );
  const byMerchant = new Map(gathered.rows.map(({ content }) => [content.merchant, content]));
  const rank = ({ verdict }: Findings): number => WORST_FIRST.indexOf(verdict);
  return [...byMerchant.values()]
    .sort((a, b) => rank(a) - rank(b) || (a.merchant < b.merchant ? -1 : 1))
    .map(({ merchant, verdict, findings, more }) => ({ merchant, verdict, findings, more }));
}
