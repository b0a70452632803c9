// The digest of a night, gathered at its end: verdicts and new findings. Takes the findings that were held for it
// out of the outbox in the same transaction, so that each is announced once.

import type pg from 'pg';
import type { DeliveryContent, GatheredNight } from '../../../core/domain/delivery/delivery.ts';
import type { Verdict } from '../../../core/domain/finding.ts';
import type { RunTotals } from '../conclusions/run-members.ts';
import { ask, build } from '../server/ask.ts';

const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/** Within the transaction that ends the night. */
export async function gatherDigest(
  client: pg.ClientBase,
  coverage: Omit<GatheredNight, 'verdicts' | 'entriesAdded' | 'news'>,
  { verdicts, entriesAdded }: RunTotals,
): Promise<GatheredNight> {
  return { ...coverage, verdicts, entriesAdded, news: await gatherFindings(client) };
}

/**
 * Includes findings that an earlier night concluded after its end. One item a merchant, however many were held for it; broken books
 * first, then by reference.
 */
async function gatherFindings(client: pg.ClientBase): Promise<GatheredNight['news']> {
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
