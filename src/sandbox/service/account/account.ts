// The merchants of the running service, each with its simulation, its credentials, where its
// notifications go and the faults planted in its books so far; and the shape of an endpoint of
// either API. A list of endpoints is a table by operationId: a new one is one entry, and what
// api-words.json states of it.

import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Instant } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { MerchantStatus } from '../../../core/domain/merchant.ts';
import { type Courier, dispatch } from '../../courier/courier.ts';
import { directParcel, paymentParcel } from '../../courier/parcels.ts';
import type { Steps, Time } from '../../courier/pass-time.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
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
import type { AnswerName } from '../../model/served.ts';
import type { DashboardAnswer } from '../../model/served-dashboard.ts';
import { nextInstant } from '../../model/time.ts';
import {
  advance,
  dashboardOf,
  openSimulation,
  type Planted,
  plant,
} from '../../simulation/simulate.ts';
import { type AllowedAddress, ApiError, allowAddress, type Query } from './calls.ts';
import type { Settings } from './settings.ts';

export interface Account extends Credentials, Planted {
  /** `whsec_…`: signs every attempt that is made while it is the current one. */
  signingSecret: string;
  /**
   * Where notifications go: set by a call or by an option. The made-up URL of the plan's profile is
   * never sent to.
   */
  notifyUrl: string | null;
  /** When a call or an option first stated a URL, simulated time; null: none did. */
  notifiedSince: Instant | null;
  /**
   * Where the results of payments by link go: another URL, set by a call of the dashboard API or by
   * an option.
   */
  paymentsUrl: string | null;
  /** Addresses that may call; empty: any. */
  readonly addresses: AllowedAddress[];
  /** SMS of the service ("The secret is displayed once"), oldest first. */
  readonly messages: ShortMessage[];
  /** Answers kept by Idempotency-Key, in the order of their instants. */
  readonly keys: Map<string, KeptAnswer>;
  secretsMade: number;
  signingSecretsMade: number;
  /** Tests of its notification URL so far. */
  pings: number;
  /** Faults by which the next notification of a sort is lost. */
  readonly losing: Set<string>;
  /** When the first of these results was notified; null: none was. */
  firstResultAt: Instant | null;
  /** Faults still to be planted, in ascending time. */
  pending: MerchantPlan['laterFaults'];
  readonly steps: Steps;
}

/** The answer to a creation, under its Idempotency-Key. */
export interface KeptAnswer {
  /** The endpoint and the body as it was read. */
  readonly request: unknown;
  readonly keptAt: Instant;
  /** As it was first sent; null while the request is being processed. */
  body: string | null;
}

export interface ShortMessage extends Readonly<Credentials> {
  readonly at: Instant;
  readonly to: string;
  readonly reference: string;
}

/**
 * The account at `start`: its history simulated, the faults of its plan planted. Nothing of it is
 * sent.
 */
export function openAccount(
  plan: MerchantPlan,
  opening: { readonly seed: string; readonly start: Instant },
): Account {
  const { seed } = opening;
  const steps: Steps = {
    nextInstant: () => nextInLife(account),
    advanceTo: (instant) => bringUp(account, instant),
  };
  const account: Account = {
    steps,
    plan,
    seed,
    simulation: openSimulation(plan, seed),
    ...firstCredentials(plan, seed),
    signingSecret: signingSecret({ reference: plan.reference, seed }, 0),
    notifyUrl: null,
    notifiedSince: null,
    paymentsUrl: null,
    addresses: [],
    messages: [],
    keys: new Map(),
    secretsMade: 0,
    signingSecretsMade: 0,
    pings: 0,
    planted: [],
    losing: new Set(),
    misreporting: new Set(),
    firstResultAt: null,
    pending: plan.laterFaults.toSorted((a, b) => a.at - b.at),
  };
  for (const address of plan.allowedAddresses) allowAddress(account, address);
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
    // A fault may bring along a notification of what happened before: it is sent off when the fault
    // is planted.
    const isOld = Date.parse(notification.createdAt) < simulation.now;
    dispatch(
      courier,
      directParcel(notification, { url, secret, at: isOld ? simulation.now : null }),
    );
  };
  simulation.dashboard.onEnded = (payment) => {
    const { plan, paymentsUrl: url } = account;
    if (url === null) return;
    for (const result of resultsOf(account, payment)) {
      dispatch(courier, paymentParcel(result, { merchant: plan.reference, url }));
    }
  };
}

