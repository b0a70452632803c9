// What the routes of operators are given, and how they know who asks.

import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { invariant } from '../domain/invariant.ts';
import type { OperatorDesk } from '../workflows/operator-desk.ts';
import { openTurnstile, type Turnstile } from './turnstile.ts';

export interface OperatorApi {
  readonly desk: OperatorDesk;
  /** Questions across merchants, which count and sort much. */
  readonly looking: Turnstile;
  /** Documents, which take the processor. */
  readonly drawing: Turnstile;
}

export function openOperatorApi(desk: OperatorDesk): OperatorApi {
  return {
    desk,
    looking: openTurnstile({ atOnce: 4, mostWaiting: 50 }),
    drawing: openTurnstile({ atOnce: 1, mostWaiting: 10 }),
  };
}

const OPERATORS = new WeakMap<IncomingMessage, string>();

export function noteOperator(request: FastifyRequest, name: string): void {
  OPERATORS.set(request.raw, name);
}

/** Null on routes that are no operator's. */
export function operatorOf(request: FastifyRequest): string | null {
  return OPERATORS.get(request.raw) ?? null;
}

/** The name of whoever asks, on the routes of operators. */
export function askingOperator(request: FastifyRequest): string {
  const name = operatorOf(request);
  invariant(name !== null, 'no route of operators is reached without one');
  return name;
}

/** Of every route of operators. */
export const OPERATOR_ROUTE = { security: [{ operator: [] }] };
