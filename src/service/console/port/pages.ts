// What every page is given, and how one is put at its address.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operator } from '../../../core/domain/operators/role.ts';
import type { OperatorApi } from '../../http/port/operator-api.ts';
import type { Html } from './html.ts';
import type { Visit } from './visit.ts';

export type Visiting = Visit & { readonly operator: Operator };

/** The page; null where the answer was sent. */
export type Draw = (visit: Visiting, request: FastifyRequest, reply: FastifyReply) => Promise<Html | null>;

/** Of a list; what is no number is its beginning. */
export function offsetOf({ query }: FastifyRequest): number {
  const { offset } = query as { readonly offset?: unknown };
  return typeof offset === 'string' && /^\d{1,9}$/.test(offset) ? Number(offset) : 0;
}

export interface Pages extends OperatorApi {
  /** For people who are logged in and see every merchant. */
  readonly page: (address: string, draw: Draw) => void;
  /** Also for the accountant of the merchant that the parameter `merchant` names. */
  readonly merchantPage: (address: string, draw: Draw) => void;
  /** Takes a form whose token was checked. */
  readonly form: (address: string, take: Draw) => void;
}
