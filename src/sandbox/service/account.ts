// One merchant of the living service: its simulation, its credentials, where its notifications go, and the faults planted in
// its books so far.

import type { Instant } from '../../domain/instant.ts';
import { type Courier, dispatch } from '../courier/courier.ts';
import { directParcel } from '../courier/direct-parcel.ts';
import { type Credentials, firstCredentials, signingSecret } from '../credentials.ts';
import { nextInstant } from '../event-queue.ts';
import type { Expected, Fault } from '../faults/fault.ts';
import { plantFaults } from '../faults/plant-faults.ts';
import type { MerchantPlan } from '../plan.ts';
import { adoptBooks } from '../simulation/adopt-books.ts';
import { advance } from '../simulation/simulate.ts';
import { booksOf, openSimulation, type Simulation } from '../simulation/state.ts';
import type { Living, Time } from './pass-time.ts';

export interface Account extends Credentials {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly simulation: Simulation;
  /** `whsec_…`: signs every attempt that is made while it is the current one. */
  signingSecret: string;
  /** Where notifications go: set by a call or by an option. The made-up URL of the plan's profile is never sent to. */
  notifyUrl: string | null;
  /** Roots that an audit should find for the faults planted so far; slips are in `simulation.slipped`. */
  planted: readonly Expected[];
  /** Faults still to be planted, in ascending time. */
  pending: MerchantPlan['laterFaults'];
  readonly living: Living;
}

/** The account as it stands at `start`: its history simulated, the faults of its plan planted. Nothing of it is sent. */
export function openAccount(plan: MerchantPlan, opening: { readonly seed: string; readonly start: Instant }): Account {
  const { seed } = opening;
  const living: Living = {
    nextInstant: () => nextInLife(account),
    liveTo: (instant) => bringUp(account, instant),
  };
  const account: Account = {
    living,
    plan,
    seed,
    simulation: openSimulation(plan, seed),
    ...firstCredentials(plan, seed),
    signingSecret: signingSecret({ reference: plan.reference, seed }, 0),
    notifyUrl: null,
    planted: [],
    pending: plan.laterFaults.toSorted((a, b) => a.at - b.at),
  };
  advance(account.simulation, opening.start);
  if (plan.faults.length > 0) plant(account, plan.faults);
  return account;
}

/** From now on what happens is notified, where a call or an option has said to whom. */
export function joinCourier(account: Account, courier: Courier): void {
  const { simulation } = account;
  const secret = () => account.signingSecret;
  simulation.onNotified = (notification, callbackUrl) => {
    const url = callbackUrl ?? account.notifyUrl;
    // A fault may bring along a notification of what happened before: it is sent off when the fault is planted.
    const isOld = Date.parse(notification.createdAt) < simulation.now;
    if (url !== null) dispatch(courier, directParcel(notification, { url, secret, at: isOld ? simulation.now : null }));
  };
}

/** Steps through the account's life as time passes, so that what it notifies is sent when it is due. */
export function listenTo({ listening }: Pick<Time, 'listening'>, { living }: Account): void {
  listening.add(living);
}

/** Says where notifications go from now on; the profile shows it. */
export function setNotifyUrl(account: Account, url: string): void {
  account.notifyUrl = url;
  account.simulation.merchant = { ...account.simulation.merchant, webhookUrl: url };
}

/** When something happens in the account's life next; null: never. */
function nextInLife({ simulation, pending }: Account): Instant | null {
  const [step, fault] = [nextInstant(simulation.queue), pending[0]?.at ?? null];
  return step === null || fault === null ? (step ?? fault) : Math.min(step, fault);
}

/** Brings the account up to the service's time, where it was not stepped through. */
export function bringUp(account: Account, now: Instant): void {
  if (account.simulation.now < now) advanceAccount(account, now);
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
