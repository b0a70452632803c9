// The simulated service over HTTP: the read sides of the direct API under /v1 and of the dashboard API under /dashboard,
// from a seed, at a simulated time that only moves when it is moved. Keeps everything in memory and knows nothing of the engine.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Books } from '../books.ts';
import { closeCourier, openCourier } from '../courier/courier.ts';
import { refusalOfUrl } from '../courier/receiving-url.ts';
import { linkCountriesOf } from '../dashboard/payments.ts';
import type { Expected } from '../faults/fault.ts';
import type { MerchantPlan } from '../plan.ts';
import { drawUuid, type Random, seedRandom } from '../random.ts';
import { booksOf } from '../simulation/state.ts';
import { type Account, bringUp, expectedOf, joinCourier, listenTo, openAccount, setNotifyUrl } from './account.ts';
import { ApiError, errorBody, invalidRequest, notFound } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import { addControl } from './control.ts';
import { addDashboard } from './dashboard/add-dashboard.ts';
import { misbehave } from './misbehave.ts';
import { passTime, type Time } from './pass-time.ts';
import type { Query } from './read-query.ts';
import type { Call } from './route.ts';
import { ROUTES } from './routes/register.ts';
import { DEFAULT_SETTINGS, type Settings } from './settings.ts';

export interface SandboxOptions {
  readonly seed: string;
  readonly merchants: readonly MerchantPlan[];
  /** The simulated time at which the service opens; each merchant's history up to here exists already. */
  readonly start: Instant;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host?: string;
  readonly settings?: Partial<Settings>;
  /** Opens POST /sandbox/advance. */
  readonly control?: boolean;
  /** Merchant's reference → where its notifications go from `start` on. Others are notified once a call has said where. */
  readonly notify?: Readonly<Record<string, string>>;
  /** This machine's time, which signatures bear unless `settings.courier` says otherwise. */
  readonly clock?: () => Instant;
}

export interface SandboxMerchant {
  readonly reference: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Opens its dashboard; null where its countries have no payments by link. */
  readonly dashboard: Account['dashboard'] | null;
  readonly plan: MerchantPlan;
}

export interface Sandbox {
  /** Base address of the API, `/v1` included. */
  readonly url: string;
  /** Base address of the dashboard API. */
  readonly dashboardUrl: string;
  /** Address of the server itself, under which `/sandbox/advance` lies. */
  readonly origin: string;
  readonly merchants: readonly SandboxMerchant[];
  now(): Instant;
  /**
   * Resolves when all that is due up to `instant` has happened and every notification due by then was answered or given up
   * on. Several calls follow one another. Rejects with RangeError when `instant` is in the past.
   */
  advanceTo(instant: Instant): Promise<void>;
  /** Roots that an audit of this merchant should find now. Throws RangeError for an unknown reference. */
  expectedOf(reference: string): readonly Expected[];
  /** The books as served now. Throws RangeError for an unknown reference. */
  booksOf(reference: string): Books;
  close(): Promise<void>;
}

interface Service extends Time {
  readonly accounts: readonly Account[];
  readonly settings: Settings;
  readonly requestIds: Random;
  readonly seed: string;
  /** The last advance that was asked for. */
  advancing: Promise<void>;
}

