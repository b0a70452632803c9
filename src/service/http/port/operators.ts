// Finds which operator calls, and whether that operator may. A room (a scope of Fastify) for
// operators refuses to start with a route that declares no permission, and refuses every call whose
// operator lacks the permission.

import type { IncomingMessage } from 'node:http';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Instant } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import { type Operator, type Permission, refusalOf } from '../../../core/domain/operators/role.ts';
import type { Deed, Trail } from '../../workflows/operators/trail.ts';
import type { Server } from './api.ts';
import { DirectError, directRefusals, thereIs } from './errors.ts';
import { checkGuarded, type MinuteCounts } from './limits.ts';
import type { OperatorApi } from './operator-api.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The permission that a route for operators needs; an operator without it is answered 403. */
    readonly needs?: Permission;
    /**
     * Name of the parameter, in the path or the query, that names the merchant; absent: the route
     * answers across merchants.
     */
    readonly merchantIn?: string;
  }
}

/** Returns the operator whose token it is; `null`: no operator has this token. */
export type FindOperator = (token: string) => Promise<Operator | null>;

/** Longer headers are not looked at. */
const LONGEST_HEADER = 8_192;

/**
 * Returns the operator whose bearer token the header `authorization` holds. Throws `DirectError`
 * 401.
 */
export async function identify(
  findOperator: FindOperator,
  authorization: unknown,
): Promise<Operator> {
  const given =
    typeof authorization === 'string' && authorization.length <= LONGEST_HEADER
      ? authorization
      : '';
  const token = /^bearer +(\S+)$/i.exec(given)?.[1];
  const operator = token === undefined ? null : await findOperator(token);
  if (operator === null)
    throw new DirectError(401, 'INVALID_CREDENTIALS', 'Credentials are absent or invalid.');
  return operator;
}

export interface OperatorGuard {
  readonly findOperator: FindOperator;
  readonly wrong: MinuteCounts;
}

/**
 * What the console's pages are given, which are in a room of their own beside the routes for
 * operators.
 */
interface DeskOptions extends OperatorGuard {
  readonly api: OperatorApi;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}

export type AddDesk = (room: Server, options: DeskOptions) => void;

/** Guards every route that is added to the room from now on. */
export function guardOperators(room: Server, { findOperator, wrong }: OperatorGuard): void {
  room.addHook('onRoute', (route) => {
    const needs = route.config?.needs;
    invariant(
      needs !== undefined,
      `${route.method} ${route.url} declares the permission that it needs`,
    );
    const ofBody = route.method === 'POST' ? directRefusals(413, 415) : {};
    const response = {
      ...directRefusals(400, 401, 403, 503),
      ...ofBody,
      ...(route.schema?.response as object),
    };
    route.schema = { ...route.schema, security: [{ operator: [needs] }], response };
  });
  room.addHook('onRequest', async (request, reply) => {
    const call = { request, reply, token: request.headers.authorization };
    const operator = await checkGuarded(wrong, call, (token) => identify(findOperator, token));
    noteOperator(request, operator, 'http');
    // A path that the room does not have is answered 404.
    const { needs } = request.routeOptions.config as FastifyContextConfig;
    if (needs !== undefined) requirePermission(request, needs);
  });
  room.addHook('preHandler', async (request) => requireMerchantOf(request));
}

interface Asked {
  readonly operator: Operator;
  readonly via: 'http' | 'console';
  /** What `noteSubjects` was given; `null`: the call itself names its subject, or there is none. */
  subjects: readonly Subject[] | null;
}

interface Subject {
  readonly merchant: string;
  readonly fingerprint?: string;
  /** The file as `nameDownload` names it. */
  readonly file?: string;
}

const ASKED = new WeakMap<IncomingMessage, Asked>();

export function noteOperator({ raw }: FastifyRequest, operator: Operator, via: Asked['via']): void {
  ASKED.set(raw, { operator, via, subjects: null });
}

/**
 * Notes for the trail the merchant of a call that names a finding, an operation or an audit alone.
 */
export function noteMerchant(request: FastifyRequest, merchant: string): void {
  noteSubjects(request, [{ merchant }]);
}

