// Serves the dashboard API beside the direct one: logging in, then the endpoints that a token or a key opens. Every POST
// answers 201, every error has the documented shape, and credentials open their own merchant only.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { drawLetters, seedRandom } from '../../model/random.ts';
import { dashboardOf } from '../../simulation/simulate.ts';
import { type Account, bringUp, type DashboardRoute, type OpenRoute, type Service } from '../account/account.ts';
import { allowsAddress, type Mood, misbehave, type Query, readJson, sameSecret } from '../account/calls.ts';
import {
  asRefusal,
  badRequest,
  isFile,
  issueToken,
  merchantNotFound,
  Refusal,
  readToken,
  refusalBody,
  type TokenKey,
  unauthenticated,
} from './calls.ts';
import { ACCOUNT_NOT_ACTIVE, ADDRESS_NOT_ALLOWED, FORBIDDEN, QUERY } from './choices.ts';

interface Context {
  readonly service: Service;
  readonly key: TokenKey;
  readonly mood: Mood;
}

/** `api` is a scope of its own: its errors are stated in this API's way, unknown paths too. */
export function addDashboard(
  api: FastifyInstance,
  service: Service,
  { open, routes }: { readonly open: readonly OpenRoute[]; readonly routes: readonly DashboardRoute[] },
): void {
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
  api.removeAllContentTypeParsers();
  api.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  const context = { service, key, mood };
  for (const route of open) addOpenRoute(api, route, context);
  for (const route of routes) addRoute(api, route, context);
}

function addOpenRoute(
  api: FastifyInstance,
  { method, path, answer }: OpenRoute,
  { service, key, mood }: Context,
): void {
  api.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const body = await bodyOf(request);
      const answered = await answer({
        service,
        body,
        issueToken: (merchant) => issueToken(key, { merchant, now: service.now }),
        misbehave: (account) => misbehave(mood, account),
      });
      return reply.code(method === 'POST' ? 201 : 200).send(answered);
    },
  });
}

function addRoute(api: FastifyInstance, route: DashboardRoute, context: Context): void {
  const { service, mood } = context;
  api.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    handler: async (request, reply) => {
      const account = await admit(request, route, context);
      await misbehave(mood, account);
      const [query, body] = [request.query as Query, await bodyOf(request)];
      requireOwn(account, route, { query, body });
      bringUp(account, service.now);
      if (route.operates === true && account.simulation.merchant.status !== 'ACTIVE') {
        throw new Refusal(FORBIDDEN, ACCOUNT_NOT_ACTIVE);
      }
      const params = request.params as Readonly<Record<string, string>>;
      const life = dashboardOf(account.simulation);
      const answer = await route.answer({ account, life, service, query, params, body });
      reply.code(route.method === 'POST' ? 201 : 200);
      if (!isFile(answer)) return reply.send(answer);
      return reply
        .type(answer.type)
        .header('content-disposition', `attachment; filename="${answer.name}"`)
        .send(answer.bytes);
    },
  });
}

/** Throws 401, and 403 for a key that is used from elsewhere: a token is what people have, wherever they are. */
async function admit(request: FastifyRequest, { auth }: DashboardRoute, { service, key }: Context): Promise<Account> {
  if (auth === 'Token') {
    const token = request.headers.authenticationtoken;
    const reference = await readToken(key, { token, now: service.now });
    const account = service.accounts.find(({ plan }) => plan.reference === reference);
    if (account === undefined) throw unauthenticated();
    return account;
  }
  const { 'x-api-key': apiKey, 'x-api-secret': secret } = request.headers;
  const account = service.accounts.find((one) => one.apiKey === apiKey);
  const matches = sameSecret(secret, account?.apiSecret ?? null);
  if (account === undefined || !matches) throw unauthenticated();
  if (!allowsAddress(account, request.ip)) throw new Refusal(FORBIDDEN, ADDRESS_NOT_ALLOWED);
  return account;
}

/** Throws 400 for what is neither JSON nor a multipart form. */
async function bodyOf({ body, headers }: FastifyRequest): Promise<unknown> {
  if (!(body instanceof Buffer)) return {};
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) return readJson(body.toString());
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  } catch {
    throw badRequest('the multipart form cannot be read');
  }
}

/** Whether another merchant's reference is unknown or not one's own is not said. */
function requireOwn(
  account: Account,
  { merchantIn }: DashboardRoute,
  given: { readonly query: Query; readonly body: unknown },
): void {
  const [inQuery, inBody] = [given.query[QUERY.merchant], fieldOf(given.body, QUERY.merchant)];
  const named = {
    query: [inQuery],
    body: [inBody],
    either: [inQuery, inBody].filter((one) => one !== undefined),
    nowhere: inQuery === undefined ? [account.plan.reference] : [inQuery],
  }[merchantIn];
  if (named.length === 0 || named.some((one) => one !== account.plan.reference)) throw merchantNotFound();
}

function fieldOf(body: unknown, name: string): unknown {
  if (body instanceof FormData) return body.get(name) ?? undefined;
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}
