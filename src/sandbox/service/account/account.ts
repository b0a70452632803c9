// The merchants of the running service: each with its simulation, its credentials, the receivers of
// its notifications, and the faults planted in its books so far. Also the form of an endpoint of
// either API. Endpoints are a table by operationId: a new one is one entry, with its words in
// api-words.json.

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
  /** The secret, `whsec_…`, that signs every attempt made while it is current. */
  signingSecret: string;
  /**
   * The URL that notifications go to, set by a call or an option; `null` for none. The made-up URL
   * in the plan's profile is never used.
   */
  notifyUrl: string | null;
  /** The simulated time at which a call or an option first set a URL; `null` when none did. */
  notifiedSince: Instant | null;
  /**
   * The URL that results of payments by link go to, set by a call of the dashboard API or an
   * option; `null` for none.
   */
  paymentsUrl: string | null;
  /** Addresses that may call; when empty, any may. */
  readonly addresses: AllowedAddress[];
  /** Messages that the service sent by SMS ("The secret is displayed once"), oldest first. */
  readonly messages: ShortMessage[];
  /** Answers that are kept by Idempotency-Key, in the order of their instants. */
  readonly keys: Map<string, KeptAnswer>;
  secretsMade: number;
  signingSecretsMade: number;
  /** Number of tests of its notification URL so far. */
  pings: number;
  /** Names of faults that wait for the next notification to lose it. */
  readonly losing: Set<string>;
  /** When the first result of a payment by link was notified; `null` when none was. */
  firstResultAt: Instant | null;
  /** Faults that are still to be planted, in order of time. */
  pending: MerchantPlan['laterFaults'];
  readonly steps: Steps;
}

/** The answer to a creation, kept under its Idempotency-Key. */
export interface KeptAnswer {
  /** The endpoint and the body of the request, as read. */
  readonly request: unknown;
  readonly keptAt: Instant;
  /** The answer as it was first sent; `null` while the request is being processed. */
  body: string | null;
}

export interface ShortMessage extends Readonly<Credentials> {
  readonly at: Instant;
  readonly to: string;
  readonly reference: string;
}

/**
 * Returns the account at `start`, with its history simulated and the faults of its plan planted. No
 * notification of that history is sent.
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

/**
 * From now on sends notifications of everything that happens, if a call or an option has set a URL.
 */