/**
 * A new secret of 64 characters; the key stays, and the old secret opens nothing from now on. It is
 * sent by SMS, too.
 */
export function regenerateSecret(
  account: Account,
  now: Instant,
): Pick<Credentials, 'apiKey' | 'apiSecret'> {
  account.secretsMade += 1;
  account.apiSecret = regeneratedSecret(
    { reference: account.plan.reference, seed: account.seed },
    account.secretsMade,
  );
  sendMessage(account, now);
  return { apiKey: account.apiKey, apiSecret: account.apiSecret };
}

/** "Rotating the signing secret takes effect immediately." */
export function rotateSigningSecret(account: Account): void {
  const { plan, seed, simulation } = account;
  account.signingSecretsMade += 1;
  account.signingSecret = signingSecret(
    { reference: plan.reference, seed },
    account.signingSecretsMade,
  );
  simulation.merchant = {
    ...simulation.merchant,
    webhookSecretHint: hintOf(account.signingSecret),
  };
}

function sendMessage(account: Account, at: Instant): void {
  const { plan, apiKey, apiSecret, dashboard, messages } = account;
  messages.push({
    at,
    to: dashboard.numero,
    reference: plan.reference,
    apiKey,
    apiSecret,
    dashboard,
  });
}

/** When something happens in the account's life next that may be notified; null: never. */
function nextInLife({ simulation, pending, paymentsUrl }: Account): Instant | null {
  const ofPayments = paymentsUrl === null ? null : nextInstant(simulation.dashboard.queue);
  const next = Math.min(
    ...[nextInstant(simulation.queue), pending[0]?.at, ofPayments].map((at) => at ?? Infinity),
  );
  return next === Infinity ? null : next;
}

/** Brings the account up to the service's time, where it was not stepped through. */
export function bringUp(account: Account, now: Instant): void {
  if (account.simulation.now < now) advanceAccount(account, now);
  dashboardOf(account.simulation);
}

/**
 * Lives on to `until`, planting what falls due on the way. Throws RangeError when that is in the
 * past, and when the books offer no place for a fault that falls due.
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

/**
 * Roots that an audit of this account should find now: planted faults first, then slips as they
 * happened.
 */
export function expectedOf(account: Account): readonly Expected[] {
  const slips = account.simulation.slipped.map(({ at: _, ...expected }) => expected);
  return [...account.planted, ...slips];
}

