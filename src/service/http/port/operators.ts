// Which operator calls, and whether that operator may. A room of operators refuses at its start a
// route that does not declare the permission that it needs, and every call whose token lacks it.

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
    /** Of a route of operators: without it a call is answered 403. */
    readonly needs?: Permission;
    /**
     * The parameter, of the path or the query, that names the merchant; absent: the route answers
     * across merchants.
     */
    readonly merchantIn?: string;
  }
}

/** The operator whose token it is; null: no operator's. */
export type FindOperator = (token: string) => Promise<Operator | null>;

/** Longer ones are not looked at. */
const LONGEST_HEADER = 8_192;

/** From the header `authorization`. Throws `DirectError` 401. */
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

/** What the pages are given that another room adds beside the routes of operators. */
interface DeskOptions extends OperatorGuard {
  readonly api: OperatorApi;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}

export type AddDesk = (room: Server, options: DeskOptions) => void;

/** Of every route that is added to the room from now on. */
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
  /** As `noteSubjects` has it; null: the call names its own, or there is none. */
  subjects: readonly Subject[] | null;
}

interface Subject {
  readonly merchant: string;
  readonly fingerprint?: string;
  /** As `nameDownload` has it. */
  readonly file?: string;
}

const ASKED = new WeakMap<IncomingMessage, Asked>();

export function noteOperator({ raw }: FastifyRequest, operator: Operator, via: Asked['via']): void {
  ASKED.set(raw, { operator, via, subjects: null });
}

/** For the trail: the merchant of a call that names a finding, an operation or an audit alone. */
export function noteMerchant(request: FastifyRequest, merchant: string): void {
  noteSubjects(request, [{ merchant }]);
}

/** As `thereIs`, of what a call names alone: for the trail with its merchant. */
export function namedAlone<T extends { readonly merchant: string }>(
  request: FastifyRequest,
  found: T | null,
  what: string,
): T {
  const one = thereIs(found, what);
  noteMerchant(request, one.merchant);
  return one;
}

/** For the trail: the findings that one call decided about. */
export function noteSubjects({ raw }: FastifyRequest, subjects: readonly Subject[]): void {
  const asked = ASKED.get(raw);
  if (asked !== undefined) asked.subjects = subjects;
}

/** Null on routes that are no operator's. */
export function askedOf(request: FastifyRequest): Readonly<Asked> | null {
  return ASKED.get(request.raw) ?? null;
}

export function askingOperator(request: FastifyRequest): Operator {
  const asked = askedOf(request);
  invariant(asked !== null, 'no route of operators is reached without one');
  return asked.operator;
}

/** Throws `DirectError` 403, with what is missing. */
export function requirePermission(request: FastifyRequest, permission: Permission): void {
  const refusal = refusalOf(askingOperator(request), permission);
  if (refusal !== null) throw forbidden(refusal);
}

/**
 * An accountant names the own merchant in every call, so that none is answered across merchants.
 * Throws `DirectError` 403.
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
// was asked, about which merchant, and how it was answered. Takes no query and no body into it, but
// for the merchant and the decision that they name.

/** What reads is noted when it was answered, the rest is written before. */
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
 * None for calls that are no operator's, and for those of a program that reads the metrics; one for
 * each subject of a call.
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
