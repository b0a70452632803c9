// The merchants of the running service, each with its simulation, its credentials, where its notifications go and the faults planted in
// its books so far.

import type { Instant } from '../../../core/domain/instant.ts';
import type { MerchantStatus } from '../../../core/domain/merchant.ts';
import { type Courier, dispatch } from '../../courier/courier.ts';
import { directParcel, paymentParcel } from '../../courier/parcels.ts';
import type { Living, Time } from '../../courier/pass-time.ts';
import { isLost, resultsOf } from '../../faults/losses.ts';
import {
  type Credentials,
  firstCredentials,
  hintOf,
  regeneratedSecret,
  signingSecret,
} from '../../model/credentials.ts';
import { accountCreatedAt, type Expected, type MerchantPlan } from '../../model/plan.ts';
import type { Random } from '../../model/random.ts';
import { nextInstant } from '../../model/time.ts';
import { advance, dashboardOf, openSimulation, plant, type Simulation } from '../../simulation/simulate.ts';
import { type AllowedAddress, ApiError, addressesOf } from './calls.ts';
import type { Settings } from './settings.ts';

export interface Account extends Credentials {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly simulation: Simulation;
  /** `whsec_…`: signs every attempt that is made while it is the current one. */
  signingSecret: string;
  /** Where notifications go: set by a call or by an option. The made-up URL of the plan's profile is never sent to. */
  notifyUrl: string | null;
  /** Since when somebody was to be notified, simulated time; null: nobody ever was. */
  notifiedSince: Instant | null;
  /** Where the results of payments by link go: another URL, set by a call of the dashboard API or by an option. */
  paymentsUrl: string | null;
  /** Addresses that may call; empty: any. */
  readonly addresses: AllowedAddress[];
  /** What the service has sent by SMS ("The secret is displayed once"), oldest first. */
  readonly messages: ShortMessage[];
  /** Answers kept by Idempotency-Key, in the order of their instants. */
  readonly keys: Map<string, KeptAnswer>;
  secretsMade: number;
  signingSecretsMade: number;
  /** Tests of its notification URL so far. */
  pings: number;
  /** Roots that an audit should find for the faults planted so far; slips are in `simulation.slipped`. */
  planted: readonly Expected[];
  /** Faults by which the next notification of a sort is lost. */
  readonly losing: Set<string>;
  /** Faults by which the next results of payments by link are told otherwise. */
  readonly mistelling: Set<string>;
  /** When the first of these results was told; null: none was. */
  firstToldAt: Instant | null;
  /** Faults still to be planted, in ascending time. */
  pending: MerchantPlan['laterFaults'];
  readonly living: Living;
}

/** The answer to a creation, under its Idempotency-Key. */
export interface KeptAnswer {
  /** Of the endpoint and the body. */
  readonly fingerprint: string;
  readonly keptAt: Instant;
  /** As it was first sent; null while the request is being processed. */
  body: string | null;
}

export interface ShortMessage {
  readonly at: Instant;
  readonly to: string;
  readonly reference: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly dashboard: Credentials['dashboard'];
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
    notifiedSince: null,
    paymentsUrl: null,
    addresses: addressesOf(plan.reference, plan.allowedAddresses),
    messages: [],
    keys: new Map(),
    secretsMade: 0,
    signingSecretsMade: 0,
    pings: 0,
    planted: [],
    losing: new Set(),
    mistelling: new Set(),
    firstToldAt: null,
    pending: plan.laterFaults.toSorted((a, b) => a.at - b.at),
  };
  sendMessage(account, accountCreatedAt(plan));
  advance(account.simulation, opening.start);
  if (plan.faults.length > 0) plant(account, plan.faults);
  return account;
}

/** From now on what happens is notified, where a call or an option has said to whom. */
function joinCourier(account: Account, courier: Courier): void {
  const { simulation } = account;
  const secret = () => account.signingSecret;
  simulation.onNotified = (notification, callbackUrl) => {
    const url = callbackUrl ?? account.notifyUrl;
    if (url === null || isLost(account, notification)) return;
    // A fault may bring along a notification of what happened before: it is sent off when the fault is planted.
    const isOld = Date.parse(notification.createdAt) < simulation.now;
    dispatch(courier, directParcel(notification, { url, secret, at: isOld ? simulation.now : null }));
  };
  simulation.dashboard.onEnded = (payment) => {
    const { plan, paymentsUrl: url } = account;
    if (url === null) return;
    for (const told of resultsOf(account, payment)) {
      dispatch(courier, paymentParcel(told, { merchant: plan.reference, url }));
    }
  };
}

