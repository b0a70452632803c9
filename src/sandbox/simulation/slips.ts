// Slips: mistakes that the living service makes while it posts. A slip changes what is posted, never what was posted
// before, so the ledger stays append-only and its running figures stay exact.

import type { SlipKind } from '../plan.ts';
import type { Phase, Post } from '../postings.ts';
import type { ServedOperation } from '../served.ts';
import { type Simulation, spendable } from './state.ts';

interface Group {
  readonly phase: Phase;
  readonly operation: ServedOperation;
  readonly posts: readonly Post[];
}

/** What is posted instead, and which of these posts is the offending line (null: the offence is a line that lacks). */
export interface SlippedGroup {
  readonly kind: SlipKind;
  readonly posts: readonly Post[];
  readonly offending: number | null;
}

/** Takes the first slip that is due and fits this group, and strikes it off the list; null when none does. */
export function takeSlip(simulation: Simulation, group: Group): SlippedGroup | null {
  for (const slip of simulation.slips) {
    if (slip.from > simulation.now) return null;
    const slipped = slipGroup(slip.kind, group, simulation);
    if (slipped !== null) {
      simulation.slips = simulation.slips.filter((other) => other !== slip);
      return slipped;
    }
  }
  return null;
}

function slipGroup(kind: SlipKind, group: Group, simulation: Simulation): SlippedGroup | null {
  const { phase, operation, posts } = group;
  if (phase === 'LAPSE' && operation.type === 'CASHOUT' && kind === 'HOLD_NOT_RELEASED') {
    return { kind, posts: [], offending: null };
  }
  if (phase !== 'SUCCESS') return null;
  const [principal] = posts;
  if (operation.type === 'CASHIN' && principal !== undefined) {
    if (kind === 'CREDIT_MISSING' && spare(simulation) > operation.fees) {
      return { kind, posts: posts.slice(1), offending: null };
    }
    if (kind === 'CREDIT_DUPLICATED') return { kind, posts: [...posts, principal], offending: posts.length };
    const fee = posts.findIndex((post) => post.kind === 'CASHIN_FEE' && post.amount > 1);
    if (kind === 'FEE_AMOUNT_MISMATCH' && fee >= 0) return { kind, posts: halveFee(posts, fee), offending: fee };
  }
  const debited = posts.find((post) => post.kind === 'CASHOUT_DEBIT');
  if (kind === 'DEBIT_DUPLICATED' && debited !== undefined && spare(simulation) >= operation.netAmount) {
    return { kind, posts: [...posts, { ...debited, reserved: 0 }], offending: posts.length };
  }
  return null;
}

/** With and without what calls did: a slip happens in both worlds or in neither. */
function spare(simulation: Simulation): number {
  return Math.min(spendable(simulation), spendable(simulation.drawn));
}

function halveFee(posts: readonly Post[], at: number): readonly Post[] {
  const amount = Math.floor(posts[at]!.amount / 2);
  return posts.with(at, { ...posts[at]!, amount, balance: -amount });
}
