// The simulated service over HTTP, made from a seed: the direct API under /v1, the dashboard API
// under /dashboard, control under /sandbox. Simulated time passes only when it is advanced. The
// service keeps everything in memory and knows nothing of the engine.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { closeCourier, openCourier } from '../courier/courier.ts';
import { passTime } from '../courier/pass-time.ts';
import { linkCountriesOf } from '../dashboard/state.ts';
import { ALL_FAULTS } from '../faults/register.ts';
import type { Books, Expected, MerchantPlan } from '../model/plan.ts';
import { drawUuid, seedRandom } from '../model/random.ts';
import { booksOf, plantAny } from '../simulation/simulate.ts';
import {
  type Account,
  accountNamed,
  addAccount,
  bringUp,
  type Call,
  type DashboardRoute,
  expectedOf,
  notifyPayments,
  type Permission,
  type Route,
  requireState,
  type Service,
} from './account/account.ts';
import {
  asApiError,
  authenticate,
  notFound,
  openMisbehaviour,
  type Query,
  textOf,
} from './account/calls.ts';
import { type GivenSettings, settingsFrom } from './account/settings.ts';
import { addControl } from './control/add-control.ts';
import {
  ACCOUNT_ROUTES as DASHBOARD_ACCOUNT_ROUTES,
  OPEN_ROUTES,
} from './dashboard/account-routes.ts';
import { addDashboard } from './dashboard/add-dashboard.ts';
import { PAYMENT_ROUTES } from './dashboard/payment-routes.ts';
import { PAYOUT_ROUTES } from './dashboard/payout-routes.ts';
import { describeDashboardApi, describeDirectApi } from './describe-api.ts';
import { CREATION_ROUTES } from './direct/creations.ts';
import { ACCOUNT_ROUTES } from './direct/routes.ts';

export interface SandboxOptions {
  readonly seed: string;
  readonly merchants: readonly MerchantPlan[];
  /**
   * The simulated time at which the service opens. Each merchant's history up to this instant
   * exists already.
   */
  readonly start: Instant;
  readonly settings?: GivenSettings;
  /**
   * By merchant's reference: the URL for results of its payments by link from `start` on. Other
   * merchants are notified once a call has set their URL.
   */
  readonly notifyPayments?: Readonly<Record<string, string>>;
  /** Returns this machine's time. Signatures bear it unless `settings.courier` says otherwise. */
  readonly clock?: () => Instant;
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** Opens everything below /sandbox. */
  readonly control?: boolean;
}

export interface SandboxMerchant {
  readonly reference: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** The secret, `whsec_…`, with which its notifications were signed when the service opened. */
  readonly signingSecret: string;
  /** The login of its dashboard; `null` when its countries have no payments by link. */
  readonly dashboard: Account['dashboard'] | null;
  readonly plan: MerchantPlan;
}

export interface Sandbox {
  /** Base address of the direct API, `/v1` included. */
  readonly url: string;
  /** Base address of the dashboard API. */
  readonly dashboardUrl: string;
  /** Address of the server itself, for example for `/sandbox/advance`. */
  readonly origin: string;
  readonly merchants: readonly SandboxMerchant[];
  now(): Instant;
  /**
   * Passes time. Resolves when everything due up to `instant` has happened and every notification
   * due by then was answered or given up. Several calls are carried out one after another. Rejects
   * with RangeError when `instant` is in the past.
   */
  advanceTo(instant: Instant): Promise<void>;
  /**
   * Returns the roots that an audit of this merchant should find now. Throws RangeError for an
   * unknown reference.
   */
  expectedOf(reference: string): readonly Expected[];
  /** Returns the books as they are served now. Throws RangeError for an unknown reference. */
  booksOf(reference: string): Books;
  /**
   * Plants the fault of that name in the first sound books that have a place for it. Throws
   * RangeError when none has.
   */
  plantSomewhere(name: string): { readonly reference: string; readonly expected: Expected };
  close(): Promise<void>;
}

/** The endpoints below /dashboard. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...PAYMENT_ROUTES,
  ...PAYOUT_ROUTES,
  ...DASHBOARD_ACCOUNT_ROUTES,
];

/** The endpoints below /v1. */
export const DIRECT_ROUTES: readonly Route[] = [...CREATION_ROUTES, ...ACCOUNT_ROUTES];

