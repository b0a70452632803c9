// Errors as the dashboard API states them: `statusCode`, `message` and `error`, told apart by the status alone; and the parameters
// of queries, which are refused rather than ignored where they can't be read.

import { STATUS_CODES } from 'node:http';
import { ApiError } from '../api-error.ts';
import type { Query } from '../read-query.ts';
import { BAD_REQUEST } from './choices.ts';

/** Thrown by whatever refuses a call of the dashboard API. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Missing or invalid credentials ("Authentication", 4). */
export function unauthenticated(): Refusal {
  return new Refusal(401, 'Invalid API credentials');
}

/** What a caller has got wrong. */
export function badRequest(message: string): Refusal {
  return new Refusal(BAD_REQUEST, message);
}

export function merchantNotFound(): Refusal {
  return new Refusal(404, 'Merchant not found');
}

/** What the server itself refuses, and what `misbehave` throws, in the words of this API. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof ApiError) {
    const fields = error.details?.fields;
    const message = Array.isArray(fields) ? fields.join('; ') : error.message;
    return new Refusal(error.status, message, error.headers);
  }
  const { statusCode, message } = error as { readonly statusCode?: number; readonly message?: string };
  const isCallersFault = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isCallersFault
    ? new Refusal(BAD_REQUEST, message ?? 'Bad request')
    : new Refusal(500, 'Internal server error');
}

export function refusalBody({ status, message }: Refusal) {
  return { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' };
}

/** Null where it is absent or empty. */
export function readText(query: Query, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw badRequest(`${name} must be given once`);
  return value;
}

export function readOneOf<Value extends string>(query: Query, name: string, allowed: readonly Value[]): Value | null {
  const text = readText(query, name);
  if (text === null) return null;
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw badRequest(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}