function joinCourier(account: Account, courier: Courier): void {
  const { simulation } = account;
  const secret = () => account.signingSecret;
  simulation.onNotified = (notification, callbackUrl) => {
    const url = callbackUrl ?? account.notifyUrl;
    if (url === null || isLost(account, notification)) return;
    // A fault may add a notification of an earlier instant. It is sent when the fault is planted.
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
 * Replaces the account's secret by a new one of 64 characters, which is also sent by SMS. The key
 * stays; the old secret is no longer accepted.
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

/**
 * Returns when something that may be notified happens next in the account's life; `null` when
 * nothing will.
 */
function nextInLife({ simulation, pending, paymentsUrl }: Account): Instant | null {
  const ofPayments = paymentsUrl === null ? null : nextInstant(simulation.dashboard.queue);
  const next = Math.min(
    ...[nextInstant(simulation.queue), pending[0]?.at, ofPayments].map((at) => at ?? Infinity),
  );
  return next === Infinity ? null : next;
}

/** Advances the account to the service's time if time was passed without it. */
export function bringUp(account: Account, now: Instant): void {
  if (account.simulation.now < now) advanceAccount(account, now);
  dashboardOf(account.simulation);
}

/**
 * Advances the account to `until` and plants the faults that fall due on the way. Throws RangeError
 * when `until` is in the past, or when the books offer no place for a fault.
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
 * Returns the roots that an audit of this account should find now: those of planted faults first,
 * then slips in the order in which they happened.
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
  /** Resolves when the last requested advance is done. */
  advancing: Promise<void>;
}

/** Returns the account of that reference, advanced to the service's time. */
export function accountNamed({ accounts, now }: Service, reference: string): Account | undefined {
  const account = accounts.find(({ plan }) => plan.reference === reference);
  if (account !== undefined) bringUp(account, now);
  return account;
}

/** Adds a merchant, with its history up to now. */
export function addAccount(service: Service, plan: MerchantPlan): Account {
  const account = openAccount(plan, { seed: service.seed, start: service.now });
  joinCourier(account, service.courier);
  service.accounts.push(account);
  return account;
}

/**
 * Sends the account's notifications to `url` from now on, or nowhere when it is `null`. The profile
 * shows the URL.
 */
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

/** The document does not show what a closed account may do. Here its books can still be read. */
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

/** What an endpoint answers: a form, a list of a form, or a file of that media type. */
type Answers<Form> = { readonly form: Form } | { readonly list: Form } | { readonly file: string };

/** What `api-words.json` states of an endpoint of either API. */
interface Stated<Form> {
  /** Method and path below the API's prefix, with `:name` for parts that vary. */
  readonly at: `${Method} /${string}`;
  readonly answers: Answers<Form>;
}

/**
 * The behaviour of an endpoint. `answer` alone is enough when it reads no body and no query
 * parameter named by the sandbox.
 */
interface Serving<Of> {
  /** The schema by which the body is read. */
  readonly body?: z.ZodType;
  /** Names of files, when the body is a multipart form. */
  readonly files?: readonly string[];
  /**
   * Returns the answer. A text of the direct API is sent as it is, because it is JSON already; the
   * dashboard API may answer with a `FileAnswer`. Throws `ApiError` to refuse.
   */
  readonly answer: (call: Of) => unknown;
}

interface Named {
  /** Verb and noun; unique in its API. */
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** The text of `api-words.json`. */
  readonly summary: string;
}

/** An endpoint of the direct API. Its lists are wrapped as `listEnvelope` says. */
interface StatedRoute extends Stated<AnswerName> {
  /**
   * The permission that an account needs to call it; absent: READ for GET, CONFIGURE for other
   * methods.
   */
  readonly permission?: Permission;
  /** Parameters besides those in its path: those of lists, and the Idempotency-Key of creations. */
  readonly parameters?: readonly (
    | 'key'
    | 'limit'
    | 'offset'
    | 'operationStatus'
    | 'deliveryStatus'
  )[];
  /** The status of its answer; absent for 200. */
  readonly status?: 201;
  /**
   * Statuses of refusals besides those of every call and those that follow from its inputs: 400 for
   * a body or parameters, 404 for a name in the path.
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
  /** The text as received; empty when there is no body. */
  readonly body: string;
}

interface StatedDashboardRoute extends Stated<DashboardAnswer> {
  /**
   * How a call is authenticated ("Auth column"): `Key` by `x-api-key` and `x-api-secret`; absent:
   * by `authenticationtoken`.
   */
  readonly auth?: 'Key';
  /**
   * Where the caller gives the merchant's reference. `either`: in the query or the body; `nowhere`:
   * it may be left out; absent: in the query.
   */
  readonly merchantIn?: 'body' | 'either' | 'nowhere';
  /** True for an endpoint that collects or pays out, which only an ACTIVE account may call. */
  readonly operates?: true;
}

interface DashboardServing extends Serving<DashboardCall> {
  /** Names of query parameters besides the merchant's reference. */
  readonly query?: readonly string[];
  /** The longest body in bytes, where it differs from the server's default. */
  readonly bodyLimit?: number;
}

export interface DashboardCall extends Pick<Call, 'service' | 'account' | 'query' | 'params'> {
  /** The account's dashboard, advanced to the present. */
  readonly life: DashboardLife;
  /** JSON as a value, or a multipart form; an empty object when there is no body. */
  readonly body: unknown;
}

export interface OpenCall {
  readonly service: Service;
  readonly body: unknown;
  /** Returns the signed token of a login. */
  readonly issueToken: (merchant: string) => Promise<string>;
  /** Waits or refuses, where the settings want it. */
  readonly misbehave: (account: Account) => Promise<void>;
}

export type Described = Stated<string> & Pick<Serving<never>, 'body' | 'files'> & Named;
export type Route = StatedRoute & Serving<Call> & Named;
export type DashboardRoute = StatedDashboardRoute & DashboardServing & Named;
/** An endpoint that needs no authentication. */
export type OpenRoute = Stated<DashboardAnswer> & Serving<OpenCall> & Named;

interface ApiWords<One> {
  readonly endpoints: Readonly<Record<string, One>>;
  readonly summaries: Readonly<Record<string, string>>;
  /** The meaning of each refusal, by status. */
  readonly refusals: Readonly<Record<string, string>>;
}

/** For each API its endpoints, what they do (by operationId), and what its refusals mean. */
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