/**
 * Returns `found` as `thereIs` does, and notes its merchant for the trail, because the call does
 * not name the merchant.
 */
export function namedAlone<T extends { readonly merchant: string }>(
  request: FastifyRequest,
  found: T | null,
  what: string,
): T {
  const one = thereIs(found, what);
  noteMerchant(request, one.merchant);
  return one;
}

/** Notes for the trail what one call was about, such as the findings that it decided about. */
export function noteSubjects({ raw }: FastifyRequest, subjects: readonly Subject[]): void {
  const asked = ASKED.get(raw);
  if (asked !== undefined) asked.subjects = subjects;
}

/** Returns which operator asks; `null` on routes that are not for operators. */
export function askedOf(request: FastifyRequest): Readonly<Asked> | null {
  return ASKED.get(request.raw) ?? null;
}

export function askingOperator(request: FastifyRequest): Operator {
  const asked = askedOf(request);
  invariant(asked !== null, 'no route of operators is reached without one');
  return asked.operator;
}

/**
 * Throws `DirectError` 403, which says what is missing, where the operator lacks the permission.
 */
export function requirePermission(request: FastifyRequest, permission: Permission): void {
  const refusal = refusalOf(askingOperator(request), permission);
  if (refusal !== null) throw forbidden(refusal);
}

/**
 * Throws `DirectError` 403 where an operator of one merchant does not name that merchant in the
 * call. So no call of an accountant is answered across merchants.
 */
export function requireMerchantOf(request: FastifyRequest): void {
  const { name, merchant } = askingOperator(request);
  const { merchantIn } = request.routeOptions.config as FastifyContextConfig;
  const given = { ...textsIn(request.query), ...textsIn(request.params) };
  const named = merchantIn === undefined ? undefined : given[merchantIn];
  if (merchant !== null && named !== merchant)
    throw forbidden(`${name} sees the merchant ${merchant} alone, and this call does not name it.`);
}

function forbidden(message: string): DirectError {
  return new DirectError(403, 'FORBIDDEN', message);
}

// Leaves an entry of the trail for every call of an operator, over HTTP and in the console: what
// was asked, about which merchant, and how it was answered. An entry holds nothing of the query and
// the body, except for the merchant and the decision that they name.

/**
 * Notes a call that reads after it was answered; writes the entry of any other call before its
 * answer is sent.
 */
export function leaveTrail(server: Server, trail: Trail): void {
  server.addHook('onSend', async (request, { statusCode }) => {
    const deeds = request.method === 'GET' ? [] : deedsOf(request, statusCode);
    if (deeds.length > 0) await trail.write(deeds);
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    const deeds = request.method === 'GET' ? deedsOf(request, statusCode) : [];
    for (const deed of deeds) trail.note(deed);
  });
}

const LONGEST = 300;

/**
 * Returns the entries of a call, one for each of its subjects. None for calls that are no
 * operator's, and for those of a program that reads the metrics.
 */
function deedsOf(request: FastifyRequest, status: number): readonly Deed[] {
  const { method, routeOptions } = request;
  const asked = askedOf(request);
  const { needs, merchantIn = 'merchant' } = routeOptions.config as FastifyContextConfig;
  if (asked === null || needs === 'metrics') return [];
  const params = textsIn(request.params);
  const given = { ...textsIn(request.body), ...textsIn(request.query), ...params };
  const { [merchantIn]: _, ...others } = params;
  const named = [...Object.values(others), ...(method === 'GET' ? [] : [given.action ?? ''])];
  const short = (text: string): string | null => text.trim().slice(0, LONGEST) || null;
  const subjects: NonNullable<typeof asked.subjects> = asked.subjects ?? [
    { merchant: given[merchantIn] ?? '' },
  ];
  return subjects.map(({ merchant, fingerprint, file }) => ({
    operator: asked.operator.name,
    via: asked.via,
    action: `${method} ${routeOptions.url ?? ''}`,
    merchant: short(merchant),
    subject: short(file ?? [fingerprint ?? '', ...named].join(' ')),
    status,
  }));
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, one]) => typeof one === 'string'));
}
