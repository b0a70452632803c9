// Reads and refuses calls of the dashboard API: errors have `statusCode`, `message` and `error`,
// and callers branch on the status alone. A token is a JWT that names the merchant, signed and read
// with one fixed algorithm; it expires by the simulated time.

import { STATUS_CODES } from 'node:http';
import { errors, jwtVerify, SignJWT } from 'jose';
import { type Instant, SECOND } from '../../../core/domain/instant.ts';
import { type AnswerName, answerOf } from '../../dashboard/answers.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import { ApiError, asApiError, type Query } from '../account/calls.ts';
import { TOKEN_ALGORITHM } from './choices.ts';

/** The message for missing or invalid credentials ("Authentication", 4). */
export const UNAUTHENTICATED = 'Invalid API credentials';

/**
 * Returns 400, for a filter or a body that cannot be read. The document shows 400 for other bad
 * requests.
 */
export function badRequest(message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message);
}

export function absent(what: string): ApiError {
  return new ApiError('RESOURCE_NOT_FOUND', `${what} not found`);
}

/** Returns 409, for a request that contradicts the present state. */
export function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', message);
}

/** Returns the status, the body and the headers of a refusal in this API's form. */
export function refusalOf(error: unknown) {
  const { status, message, headers, details } = asApiError(error);
  const reasons = Array.isArray(details?.fields) ? details.fields.join('; ') : message;
  const body = { statusCode: status, message: reasons, error: STATUS_CODES[status] ?? 'Error' };
  return { status, headers, body };
}

/**
 * Returns a query parameter; `null` when it is absent or empty. Throws 400 when it is given twice.
 */
export function readText(query: Query, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw badRequest(`${name} must be given once`);
  return value;
}

export function readOneOf<Value extends string>(
  query: Query,
  name: string,
  allowed: readonly Value[],
): Value | null {
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

export async function issueToken(
  key: TokenKey,
  claim: { readonly merchant: string; readonly now: Instant },
) {
  const issuedAt = Math.floor(claim.now / SECOND);
  return new SignJWT({})
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT' })
    .setSubject(claim.merchant)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(key.lifetime / SECOND))
    .sign(key.secret);
}

/**
 * Returns the merchant's reference; `null` for a token that is not ours, was altered, or has
 * expired.
 */
export async function readToken(
  key: TokenKey,
  given: { readonly token: unknown; readonly now: Instant },
) {
  if (typeof given.token !== 'string') return null;
  try {
    const options = {
      algorithms: [TOKEN_ALGORITHM],
      currentDate: new Date(given.now),
      requiredClaims: ['sub', 'exp'],
    };
    const { payload } = await jwtVerify(given.token, key.secret, options);
    return payload.sub ?? null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

/**
 * Returns the answer of an endpoint that shows figures of the dashboard's state. `name` is the last
 * words of its path.
 */
export function published(name: AnswerName) {
  return ({ life }: { readonly life: DashboardLife }): unknown => answerOf(life, name);
}

export interface FileAnswer {
  readonly type: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export function isFile(answer: unknown): answer is FileAnswer {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'bytes' in answer &&
    answer.bytes instanceof Buffer
  );
}