/**
 * Simulates every merchant's history up to `start` and listens. Throws when a plan, or one of its
 * faults, is impossible.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = settingsFrom(options.settings);
  const service: Service = {
    accounts: [],
    settings,
    seed: options.seed,
    requestIds: seedRandom(`${options.seed}/requests`),
    creations: seedRandom(`${options.seed}/creations`),
    now: options.start,
    courier: openCourier(settings.courier, options.clock ?? Date.now),
    listening: new Set(),
    advancing: Promise.resolve(),
  };
  for (const plan of options.merchants) addAccount(service, plan);
  for (const [reference, url] of Object.entries(options.notifyPayments ?? {})) {
    notifyPayments(service, knownAccount(service, reference), url);
  }
  const advanceTo = (instant: Instant) => advanceService(service, instant);
  const app = buildServer(service);
  if (options.control === true)
    app.register(async (control) => addControl(control, service, advanceTo), {
      prefix: '/sandbox',
    });
  const origin = await app.listen({ port: options.port, host: options.host ?? '127.0.0.1' });
  return {
    url: `${origin}/v1`,
    dashboardUrl: `${origin}/dashboard`,
    origin,
    merchants: service.accounts.map(({ plan, apiKey, apiSecret, signingSecret, dashboard }) => {
      const opened = linkCountriesOf(plan).length > 0 ? dashboard : null;
      return {
        reference: plan.reference,
        apiKey,
        apiSecret,
        signingSecret,
        dashboard: opened,
        plan,
      };
    }),
    now: () => service.now,
    advanceTo,
    expectedOf: (reference) => expectedOf(knownAccount(service, reference)),
    booksOf: (reference) => booksOf(knownAccount(service, reference).simulation),
    plantSomewhere: (name) => plantSomewhere(service, name),
    close: async () => {
      await closeCourier(service.courier);
      await app.close();
    },
  };
}

function buildServer(service: Service): FastifyInstance {
  const app = Fastify({
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => {
      markReply(service, request, reply);
      refuse(service, error, reply);
    },
  });
  // Bodies stay bytes here: each API parses them itself, once the caller is known.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => markReply(service, request, reply));
  app.setErrorHandler((error, _, reply) => refuse(service, error, reply));
  app.setNotFoundHandler(async (request) => {
    throw notFound(`${request.method} ${request.url}`);
  });
  app.register(async (api) => addApi(api, service), { prefix: '/v1' });
  // The descriptions are open to anybody.
  app.get('/openapi.json', () => describeDirectApi(DIRECT_ROUTES, service.settings.listEnvelope));
  app.get('/openapi-dashboard.json', () => describeDashboardApi(OPEN_ROUTES, DASHBOARD_ROUTES));
  app.register(
    async (api) => addDashboard(api, service, { open: OPEN_ROUTES, routes: DASHBOARD_ROUTES }),
    {
      prefix: '/dashboard',
    },
  );
  return app;
}

/**
 * Adds /v1. Every path, also an unknown one, needs credentials, and a body is read only once the
 * caller is known.
 */
function addApi(api: FastifyInstance, service: Service): void {
  const { settings } = service;
  const misbehave = openMisbehaviour(settings.misbehaviour, `${service.seed}/misbehaviour`);
  const callers = new WeakMap<FastifyRequest, Account>();
  const messages = {
    invalid: 'API credentials are absent or invalid.',
    notAllowed: 'The caller address is not declared.',
  };
  const admit = async (request: FastifyRequest, permission: Permission): Promise<void> => {
    const account = authenticate(service.accounts, request, messages);
    await misbehave(account);
    bringUp(account, service.now);
    requireState(account, permission);
    callers.set(request, account);
  };
  for (const {
    method,
    path,
    permission = method === 'GET' ? 'READ' : 'CONFIGURE',
    ...route
  } of DIRECT_ROUTES) {
    api.route({
      method,
      url: path,
      onRequest: (request) => admit(request, permission),
      handler: async (request, reply) => {
        const answer = await route.answer({
          account: callers.get(request)!,
          service,
          settings,
          query: request.query as Query,
          params: request.params as Call['params'],
          headers: request.headers,
          body: textOf(request),
        });
        const { listEnvelope: envelope } = settings;
        const body =
          'list' in route.answers && envelope !== 'array' ? { [envelope]: answer } : answer;
        return reply
          .code(route.status ?? 200)
          .type('application/json')
          .send(typeof body === 'string' ? body : JSON.stringify(body));
      },
    });
  }
  api.setNotFoundHandler(async (request) => {
    await admit(request, 'READ');
    throw notFound(`${request.method} ${request.url}`);
  });
}

/**
 * Gives every answer a request id (the caller's own, up to 200 characters) and the simulated date.
 */
function markReply(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const given = request.headers['x-request-id'];
  const usable = typeof given === 'string' && given.length > 0 && given.length <= 200;
  reply.header('x-request-id', usable ? given : drawUuid(service.requestIds));
  reply.header('date', new Date(service.now).toUTCString());
}

function refuse(service: Service, error: unknown, reply: FastifyReply): FastifyReply {
  const { code, status, message, details, headers } = asApiError(error);
  const requestId = String(reply.getHeader('x-request-id'));
  const body = {
    success: false,
    error: { code, message, details },
    requestId,
    timestamp: formatInstant(service.now),
  };
  return reply.headers(headers).code(status).send(body);
}

/** Throws RangeError for an unknown fault, and when no sound books have a place for it. */
function plantSomewhere(
  { accounts, now }: Service,
  name: string,
): ReturnType<Sandbox['plantSomewhere']> {
  const fault = ALL_FAULTS.find((one) => one.name === name);
  if (fault === undefined) throw new RangeError(`no fault is named '${name}'`);
  for (const account of accounts) {
    bringUp(account, now);
    if (expectedOf(account).length > 0) continue;
    try {
      plantAny(account, fault);
      return { reference: account.plan.reference, expected: account.planted.at(-1)! };
    } catch (failure) {
      if (!(failure instanceof RangeError)) throw failure;
    }
  }
  throw new RangeError(`no sound books offer a place for ${name}`);
}

function knownAccount(service: Service, reference: string): Account {
  const account = accountNamed(service, reference);
  if (account === undefined) throw new RangeError(`the sandbox has no merchant ${reference}`);
  return account;
}

/**
 * Advances the service after the advances before it. Rejects with RangeError when `instant` is in
 * the past by then.
 */
function advanceService(service: Service, instant: Instant): Promise<void> {
  const advance = async (): Promise<void> => {
    if (instant < service.now)
      throw new RangeError(`time runs forward: it is ${formatInstant(service.now)} already`);
    await passTime(service, instant);
    for (const account of service.accounts) bringUp(account, instant);
  };
  const advanced = service.advancing.then(advance);
  service.advancing = advanced.catch(() => undefined);
  return advanced;
}
