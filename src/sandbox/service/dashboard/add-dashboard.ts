// Serves the dashboard API beside the direct one: logging in, then the endpoints that a token opens. Every POST answers
// 201, every error has the documented shape, and a token opens its own merchant only.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../../domain/instant.ts';
import { linkCountriesOf } from '../../dashboard/payments.ts';
import { drawLetters, drawUuid, seedRandom } from '../../random.ts';
import type { Account } from '../account.ts';
import { sameSecret } from '../authenticate.ts';
import { type Mood, misbehave } from '../misbehave.ts';
import type { Query } from '../read-query.ts';
import type { Settings } from '../settings.ts';
import { LOGIN_FAILED, QUERY } from './choices.ts';
import { asRefusal, merchantNotFound, Refusal, refusalBody, unauthenticated } from './refusal.ts';
import { DASHBOARD_ROUTES, type DashboardRoute } from './routes.ts';
import { issueToken, readToken, type TokenKey } from './tokens.ts';

export interface DashboardService {
  readonly accounts: readonly Account[];
  readonly settings: Settings;
  readonly seed: string;
  readonly now: () => Instant;
}

/** `api` is a scope of its own: its errors are stated in this API's way, unknown paths too. */
export function addDashboard(api: FastifyInstance, service: DashboardService): void {
  const { settings, seed } = service;
  const key: TokenKey = {
    secret: new TextEncoder().encode(drawLetters(seedRandom(`${seed}/tokens`), 64)),
    lifetime: settings.dashboard.tokenLifetime,
  };
  const mood: Mood = {
    random: seedRandom(`${seed}/dashboard misbehaviour`),
    misbehaviour: settings.misbehaviour,
    callsOf: new Map(),
  };
  const refuse = (error: unknown, _: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = asRefusal(error);
    return reply.headers(refusal.headers).code(refusal.status).send(refusalBody(refusal));
  };
  api.setErrorHandler(refuse);
  api.setNotFoundHandler((request, reply) => {
    refuse(new Refusal(404, `Cannot ${request.method} ${request.url}`), request, reply);
  });
  api.post('/user/login-merchant', async (request, reply) => {
    const account = accountOfLogin(service, request.body);
    await misbehave(mood, account);
    return reply.code(201).send(await loginResult(account, { key, now: service.now(), seed }));
  });
  for (const route of DASHBOARD_ROUTES) addRoute(api, route, { service, key, mood });
}

function addRoute(
  api: FastifyInstance,
  route: DashboardRoute,
  context: { readonly service: DashboardService; readonly key: TokenKey; readonly mood: Mood },
): void {
  const { service, key, mood } = context;
  api.route({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      const token = request.headers.authenticationtoken;
      const reference = await readToken(key, { token, now: service.now() });
      const account = service.accounts.find(({ plan }) => plan.reference === reference);
      if (account === undefined) throw unauthenticated();
      await misbehave(mood, account);
      requireOwn(account, route, request);
      const answer = route.answer({
        account,
        settings: service.settings,
        query: request.query as Query,
        params: request.params as Readonly<Record<string, string>>,
        body: request.body,
      });
      reply.code(route.method === 'POST' ? 201 : 200);
      return answer instanceof Buffer ? reply.type('application/pdf').send(answer) : reply.send(answer);
    },
  });
}

/** Whether another merchant's reference is unknown or not one's own is not said. */
function requireOwn(account: Account, { merchantIn }: DashboardRoute, request: FastifyRequest): void {
  if (merchantIn === 'nowhere') return;
  const given = merchantIn === 'query' ? request.query : request.body;
  const isObject = typeof given === 'object' && given !== null;
  const named = isObject ? (given as Record<string, unknown>)[QUERY.merchant] : undefined;
  if (named !== account.plan.reference) throw merchantNotFound();
}

function accountOfLogin({ accounts }: DashboardService, body: unknown): Account {
  const { numero, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const account = accounts.find((one) => one.dashboard.numero === numero && linkCountriesOf(one.plan).length > 0);
  const matches = sameSecret(password, account?.dashboard.password ?? null);
  if (account === undefined || !matches) throw new Refusal(404, LOGIN_FAILED);
  return account;
}

async function loginResult(
  account: Account,
  issuing: { readonly key: TokenKey; readonly now: Instant; readonly seed: string },
) {
  const { merchant, merchantId } = account.simulation;
  const random = seedRandom(`${issuing.seed}/${merchant.reference}/user`);
  return {
    access_token: await issueToken(issuing.key, { merchant: merchant.reference, now: issuing.now }),
    refresh_token: drawLetters(random, 40),
    user: {
      id: drawUuid(random),
      numero: account.dashboard.numero,
      fullname: merchant.name,
      email: merchant.email,
      merchant_id: merchantId,
      userType: 'MERCHANT',
    },
  };
}
