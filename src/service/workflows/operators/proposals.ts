// Two operators where much is at stake: what one wants above a limit is kept as a proposal, and takes effect when another with the same
// permission confirms it. Refuses the proposer's own confirmation, and a proposal about a finding that has changed since.

import { randomUUID } from 'node:crypto';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Operator, type Permission, refusalOf } from '../../../core/domain/operators/role.ts';
import {
  addProposal,
  endProposal,
  findProposal,
  listProposals,
  type Proposal,
} from '../../../io/storage/operators/proposals.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

export { findProposal, listProposals, type Proposal };

/** By currency, in whole units: what one operator may decide alone. A currency that it lacks has no limit. */
export type Limits = Readonly<Record<string, number>>;

export interface Stake {
  /** Without sign, in whole units. */
  readonly amount: bigint;
  /** Null: not known, and then any limit there is holds. */
  readonly currency: string | null;
}

type Wanted = Omit<Proposal, 'id' | 'amount' | 'currency'>;

/** Performs what is wanted, or keeps it as a proposal; nothing is performed then. */
export async function proposeOr<T>(
  store: Store,
  limits: Limits,
  { stakes, ...wanted }: Wanted & { readonly stakes: readonly Stake[] },
  perform: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly proposed: Proposal }> {
  const above = stakes.find((stake) => isAbove(limits, stake));
  if (above === undefined) return { done: await perform() };
  const proposed = { ...wanted, id: randomUUID(), amount: String(above.amount), currency: above.currency };
  await addProposal(store, proposed);
  return { proposed };
}

function isAbove(limits: Limits, { amount, currency }: Stake): boolean {
  const known = currency === null ? Object.values(limits) : Object.hasOwn(limits, currency) ? [limits[currency]!] : [];
  return known.some((limit) => amount > BigInt(limit));
}

/** What who confirms or withdraws it must be permitted. */
export const PERMISSION_OF_PROPOSAL: Readonly<Record<Proposal['action'], Permission>> = {
  settle: 'decide',
  accept: 'decide',
  release: 'publish',
  close: 'publish',
};

/** Carries out what was proposed, in the name of both; throws where it no longer can. */
export type Performers = Readonly<
  Partial<
    Record<
      Proposal['action'],
      (proposal: Proposal, decided: { readonly by: string; readonly at: Instant }) => Promise<unknown>
    >
  >
>;

interface Ending {
  readonly id: string;
  readonly operator: Pick<Operator, 'name' | 'roles'>;
  readonly at: Instant;
}

/** Throws `StoreFailed` (UNKNOWN_PROPOSAL, PROPOSAL_REFUSED), and what the performer throws. */
export async function confirmProposal(store: Store, performers: Performers, ending: Ending): Promise<Proposal> {
  const { operator, at } = ending;
  const proposal = await openOne(store, ending);
  const { by: proposer, action } = proposal;
  if (proposer === operator.name)
    throw refused(
      `${proposer} has proposed it: another operator with the permission ${PERMISSION_OF_PROPOSAL[action]} confirms it.`,
    );
  const perform = performers[action];
  if (perform === undefined) throw refused(`A proposal to ${action} cannot be confirmed here.`);
  // A second confirmation at the same time finds the finding or the month changed, and is refused by the performer.
  await perform(proposal, { by: `${proposer}, confirmed by ${operator.name}`, at });
  await endProposal(store, proposal, { outcome: 'confirmed', by: operator.name, at });
  return proposal;
}

/** By the proposer, or another with its permission. Throws as `confirmProposal`. */
export async function withdrawProposal(store: Store, ending: Ending): Promise<Proposal> {
  const proposal = await openOne(store, ending);
  await endProposal(store, proposal, { outcome: 'withdrawn', by: ending.operator.name, at: ending.at });
  return proposal;
}

async function openOne(store: Store, { id, operator }: Ending): Promise<Proposal> {
  const proposal = await findProposal(store, id);
  if (proposal === null)
    throw new StoreFailed(
      'UNKNOWN_PROPOSAL',
      `No proposal ${id} waits: it has ended, or what it is about has changed.`,
    );
  const refusal = refusalOf(operator, PERMISSION_OF_PROPOSAL[proposal.action]);
  if (refusal !== null) throw refused(refusal);
  return proposal;
}

function refused(message: string): StoreFailed {
  return new StoreFailed('PROPOSAL_REFUSED', message);
}
