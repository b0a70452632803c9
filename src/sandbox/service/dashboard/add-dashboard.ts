// Serves the dashboard API beside the direct one: logging in, then the endpoints that need a token
// or a key. Every POST answers 201, every error has the documented form, and credentials give
// access to their own merchant only.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { drawLetters, seedRandom } from '../../model/random.ts';
import { dashboardOf } from '../../simulation/simulate.ts';
import {
  type Account,
  bringUp,
  type DashboardRoute,
  type OpenRoute,
  type Service,
} from '../account/account.ts';
import {
  ApiError,
  authenticate,
  openMisbehaviour,
  type Query,
  readJson,
} from '../account/calls.ts';
import {
  absent,
  badRequest,
  isFile,
  issueToken,
  readToken,
  refusalOf,
  type TokenKey,
  UNAUTHENTICATED,
} from './calls.ts';
import { QUERY } from './choices.ts';

/**
 * Adds the routes. `api` must be a scope of its own, because its errors, those of unknown paths
 * too, have this API's form.
 */
export function addDashboard(
  api: FastifyInstance,
  service: Service,
  {
    open,
    routes,
  }: { readonly open: readonly OpenRoute[]; readonly routes: readonly DashboardRoute[] },
): void {
  const { settings, seed } = service;
  const key: TokenKey = {
    secret: new TextEncoder().encode(drawLetters(seedRandom(`${seed}/tokens`), 64)),
    lifetime: settings.dashboard.tokenLifetime,
  };
  const misbehave = openMisbehaviour(settings.misbehaviour, `${seed}/dashboard misbehaviour`);
  api.setErrorHandler((error, _, reply) => {
    const { status, headers, body } = refusalOf(error);
    return reply.headers(headers).code(status).send(body);
  });
  api.setNotFoundHandler(async ({ method, url }) => {
    throw new ApiError('RESOURCE_NOT_FOUND', `Cannot ${method} ${url}`);
  });
  const serve = (
    { method, path, bodyLimit }: Pick<DashboardRoute, 'method' | 'path' | 'bodyLimit'>,
    answer: (request: FastifyRequest) => unknown,
  ) =>
    api.route({
      method,
      url: path,
      ...(bodyLimit !== undefined && { bodyLimit }),
      handler: async (request, reply) =>
        send(reply.code(method === 'POST' ? 201 : 200), await answer(request)),
    });
  for (const route of open) {
    serve(route, async (request) =>
      route.answer({
        service,
        body: await bodyOf(request),
        issueToken: (merchant) => issueToken(key, { merchant, now: service.now }),
        misbehave,
      }),
    );
  }
  for (const route of routes) {
    serve(route, async (request) => {
      const account = await admit(request, route, { service, key });
      await misbehave(account);
      const [query, body] = [request.query as Query, await bodyOf(request)];
      requireOwn(account, route, { query, body });
      bringUp(account, service.now);
      if (route.operates === true && account.simulation.merchant.status !== 'ACTIVE') {
        throw new ApiError('ACCOUNT_SUSPENDED', 'Account is not active');
      }
      const params = request.params as Readonly<Record<string, string>>;
      return route.answer({
        account,
        life: dashboardOf(account.simulation),
        service,
        query,
        params,
        body,
      });
    });
  }
}

function send(reply: FastifyReply, answer: unknown): FastifyReply {
  if (!isFile(answer)) return reply.send(answer);
  return reply
    .type(answer.type)
    .header('content-disposition', `attachment; filename="${answer.name}"`)
    .send(answer.bytes);
}

/**
 * Returns the caller's account. Throws 401, and 403 for a key used from an address that is not
 * allowed. A token may be used from anywhere.
 */
async function admit(
  request: FastifyRequest,
  { auth }: DashboardRoute,
  { service, key }: { readonly service: Service; readonly key: TokenKey },
): Promise<Account> {
  const { accounts, now } = service;
  if (auth === 'Key') {
    return authenticate(accounts, request, {
      invalid: UNAUTHENTICATED,
      notAllowed: 'Address not allowed',
    });
  }
  const reference = await readToken(key, { token: request.headers.authenticationtoken, now });
  const account = accounts.find(({ plan }) => plan.reference === reference);
  if (account === undefined) throw new ApiError('INVALID_CREDENTIALS', UNAUTHENTICATED);
  return account;
}

/** Reads the body. Throws 400 when it is neither JSON nor a multipart form. */
async function bodyOf({ body, headers }: FastifyRequest): Promise<unknown> {
  if (!(body instanceof Buffer)) return {};
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) return readJson(body.toString());
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
  } catch {
    throw badRequest('the multipart form cannot be read');
  }
}

/**
 * Throws 404 unless the call names its own merchant. An unknown merchant and another merchant get
 * the same answer.
 */
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
    nowhere: [inQuery ?? account.plan.reference],
  }[merchantIn ?? 'query'];
  if (named.length === 0 || named.some((one) => one !== account.plan.reference))
    throw absent('Merchant');
}

function fieldOf(body: unknown, name: string): unknown {
  if (body instanceof FormData) return body.get(name) ?? undefined;
  return typeof body === 'object' && body !== null
    ? (body as Record<string, unknown>)[name]
    : undefined;
}