/** Steps through the account's life as time passes, so that what it notifies is sent when it is due. */
export function listenTo({ listening }: Pick<Time, 'listening'>, { living }: Account): void {
  listening.add(living);
}

/** Says where notifications go from now on; the profile shows it. */
function setNotifyUrl(account: Account, url: string | null): void {
  account.notifyUrl = url;
  if (url !== null) account.notifiedSince ??= account.simulation.now;
  account.simulation.merchant = { ...account.simulation.merchant, webhookUrl: url };
}

/** Says where the results of payments by link go from now on. The account must be up to date. */
function setPaymentsUrl(account: Account, url: string | null): void {
  account.paymentsUrl = url;
  if (url !== null) account.simulation.dashboard.toldSince ??= account.simulation.now;
}

/** A new secret of 64 characters; the key stays, and the old secret opens nothing from now on. It is sent by SMS, too. */
export function regenerateSecret(account: Account, now: Instant): void {
  account.secretsMade += 1;
  account.apiSecret = regeneratedSecret({ reference: account.plan.reference, seed: account.seed }, account.secretsMade);
  sendMessage(account, now);
}

/** "Rotating the signing secret takes effect immediately." */
export function rotateSigningSecret(account: Account): void {
  const { plan, seed, simulation } = account;
  account.signingSecretsMade += 1;
  account.signingSecret = signingSecret({ reference: plan.reference, seed }, account.signingSecretsMade);
  simulation.merchant = { ...simulation.merchant, webhookSecretHint: hintOf(account.signingSecret) };
}

function sendMessage(account: Account, at: Instant): void {
  const { plan, apiKey, apiSecret, dashboard, messages } = account;
  messages.push({ at, to: dashboard.numero, reference: plan.reference, apiKey, apiSecret, dashboard });
}

/** When something happens in the account's life next that may be notified; null: never. */
function nextInLife({ simulation, pending, paymentsUrl }: Account): Instant | null {
  const instants = [
    nextInstant(simulation.queue),
    pending[0]?.at ?? null,
    paymentsUrl === null ? null : nextInstant(simulation.dashboard.queue),
  ].filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Brings the account up to the service's time, where it was not stepped through. */
export function bringUp(account: Account, now: Instant): void {
  if (account.simulation.now < now) advanceAccount(account, now);
  dashboardOf(account.simulation);
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

export interface Service extends Time {
  readonly accounts: Account[];
  readonly settings: Settings;
  readonly seed: string;
  readonly requestIds: Random;
  /** How creations fare: the trouble that is asked for draws from it. */
  readonly creations: Random;
  /** The last advance that was asked for. */
  advancing: Promise<void>;
}

/** The account of that reference, brought up to the service's time. */
export function accountNamed({ accounts, now }: Service, reference: string): Account | undefined {
  const account = accounts.find(({ plan }) => plan.reference === reference);
  if (account !== undefined) bringUp(account, now);
  return account;
}

/** Adds the merchant, with its history up to now. */
export function addAccount(service: Service, plan: MerchantPlan): Account {
  const account = openAccount(plan, { seed: service.seed, start: service.now });
  joinCourier(account, service.courier);
  service.accounts.push(account);
  return account;
}

/** Says where the account's notifications go from now on; null: nowhere. */
export function notifyAccount(service: Service, account: Account, url: string | null): void {
  setNotifyUrl(account, url);
  if (url !== null) listenTo(service, account);
}

/** Says where the results of the account's payments by link go from now on. The account must be up to date. */
export function notifyPayments(service: Service, account: Account, url: string): void {
  setPaymentsUrl(account, url);
  listenTo(service, account);
}

/** "PENDING: can read and configure but not operate; SUSPENDED: temporarily blocked" (Merchant, `status`). */
export type Permission = 'READ' | 'CONFIGURE' | 'OPERATE';

/** The document does not show what a closed account may do: here its books can still be read. */
const PERMISSIONS: Readonly<Record<MerchantStatus, readonly Permission[]>> = {
  PENDING: ['READ', 'CONFIGURE'],
  ACTIVE: ['READ', 'CONFIGURE', 'OPERATE'],
  SUSPENDED: [],
  CLOSED: ['READ'],
};

/** Throws 403 ACCOUNT_SUSPENDED when the account's state does not allow it. */
export function requireState({ simulation }: Account, permission: Permission): void {
  const { status } = simulation.merchant;
  if (PERMISSIONS[status].includes(permission)) return;
  throw new ApiError('ACCOUNT_SUSPENDED', `The account is ${status.toLowerCase()}.`);
}
