// Two operators where much is at stake: what one wants above a limit is kept as a proposal, and
// takes effect when another with the same permission confirms it. Refuses the proposer's own
// confirmation, a second proposal of the same, and one about what has changed since.

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
 * By currency, in whole units: what one operator may decide alone. A currency that it lacks has no
 * limit.
 */
export type Limits = Readonly<Record<string, number>>;

export interface Stake {
  /** Without sign, in whole units. */
  readonly amount: bigint;
  /** Null: not known, and then any limit there is holds. */
  readonly currency: string | null;
}

/** About one finding or one month. */
export const MOST_WAITING = 50;

type Wanted = Omit<Proposal, 'id' | 'amount' | 'currency'>;

export type Agreed<T> = { readonly done: T } | { readonly proposed: Proposal };

/**
 * Performs what is wanted, or keeps it as a proposal; nothing is performed then. Throws
 * `StoreFailed` (PROPOSAL_REFUSED).
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

/** Whether one operator may not decide it alone. */
export function isAbove(limits: Limits, { amount, currency }: Stake): boolean {
  const known =
    currency === null
      ? Object.values(limits)
      : Object.hasOwn(limits, currency)
        ? [limits[currency]!]
        : [];
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
  /** The operator of that name, with the roles of today; null: there is none any more. */
  readonly operatorNamed: (name: string) => Promise<Pick<Operator, 'name' | 'roles'> | null>;
}

/** Between the two persons, as the history names them: `awa, confirmed by moussa`. */
export const CONFIRMED_BY = ', confirmed by ';

/** Throws `StoreFailed` (UNKNOWN_PROPOSAL, PROPOSAL_REFUSED), and what the performer throws. */
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
  // A second confirmation at the same time finds the finding or the month changed, and is refused
  // by the performer.
  await performers[action](store, proposal, {
    by: proposer + CONFIRMED_BY + operator.name,
    at,
    announce,
  });
  await endProposal(store, proposal, { outcome: 'confirmed', by: operator.name, at });
  return proposal;
}

/** What is to be done with a proposal that cannot be confirmed. */
export const ANEW = 'Withdraw the proposal, and make it anew.';

/** By the proposer, or another with its permission. Throws as `confirmProposal`. */
export async function withdrawProposal(
  store: Store,
  ending: Pick<Ending, 'id' | 'operator' | 'at'>,
): Promise<Proposal> {
  const proposal = await openOne(store, ending);
  // A confirmation at the same time may have ended it, and then nothing is withdrawn.
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
