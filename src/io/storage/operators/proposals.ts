// Proposals: decisions that one operator has proposed where two must agree, and how the proposals
// ended. Both are added, never changed. A proposal about a finding lapses by itself once another
// decision about the finding is taken.

import { type InferResult, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { DecisionTerms } from '../../../core/domain/settlement.ts';
import { NOTES } from '../conclusions/findings.ts';
import { merchantIdOf, requireMerchant } from '../merchants/merchants.ts';
import { ask, build, by } from '../server/ask.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/**
 * A proposal that waits for a second operator. `subject` is a finding's fingerprint or a month.
 * `decisions` is the number of decisions about the finding when it was proposed, notes left out;
 * `null` for a month. `amount` is in whole units, without sign.
 */
export type Proposal = InferResult<typeof OPEN>[number];

/** The arguments of the decision, for when it is confirmed. */
interface Wish {
  readonly reason: string | null;
  /** For a finding: the figures and lines on which the decision would rest. */
  readonly terms?: DecisionTerms | null;
  /**
   * For a month: its state as the proposer saw it, to be compared when the proposal is confirmed.
   */
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

/** Lists the proposals that wait for a second operator, the oldest first. */
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

/**
 * Finds a proposal that waits; `null` when it does not wait any more, or does not exist. `id` must
 * be a UUID.
 */
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

/** Ends a proposal. Returns false when it had ended before. */
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