export interface Service extends Time {
  readonly accounts: Account[];
  readonly settings: Settings;
  readonly seed: string;
  readonly requestIds: Random;
  /** Draws the trouble that creations run into, where the settings want it. */
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

/** Sends the account's notifications to `url` from now on; null: nowhere. The profile shows it. */
export function notifyAccount(service: Service, account: Account, url: string | null): void {
  const { simulation } = account;
  account.notifyUrl = url;
  simulation.merchant = { ...simulation.merchant, webhookUrl: url };
  if (url === null) return;
  account.notifiedSince ??= simulation.now;
  service.listening.add(account.steps);
}

/**
 * Sends the results of the account's payments by link to `url` from now on. The account must be up
 * to date.
 */
export function notifyPayments(service: Service, account: Account, url: string): void {
  const { simulation } = account;
  account.paymentsUrl = url;
  simulation.dashboard.notifiedSince ??= simulation.now;
  service.listening.add(account.steps);
}

/**
 * "PENDING: can read and configure but not operate; SUSPENDED: temporarily blocked" (Merchant,
 * `status`).
 */
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

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A form, a list of one form, or a file of that media type. */
type Answers<Form> = { readonly form: Form } | { readonly list: Form } | { readonly file: string };

/** What `api-words.json` states of an endpoint of either API. */
interface Stated<Form> {
  /** Method, and path below the API's prefix with `:name` for what varies. */
  readonly at: `${Method} /${string}`;
  readonly answers: Answers<Form>;
}

/**
 * What an endpoint does: `answer` alone, where it reads no body and no query whose names are the
 * sandbox's own.
 */
interface Serving<Of> {
  /** The form by which the body is read. */
  readonly body?: z.ZodType;
  /** The body is a multipart form with these files. */
  readonly files?: readonly string[];
  /**
   * Of the direct API a text is answered as it is: it is JSON already; of the dashboard's, a
   * `FileAnswer`. Throws `ApiError` to refuse.
   */
  readonly answer: (call: Of) => unknown;
}

interface Named {
  /** Verb and noun; unique in its API. */
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** In the words of `api-words.json`. */
  readonly summary: string;
}

/** An endpoint of the direct API. Lists are in the envelope that is set. */
interface StatedRoute extends Stated<AnswerName> {
  /** Which accounts may call it; absent: GET needs READ, and the others CONFIGURE. */
  readonly permission?: Permission;
  /** Beside those of its path: of lists, and the Idempotency-Key of creations. */
  readonly parameters?: readonly (
    | 'key'
    | 'limit'
    | 'offset'
    | 'operationStatus'
    | 'deliveryStatus'
  )[];
  /** Of its answer; absent: 200. */
  readonly status?: 201;
  /**
   * Statuses beside those of every call, and those that follow from what it reads: 400 of a body or
   * parameters, 404 of a name.
   */
  readonly refusals?: readonly (400 | 402 | 409 | 422 | 503)[];
}

export interface Call {
  readonly service: Service;
  readonly account: Account;
  readonly settings: Settings;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Text as received; empty where there is none. */
  readonly body: string;
}

interface StatedDashboardRoute extends Stated<DashboardAnswer> {
  /** "Auth column": `x-api-key` and `x-api-secret`; absent: `authenticationtoken`. */
  readonly auth?: 'Key';
  /**
   * Where the merchant's reference is; `either`: in the query or the body; `nowhere`: it need not
   * be named; absent: in the query.
   */
  readonly merchantIn?: 'body' | 'either' | 'nowhere';
  /** Collects or pays out: only an account that is ACTIVE may. */
  readonly operates?: true;
}

interface DashboardServing extends Serving<DashboardCall> {
  /** Names of query parameters beside the merchant's reference. */
  readonly query?: readonly string[];
  /** Longest body, where it is not as usual. */
  readonly bodyLimit?: number;
}

export interface DashboardCall extends Pick<Call, 'service' | 'account' | 'query' | 'params'> {
  /** The account's dashboard, up to date. */
  readonly life: DashboardLife;
  /** JSON as a value, or a multipart form; an empty object where there is none. */
  readonly body: unknown;
}

export interface OpenCall {
  readonly service: Service;
  readonly body: unknown;
  /** Signs the token of a login. */
  readonly issueToken: (merchant: string) => Promise<string>;
  /** Waits and refuses, where the settings ask for that. */
  readonly misbehave: (account: Account) => Promise<void>;
}

export type Described = Stated<string> & Pick<Serving<never>, 'body' | 'files'> & Named;
export type Route = StatedRoute & Serving<Call> & Named;
export type DashboardRoute = StatedDashboardRoute & DashboardServing & Named;
/** It needs no authentication. */
export type OpenRoute = Stated<DashboardAnswer> & Serving<OpenCall> & Named;

interface ApiWords<One> {
  readonly endpoints: Readonly<Record<string, One>>;
  readonly summaries: Readonly<Record<string, string>>;
  /** By status. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** Of each API: its endpoints and what they do, by operationId, and what its refusals mean. */
export const API_WORDS = JSON.parse(
  readFileSync(new URL('../api-words.json', import.meta.url), 'utf8'),
) as {
  readonly direct: ApiWords<StatedRoute>;
  readonly dashboard: ApiWords<StatedDashboardRoute>;
};

export const defineRoutes = nameAll<StatedRoute, Serving<Call>>(API_WORDS.direct);
export const defineDashboardRoutes = nameAll<StatedDashboardRoute, DashboardServing>(
  API_WORDS.dashboard,
);
export const defineOpenRoutes = nameAll<Stated<DashboardAnswer>, Serving<OpenCall>>(
  API_WORDS.dashboard,
);

function nameAll<One extends Stated<string>, Does extends { readonly answer: unknown }>(
  words: ApiWords<One>,
) {
  return (
    served: Readonly<Record<string, Does | Does['answer']>>,
  ): readonly (One & Does & Named)[] =>
    Object.entries(served).map(([operationId, one]) => {
      const [stated, summary] = [words.endpoints[operationId], words.summaries[operationId]];
      invariant(
        stated !== undefined && summary !== undefined,
        `api-words.json says what ${operationId} does`,
      );
      const [method, path] = stated.at.split(' ') as [Method, string];
      const does = (typeof one === 'function' ? { answer: one } : one) as Does;
      return { ...stated, ...does, operationId, method, path, summary };
    });
}