/** Simulates every merchant's history up to `start` and listens. Throws when a plan or a fault of it is impossible. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const service = openService(options);
  const advanceTo = (instant: Instant) => advanceService(service, instant);
  const app = buildServer(service);
  if (options.control === true) addControl(app, { now: () => service.now, advanceTo });
  const origin = await app.listen({ port: options.port, host: options.host ?? '127.0.0.1' });
  return {
    url: `${origin}/v1`,
    dashboardUrl: `${origin}/dashboard`,
    origin,
    merchants: service.accounts.map(({ plan, apiKey, apiSecret, dashboard }) => {
      const hasLinks = linkCountriesOf(plan).length > 0;
      return { reference: plan.reference, apiKey, apiSecret, dashboard: hasLinks ? dashboard : null, plan };
    }),
    now: () => service.now,
    advanceTo,
    expectedOf: (reference) => expectedOf(accountOf(service, reference)),
    booksOf: (reference) => booksOf(accountOf(service, reference).simulation),
    close: async () => {
      await closeCourier(service.courier);
      await app.close();
    },
  };
}

function openService(options: SandboxOptions): Service {
  const { seed, start, notify = {} } = options;
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const service: Service = {
    accounts: options.merchants.map((plan) => openAccount(plan, { seed, start })),
    settings,
    requestIds: seedRandom(`${seed}/requests`),
    seed,
    now: start,
    courier: openCourier(settings.courier, options.clock ?? Date.now),
    listening: new Set(),
    advancing: Promise.resolve(),
  };
  for (const account of service.accounts) joinCourier(account, service.courier);
  for (const [reference, url] of Object.entries(notify)) {
    const refusal = refusalOfUrl(url, service.courier.settings);
    if (refusal !== null) throw new RangeError(`notify: the URL of ${reference} ${refusal}`);
    const account = accountOf(service, reference);
    setNotifyUrl(account, url);
    listenTo(service, account);
  }
  return service;
}

function advanceService(service: Service, instant: Instant): Promise<void> {
  const advance = async (): Promise<void> => {
    if (instant < service.now) throw new RangeError(`time runs forward: it is ${formatInstant(service.now)} already`);
    await passTime(service, instant);
    for (const account of service.accounts) bringUp(account, instant);
  };
  const advanced = service.advancing.then(advance);
  service.advancing = advanced.catch(() => undefined);
  return advanced;
}

function accountOf(service: Service, reference: string): Account {
  const account = service.accounts.find(({ plan }) => plan.reference === reference);
  if (account === undefined) throw new RangeError(`the sandbox has no merchant ${reference}`);
  bringUp(account, service.now);
  return account;
}

function buildServer(service: Service): FastifyInstance {
  const app = Fastify({
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => {
      markReply(service, request, reply);
      refuse(service, error, request, reply);
    },
  });
  app.addHook('onRequest', async (request, reply) => markReply(service, request, reply));
  app.setErrorHandler((error, request, reply) => refuse(service, error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const error = notFound(`${request.method} ${request.url}`);
    return refuse(service, error, request, reply);
  });
  app.register(async (api) => addApi(api, service), { prefix: '/v1' });
  app.register(async (api) => addDashboard(api, { ...service, now: () => service.now }), { prefix: '/dashboard' });
  return app;
}

/** All of /v1 is behind the credentials, unknown paths too. */
function addApi(api: FastifyInstance, service: Service): void {
  const accounts = new Map(service.accounts.map((account) => [account.apiKey, account]));
  const mood = {
    random: seedRandom(`${service.seed}/misbehaviour`),
    misbehaviour: service.settings.misbehaviour,
    callsOf: new Map<Account, number>(),
  };
  const admit = async (request: FastifyRequest): Promise<Account> => {
    const { 'x-api-key': apiKey, 'x-api-secret': apiSecret } = request.headers;
    const account = authenticate(accounts, { apiKey, apiSecret, address: request.ip });
    await misbehave(mood, account);
    bringUp(account, service.now);
    return account;
  };
  for (const route of ROUTES) {
    api.route({
      method: route.method,
      url: route.path,
      handler: async (request) => {
        const account = await admit(request);
        const params = request.params as Call['params'];
        return route.answer({ account, settings: service.settings, query: request.query as Query, params });
      },
    });
  }
  api.setNotFoundHandler(async (request) => {
    await admit(request);
    throw notFound(`${request.method} ${request.url}`);
  });
}

/** Every answer carries a request id (the caller's, up to 200 characters) and the simulated date. */
function markReply(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const given = request.headers['x-request-id'];
  const usable = typeof given === 'string' && given.length > 0 && given.length <= 200;
  reply.header('x-request-id', usable ? given : drawUuid(service.requestIds));
  reply.header('date', new Date(service.now).toUTCString());
}

function refuse(service: Service, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof ApiError ? error : asApiError(error, request);
  const requestId = String(reply.getHeader('x-request-id'));
  return reply
    .headers(known.headers)
    .code(known.status)
    .send(errorBody(known, { requestId, now: service.now }));
}

/** What the server itself refuses (a path that can't be decoded, a body that is not JSON) is an invalid request. */
function asApiError(error: unknown, request: FastifyRequest): ApiError {
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return invalidRequest([`${request.method} ${request.url}: ${message ?? 'cannot be read'}`]);
  }
  return new ApiError({ status: 500, code: 'INTERNAL_ERROR', message: 'Internal error.' });
}
