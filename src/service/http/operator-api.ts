// What the routes of operators are given, and how they know who asks.

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { invariant } from '../../core/domain/invariant.ts';
import type { OperatorBackend } from '../workflows/operators/operator-backend.ts';
import { DirectError } from './direct-error.ts';
import { type Limiter, openLimiter } from './limiter.ts';

export interface OperatorApi {
  readonly backend: OperatorBackend;
  /** Questions across merchants, which count and sort much. */
  readonly querying: Limiter;
  /** Documents, which take the processor. */
  readonly drawing: Limiter;
}

export function openOperatorApi(backend: OperatorBackend): OperatorApi {
  return {
    backend,
    querying: openLimiter({ atOnce: 4, mostWaiting: 50, refusal: tooMany }),
    drawing: openLimiter({ atOnce: 1, mostWaiting: 10, refusal: tooMany }),
  };
}

function tooMany(): DirectError {
  return new DirectError(429, 'RATE_LIMITED', 'Too many calls of this kind wait already; ask again in some seconds.');
}

const OPERATORS = new WeakMap<IncomingMessage, string>();

export function noteOperator(request: FastifyRequest, name: string): void {
  OPERATORS.set(request.raw, name);
}

/** Null on routes that are no operator's. */
export function operatorOf(request: FastifyRequest): string | null {
  return OPERATORS.get(request.raw) ?? null;
}

/** The name of the operator who asks, on the routes of operators. */
export function askingOperator(request: FastifyRequest): string {
  const name = operatorOf(request);
  invariant(name !== null, 'no route of operators is reached without one');
  return name;
}

/** Of every route of operators. */
export const OPERATOR_ROUTE = { security: [{ operator: [] }] };
