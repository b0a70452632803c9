// Posts lines to the simulated ledger: sequence numbers, running figures and times. Never changes a posted line.

import type { Instant } from '../../domain/instant.ts';
import { directionOf } from '../../domain/ledger-entry.ts';
import type { Post } from '../postings.ts';
import { chance, drawInteger, drawUuid } from '../random.ts';
import { writeInstant } from './instant-text.ts';
import type { Simulation } from './state.ts';
import { drawLineDescription } from './texts.ts';

interface Group {
  readonly posts: readonly Post[];
  /** Reference and instant of creation of the operation concerned, or null. */
  readonly operation: { readonly reference: string; readonly createdAt: Instant } | null;
  /** A description for every line; null: one drawn by kind, or none. */
  readonly description: string | null;
}

const CLOCK_SPREAD = 2_000;

/** Appends the lines of one transaction at the simulation's present instant. */
export function postLines(simulation: Simulation, group: Group): void {
  const { random, plan } = simulation;
  if (group.posts.length === 0) return;
  if (chance(random, plan.traffic.sequenceGapRate)) simulation.sequence += drawInteger(random, { from: 1, to: 3 });
  for (const post of group.posts) {
    simulation.sequence += 1;
    simulation.balance += post.balance;
    simulation.reserved += post.reserved;
    simulation.entries.push({
      id: drawUuid(random),
      sequence: simulation.sequence,
      direction: directionOf(post.kind),
      kind: post.kind,
      amount: post.amount,
      currency: simulation.currency,
      balanceAfter: simulation.balance,
      reservedAfter: simulation.reserved,
      operationReference: group.operation?.reference ?? null,
      description: group.description ?? drawLineDescription(random, post.kind),
      createdAt: writeInstant(drawLineInstant(simulation, group)),
    });
  }
  simulation.walletUpdatedAt = simulation.now;
}

/**
 * A line bears the time at which its transaction began, up to 2 s before it got its number, so times run out of step
 * with sequence; but it is never later than now and never earlier than its operation.
 */
function drawLineInstant(simulation: Simulation, group: Group): Instant {
  const began = simulation.now - drawInteger(simulation.random, { from: 0, to: CLOCK_SPREAD });
  return group.operation === null ? began : Math.max(began, group.operation.createdAt);
}
