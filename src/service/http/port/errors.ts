// Errors, and the one place that decides in which shape they are answered: that of the dashboard's
// document (`ApiError`), or, for operators and notifications, that of the direct API's
// (`DirectError`). Errors of the server itself pass here like our own. No answer says what went
// wrong inside.

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';

/**
 * Paths under these prefixes are answered in the dashboard's shape. All other paths are answered in
 * that of the direct API, also where there is nothing.
 */
const DASHBOARD_PREFIXES = ['/web-merchant', '/ready'];

/** Whether a path is answered in the direct API's shape. `path` may have a query. */
export function isDirect(path: string): boolean {
  const [place] = path.split('?');
  return !DASHBOARD_PREFIXES.some((prefix) => place === prefix || place!.startsWith(`${prefix}/`));
}

interface Call {
  readonly path: string;
  readonly requestId: string;
  readonly now: Instant;
}

export function answerOf(
  thrown: unknown,
  call: Call,
): { readonly status: number; readonly body: object } {
  if (isDirect(call.path)) {
    const { status, code, message, details } = asDirectError(thrown);
    const { requestId, now } = call;
    const body = {
      success: false,
      error: { code, message, details },
      requestId,
      timestamp: formatInstant(now),
    };
    return { status, body };
  }
  const error = asApiError(
    thrown instanceof DirectError ? new ApiError(thrown.status, thrown.message) : thrown,
  );
  const { status, message } = error;
  return { status, body: { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' } };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'INVALID_CREDENTIALS',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
};

interface Thrown {
  readonly code?: unknown;
  readonly message?: string;
  readonly statusCode?: number;
  readonly status?: number;
  readonly validation?: readonly { readonly instancePath: string; readonly message?: string }[];
  readonly validationContext?: string;
}

/**
 * Returns the error in the direct API's shape. A refusal by the server keeps its status, a database
 * that is away is 503, and anything else is a fault of ours, 500.
 */
function asDirectError(thrown: unknown): DirectError {
  if (thrown instanceof DirectError) return thrown;
  const { validation, validationContext, message, statusCode, status, code } = thrown as Thrown;
  const place = PLACES[validationContext ?? ''] ?? validationContext ?? 'request';
  if (validation !== undefined) return invalid(issuesOf(validation, place));
  const stated = statusCode ?? (thrown instanceof ApiError ? status : undefined);
  if (stated !== undefined && stated >= 400 && stated < 600 && stated !== 500) {
    const text = message ?? 'The call is refused.';
    if (stated === 400) return invalid([text]);
    return new DirectError(stated, CODES[stated] ?? 'REQUEST_REFUSED', text);
  }
  if (code === 'UNKNOWN_MERCHANT') return notFound('merchant');
  if (code === 'UNKNOWN_PROPOSAL') return notFound('proposal');
  if (code === 'SEARCH_CUT') return new DirectError(422, code, message!);
  if (code === 'UNKNOWN_REPORT' || code === 'UNKNOWN_DELIVERY')
    return new DirectError(404, 'NOT_FOUND', message!);
  if (isRefused(code)) return new DirectError(409, code, message!);
  if (typeof code === 'string' && code.startsWith('40'))
    return new DirectError(
      503,
      'SERVICE_UNAVAILABLE',
      'Another call was in the way, and nothing is done: ask again.',
    );
  if (code === '22021') return invalid(['request: U+0000 is in no text.']);
  if (isStoreAway(code))
    return new DirectError(503, 'SERVICE_UNAVAILABLE', 'The database does not answer.');
  return new DirectError(500, 'INTERNAL_ERROR', 'Internal error.');
}

/**
 * Returns for people why the call was refused because of what is in the store. Throws `thrown`
 * where it was not.
 */
export function refusalIn(thrown: unknown): string {
  const { status, message } = asDirectError(thrown);
  if (status === 409) return message;
  throw thrown;
}

/**
 * Whether the code refuses a call because of what is in the store: the caller may do so, but the
 * finding, the month or the delivery does not allow it.
 */
function isRefused(code: unknown): code is string {
  return (
    typeof code === 'string' &&
    /^(?:PROPOSAL|DECISION|MONTH|DELIVERY)_REFUSED$|^NOT_CLOSABLE$/.test(code)
  );
}

function issuesOf(validation: NonNullable<Thrown['validation']>, place: string): readonly string[] {
  return validation.map(
    ({ instancePath, message }) =>
      `${place}${instancePath.replace(/\/$/, '').replaceAll('/', '.')}: ${message}`,
  );
}

const PLACES: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

/**
 * Whether the database is away. True for the SQLSTATE classes 08 (connection), 53 (resources) and
 * 57 (an operator's intervention), and for the system's errors about sockets.
 */
function isStoreAway(code: unknown): boolean {
  return (
    typeof code === 'string' &&
    /^(08|53|57)[0-9A-Z]{3}$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOENT)$/.test(code)
  );
}

export function invalid(fields: readonly string[]): DirectError {
  return new DirectError(400, 'VALIDATION_ERROR', 'The request is not valid.', { fields });
}

export function notFound(what: string): DirectError {
  return new DirectError(404, 'NOT_FOUND', `There is no such ${what}.`);
}

/** Returns `found`. Throws `DirectError` 404 where that is `null`. */
export function thereIs<T>(found: T | null, what: string): T {
  if (found === null) throw notFound(what);
  return found;
}

const directError = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.string().describe('Stable; logic branches on it'),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
    requestId: z.string().describe('Also in the header x-request-id'),
    timestamp: z.iso.datetime(),
  })
  .meta({
    example: {
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: 'The request is not valid.',
        details: { fields: ['query.limit: Too big: expected number to be <=200'] },
      },
      requestId: '7f1c5a52-9e6d-4a0e-8f0b-3f5d1c2b7a11',
      timestamp: '2026-11-02T02:11:09.120Z',
    },
  });

/** Returns the refusals of a route in the direct API's shape, for its description. */
export function directRefusals<const Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, directError])) as Record<
    Status,
    typeof directError
  >;
}

/**
 * Thrown by code that refuses a call in the direct API's shape. Callers branch on the code; the
 * message is for people.
 */
export class DirectError extends Error {
  override readonly name = 'DirectError';
  readonly status: number;
  readonly code: string;
  readonly details: object | null;
  constructor(status: number, code: string, message: string, details: object | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Thrown by code that refuses a call in the dashboard's shape. Its message is for the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const errorBody = z.object({ statusCode: z.int(), message: z.string(), error: z.string() });

/** Returns the refusals of a route in the dashboard's shape, for its description. */
export function refusals<const Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, errorBody])) as Record<
    Status,
    typeof errorBody
  >;
}

/** Says the document's words, which are alike for absent, malformed, expired and foreign tokens. */
export function invalidCredentials(): ApiError {
  return new ApiError(401, 'Invalid API credentials');
}

/** Says the document's words, which are alike for a merchant that the caller may not see. */
export function merchantNotFound(): ApiError {
  return new ApiError(404, 'Merchant not found');
}

/** Says the same about a report of another merchant as about none. */
export function reportNotFound(): ApiError {
  return new ApiError(404, 'Report not found');
}

/**
 * Returns the error in the dashboard's shape. A refusal by the server keeps its status. Anything
 * else is a fault of ours, 500, whose message is not answered.
 */
function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { statusCode, message, validation, validationContext = 'request' } = thrown as Thrown;
  if (validation !== undefined)
    return new ApiError(400, issuesOf(validation, validationContext).join('; '));
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError(statusCode, message ?? STATUS_CODES[statusCode] ?? 'Refused');
  }
  return new ApiError(500, 'Internal server error');
}
