// Two operators must agree when much is at stake. A decision above a limit is kept as a proposal
// and takes effect when a second operator with the same permission confirms it. Refuses a
// confirmation by the proposer, a second proposal of the same decision, and a proposal about
// something that has changed since.

import { randomUUID } from 'node:crypto';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Operator, type Permission, refusalOf } from '../../../core/domain/operators/role.ts';
import type { AnnounceDecisions } from '../../../io/storage/conclusions/findings.ts';
import {
  addProposal,
  endProposal,
  findProposal,
  listProposals,
  type Proposal,
} from '../../../io/storage/operators/proposals.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

export { findProposal, listProposals, type Proposal };

/**
 * The highest amount, in whole units by currency, that one operator may decide alone. A currency
 * that is not listed has no limit.
 */
export type Limits = Readonly<Record<string, number>>;

export interface Stake {
  /** In whole units, without sign. */
  readonly amount: bigint;
  /** `null` when the currency is not known: then the amount must be within every limit. */
  readonly currency: string | null;
}

/** Most proposals that are listed for one finding or month. */
export const MOST_WAITING = 50;

type Wanted = Omit<Proposal, 'id' | 'amount' | 'currency'>;

export type Agreed<T> = { readonly done: T } | { readonly proposed: Proposal };

/**
 * Performs the decision, or keeps it as a proposal without performing it. Throws `StoreFailed`
 * (PROPOSAL_REFUSED).
 */
export async function proposeOr<T>(
  store: Store,
  limits: Limits,
  { stake, ...wanted }: Wanted & { readonly stake: Stake },
  perform: () => Promise<T>,
): Promise<Agreed<T>> {
  if (!isAbove(limits, stake)) return { done: await perform() };
  const { merchant, subject, action } = wanted;
  const waiting = await listProposals(store, { merchant, subject, limit: MOST_WAITING });
  const same = waiting.find((one) => one.action === action);
  if (same !== undefined)
    throw refused(
      `${same.by} has proposed it, as ${same.id}: another operator confirms that one, or withdraws it.`,
    );
  const proposed = {
    ...wanted,
    id: randomUUID(),
    amount: String(stake.amount),
    currency: stake.currency,
  };
  await addProposal(store, proposed);
  return { proposed };
}

/** Tells whether more is at stake than one operator may decide alone. */
export function isAbove(limits: Limits, { amount, currency }: Stake): boolean {
  const known =
    currency === null
      ? Object.values(limits)
      : Object.hasOwn(limits, currency)
        ? [limits[currency]!]
        : [];
  return known.some((limit) => amount > BigInt(limit));
}

/** The permission that an operator needs to confirm or withdraw a proposal. */
export const PERMISSION_OF_PROPOSAL: Readonly<Record<Proposal['action'], Permission>> = {
  settle: 'decide',
  accept: 'decide',
  release: 'publish',
  close: 'publish',
};

/**
 * Carries out a confirmed proposal in the name of both operators. Throws when that is no longer
 * possible.
 */
export type Performer = (
  store: Store,
  proposal: Proposal,
  decided: { readonly by: string; readonly at: Instant; readonly announce: AnnounceDecisions },
) => Promise<void>;
export type Performers = Readonly<Record<Proposal['action'], Performer>>;

interface Ending {
  readonly id: string;
  readonly operator: Pick<Operator, 'name' | 'roles'>;
  readonly at: Instant;
  readonly announce: AnnounceDecisions;
  /**
   * Returns the operator of that name, with the roles of today; `null` when there is none any more.
   */
  readonly operatorNamed: (name: string) => Promise<Pick<Operator, 'name' | 'roles'> | null>;
}

/** Joins the two names in the history: `awa, confirmed by moussa`. */
export const CONFIRMED_BY = ', confirmed by ';

/**
 * Confirms a proposal and carries it out. Throws `StoreFailed` (UNKNOWN_PROPOSAL,
 * PROPOSAL_REFUSED), and errors of the performer.
 */
export async function confirmProposal(
  store: Store,
  performers: Performers,
  ending: Ending,
): Promise<Proposal> {
  const { operator, at, announce, operatorNamed } = ending;
  const proposal = await openOne(store, ending);
  const { by: proposer, action } = proposal;
  if (proposer === operator.name)
    throw refused(
      `${proposer} has proposed it: another operator with the permission ${PERMISSION_OF_PROPOSAL[action]} confirms it.`,
    );
  const standing = await operatorNamed(proposer);
  const lost =
    standing === null
      ? `${proposer} is no operator any more.`
      : refusalOf(standing, PERMISSION_OF_PROPOSAL[action]);
  if (lost !== null) throw refused(`${lost} ${ANEW}`);
  // Of two confirmations at the same time, the second finds the finding or month changed, and its
  // performer refuses.
  await performers[action](store, proposal, {
    by: proposer + CONFIRMED_BY + operator.name,
    at,
    announce,
  });
  await endProposal(store, proposal, { outcome: 'confirmed', by: operator.name, at });
  return proposal;
}

/** What people should do with a proposal that cannot be confirmed. */
export const ANEW = 'Withdraw the proposal, and make it anew.';

/**
 * Withdraws a proposal; its proposer may do so, or any operator with its permission. Throws like
 * `confirmProposal`.
 */
export async function withdrawProposal(
  store: Store,
  ending: Pick<Ending, 'id' | 'operator' | 'at'>,
): Promise<Proposal> {
  const proposal = await openOne(store, ending);
  // A confirmation at the same time may have ended the proposal; then nothing is withdrawn.
  const hasEnded = await endProposal(store, proposal, {
    outcome: 'withdrawn',
    by: ending.operator.name,
    at: ending.at,
  });
  if (!hasEnded) throw unknown(proposal.id);
  return proposal;
}

async function openOne(
  store: Store,
  { id, operator }: Pick<Ending, 'id' | 'operator'>,
): Promise<Proposal> {
  const proposal = await findProposal(store, id);
  if (proposal === null) throw unknown(id);
  const refusal = refusalOf(operator, PERMISSION_OF_PROPOSAL[proposal.action]);
  if (refusal !== null) throw refused(refusal);
  return proposal;
}

function unknown(id: string): StoreFailed {
  return new StoreFailed(
    'UNKNOWN_PROPOSAL',
    `No proposal ${id} waits: it has ended, or what it is about has changed.`,
  );
}

export function refused(message: string): StoreFailed {
  return new StoreFailed('PROPOSAL_REFUSED', message);
}
