// Posts lines to the simulated ledger: sequence numbers, running figures and times. Never changes a posted line.

import type { Instant } from '../../core/domain/instant.ts';
import { directionOf } from '../../core/domain/ledger-entry.ts';
import type { Post } from '../postings.ts';
import { chance, drawInteger, drawUuid, type Random } from '../random.ts';
import { writeInstant } from './instant-text.ts';
import { addFunds, type Simulation, type World } from './state.ts';
import { drawLineDescription } from './texts.ts';

interface Group {
  readonly posts: readonly Post[];
  /** Reference and instant of creation of the operation concerned, or null. */
  readonly operation: { readonly reference: string; readonly createdAt: Instant } | null;
  /** A description for every line; null: one drawn by kind, or none. */
  readonly description: string | null;
  readonly world: World;
}

const CLOCK_SPREAD = 2_000;

/** Appends the lines of one transaction at the simulation's present instant; those of the world without calls leave none. */
export function postLines(simulation: Simulation, group: Group): void {
  const { plan } = simulation;
  const { world } = group;
  if (group.posts.length === 0) return;
  const random = world === 'CALLED' ? simulation.callRandom : simulation.random;
  const gap = chance(random, plan.traffic.sequenceGapRate) ? drawInteger(random, { from: 1, to: 3 }) : 0;
  if (world !== 'DRAWN') simulation.sequence += gap;
  for (const post of group.posts) {
    addFunds(simulation, world, post);
    const id = drawUuid(random);
    const description = group.description ?? drawLineDescription(random, post.kind);
    const createdAt = drawLineInstant(random, simulation.now, group);
    if (world === 'DRAWN') continue;
    simulation.sequence += 1;
    simulation.entries.push({
      id,
      sequence: simulation.sequence,
      direction: directionOf(post.kind),
      kind: post.kind,
      amount: post.amount,
      currency: simulation.currency,
      balanceAfter: simulation.balance,
      reservedAfter: simulation.reserved,
      operationReference: group.operation?.reference ?? null,
      description,
      createdAt: writeInstant(createdAt),
    });
  }
  if (world !== 'DRAWN') simulation.walletUpdatedAt = simulation.now;
}

/**
 * A line bears the time at which its transaction began, up to 2 s before it got its number, so times run out of step
 * with sequence; but it is never later than now and never earlier than its operation.
 */
function drawLineInstant(random: Random, now: Instant, group: Group): Instant {
  const began = now - drawInteger(random, { from: 0, to: CLOCK_SPREAD });
  return group.operation === null ? began : Math.max(began, group.operation.createdAt);
}
