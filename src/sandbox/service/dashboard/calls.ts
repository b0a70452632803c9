// How calls of the dashboard API are read and refused: errors have `statusCode`, `message` and `error` and are told apart by the status
// alone; a token is a JWT that names the merchant, signed and read with one fixed algorithm, and expires by the simulated time.

import { STATUS_CODES } from 'node:http';
import { errors, jwtVerify, SignJWT } from 'jose';
import { type Instant, SECOND } from '../../../core/domain/instant.ts';
import { type AnswerName, answerOf } from '../../dashboard/answers.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import { ApiError, type Query } from '../account/calls.ts';
import { BAD_REQUEST, TOKEN_ALGORITHM } from './choices.ts';

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

export interface TokenKey {
  readonly secret: Uint8Array;
  /** Milliseconds. */
  readonly lifetime: number;
}

export async function issueToken(key: TokenKey, claim: { readonly merchant: string; readonly now: Instant }) {
  const issuedAt = Math.floor(claim.now / SECOND);
  return new SignJWT({})
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT' })
    .setSubject(claim.merchant)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(key.lifetime / SECOND))
    .sign(key.secret);
}

/** The merchant's reference, or null for a token that is not ours, has been altered, or has expired. */
export async function readToken(key: TokenKey, given: { readonly token: unknown; readonly now: Instant }) {
  if (typeof given.token !== 'string') return null;
  try {
    const options = { algorithms: [TOKEN_ALGORITHM], currentDate: new Date(given.now), requiredClaims: ['sub', 'exp'] };
    const { payload } = await jwtVerify(given.token, key.secret, options);
    return payload.sub ?? null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/** An endpoint that answers what follows from the dashboard's state, under the last words of its path. */
export function publishedAnswer<Said>(name: AnswerName, said: Said) {
  const answer = ({ life }: { readonly life: DashboardLife }): unknown => answerOf(life, name);
  return { ...said, method: 'GET', path: `/web-merchant/${name}`, auth: 'Token', merchantIn: 'query', answer } as const;
}

export interface FileAnswer {
  readonly type: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export function isFile(answer: unknown): answer is FileAnswer {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && answer.bytes instanceof Buffer;
}
