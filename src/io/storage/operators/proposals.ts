// What one operator has proposed where two must agree, and how it ended. Both are added, never
// changed; a proposal about a finding falls by itself once another decision about it was taken.

import { type InferResult, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { DecisionTerms } from '../../../core/domain/settlement.ts';
import { NOTES } from '../conclusions/findings.ts';
import { merchantIdOf, requireMerchant } from '../merchants/merchants.ts';
import { ask, build, by } from '../server/ask.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/**
 * `subject`: a finding by its fingerprint, or a month. `decisions`: how many had been taken about
 * the finding, notes left out; null: it is about a month. `amount`: whole units, without sign.
 */
export type Proposal = InferResult<typeof OPEN>[number];

/** What its performer takes. */
interface Wish {
  readonly reason: string | null;
  /** About a finding: what the decision would rest on. */
  readonly terms?: DecisionTerms | null;
  /** About a month: as the proposer saw it. */
  readonly seen?: string;
}

export async function addProposal(store: Store, proposal: Proposal): Promise<void> {
  const { id, merchant, wish, by, at, action, subject, decisions, amount, currency } = proposal;
  const add = build.insertInto('proposals').values({
    ...{ action, subject, decisions, amount, currency, proposal_id: id, proposed_at: at },
    merchant_id: await requireMerchant(store, merchant),
    wish: storableJson(wish),
    proposed_by: storableText(by),
  });
  await ask(store.pool, add);
}

/** Those that wait for a second operator, the oldest first. */
export async function listProposals(
  store: Store,
  {
    merchant,
    subject,
    limit,
  }: { readonly merchant?: string | undefined; readonly subject?: string; readonly limit: number },
): Promise<readonly Proposal[]> {
  const list = OPEN.$if(merchant !== undefined, (some) =>
    some.where('p.merchant_id', '=', merchantIdOf(merchant!)),
  )
    .$if(subject !== undefined, (some) => some.where('p.subject', '=', subject!))
    .$call(by('p.proposed_at', 'p.proposal_id'))
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}

/** Null when it does not wait any more, or there is none. `id` is a UUID. */
export async function findProposal(store: Store, id: string): Promise<Proposal | null> {
  return (await ask(store.pool, OPEN.where('p.proposal_id', '=', id))).rows[0] ?? null;
}

const OPEN = build
  .selectFrom('proposals as p')
  .innerJoin('merchants as m', 'm.merchant_id', 'p.merchant_id')
  .select(({ ref }) => [
    'p.proposal_id as id',
    'm.reference as merchant',
    'p.action',
    'p.subject',
    'p.decisions',
    ref('p.wish').$castTo<Wish>().as('wish'),
    'p.amount',
    'p.currency',
    'p.proposed_by as by',
    'p.proposed_at as at',
  ])
  .where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('proposal_ends as e')
          .select('e.proposal_id')
          .whereRef('e.merchant_id', '=', 'p.merchant_id')
          .whereRef('e.proposal_id', '=', 'p.proposal_id'),
      ),
    ),
  )
  .where(({ eb, or, selectFrom }) =>
    or([
      eb('p.decisions', 'is', null),
      eb(
        'p.decisions',
        '=',
        selectFrom('finding_decisions as d')
          .select(sql<number>`count(*)::int`.as('count'))
          .whereRef('d.merchant_id', '=', 'p.merchant_id')
          .whereRef('d.fingerprint', '=', 'p.subject')
          .where('d.action', 'not in', NOTES),
      ),
    ]),
  );

/** False when it had ended. */
export async function endProposal(
  store: Store,
  { id, merchant }: Pick<Proposal, 'id' | 'merchant'>,
  end: { readonly outcome: 'confirmed' | 'withdrawn'; readonly by: string; readonly at: Instant },
): Promise<boolean> {
  const add = build
    .insertInto('proposal_ends')
    .values({
      merchant_id: await requireMerchant(store, merchant),
      proposal_id: id,
      outcome: end.outcome,
      ended_by: storableText(end.by),
      ended_at: end.at,
    })
    .onConflict((conflict) => conflict.doNothing());
  return (await ask(store.pool, add)).count > 0;
}
