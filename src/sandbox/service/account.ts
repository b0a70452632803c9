// One merchant of the living service: its simulation, its credentials, and the faults planted in its books so far.

import type { Instant } from '../../domain/instant.ts';
import type { Expected, Fault } from '../faults/fault.ts';
import { plantFaults } from '../faults/plant-faults.ts';
import type { MerchantPlan } from '../plan.ts';
import { drawLetters, seedRandom } from '../random.ts';
import { adoptBooks } from '../simulation/adopt-books.ts';
import { drawPhoneNumber } from '../simulation/operators.ts';
import { advance } from '../simulation/simulate.ts';
import { booksOf, openSimulation, type Simulation } from '../simulation/state.ts';

export interface Account {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly simulation: Simulation;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** What opens its dashboard ("Login result"): the phone number and the password that came by SMS. */
  readonly dashboard: { readonly numero: string; readonly password: string };
  /** Roots that an audit should find for the faults planted so far; slips are in `simulation.slipped`. */
  planted: readonly Expected[];
  /** Faults still to be planted, in ascending time. */
  pending: MerchantPlan['laterFaults'];
}

/** The account as it stands at `start`: its history simulated, the faults of its plan planted. */
export function openAccount(plan: MerchantPlan, opening: { readonly seed: string; readonly start: Instant }): Account {
  const random = seedRandom(`${opening.seed}/${plan.reference}/credentials`);
  const account: Account = {
    plan,
    seed: opening.seed,
    simulation: openSimulation(plan, opening.seed),
    apiKey: `gk_test_${drawLetters(random, 24).toLowerCase()}`,
    apiSecret: `gs_test_${drawLetters(random, 48).toLowerCase()}`,
    dashboard: {
      numero: drawPhoneNumber(random, plan.country),
      password: drawLetters(random, 12).toLowerCase(),
    },
    planted: [],
    pending: plan.laterFaults.toSorted((a, b) => a.at - b.at),
  };
  advance(account.simulation, opening.start);
  if (plan.faults.length > 0) plant(account, plan.faults);
  return account;
}

/**
 * Lives on to `until`, planting what falls due on the way. Throws RangeError when that is in the past, and when the books
 * offer no place for a fault that falls due.
 */
export function advanceAccount(account: Account, until: Instant): void {
  while (account.pending.length > 0 && account.pending[0]!.at <= until) {
    const [due, ...later] = account.pending;
    account.pending = later;
    advance(account.simulation, Math.max(account.simulation.now, due!.at));
    plant(account, [due!.fault]);
  }
  advance(account.simulation, until);
}

/** Roots that an audit of this account should find now: planted faults first, then slips as they happened. */
export function expectedOf(account: Account): readonly Expected[] {
  const slips = account.simulation.slipped.map(({ kind, sequence, operationReference }) => {
    return { kind, sequence, operationReference };
  });
  return [...account.planted, ...slips];
}

function plant(account: Account, faults: readonly Fault[]): void {
  const before = booksOf(account.simulation);
  const { books: after, expected } = plantFaults(before, { faults, seed: `${account.seed}/${account.plan.reference}` });
  const concerned = new Set(expected.flatMap(({ operationReference }) => operationReference ?? []));
  adoptBooks(account.simulation, { before, after, concerned });
  account.planted = [...account.planted, ...expected];
}
