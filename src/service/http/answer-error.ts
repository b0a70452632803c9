// The one place that decides in which shape an error is answered: that of the dashboard's document, or, for operators and
// notifications, that of the direct API's. Errors of the server itself pass here like our own.

import { z } from 'zod';
import type { Instant } from '../../core/domain/instant.ts';
import { ApiError, asApiError, describeError } from './api-error.ts';
import { DirectError, describeDirectError } from './direct-error.ts';

/** Everything below these speaks as the dashboard does; the rest as the direct API, also where there is nothing. */
const DASHBOARD_PREFIXES = ['/web-merchant', '/ready'];

/** `path` may have a query. */
export function isDirect(path: string): boolean {
  const [place] = path.split('?');
  return !DASHBOARD_PREFIXES.some((prefix) => place === prefix || place!.startsWith(`${prefix}/`));
}

/** What is thrown by code that does not know which shape a caller expects. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

export function answerOf(
  thrown: unknown,
  call: { readonly path: string; readonly requestId: string; readonly now: Instant },
): Answer {
  if (isDirect(call.path)) {
    const error = asDirectError(thrown);
    return { status: error.status, body: describeDirectError(error, call) };
  }
  const error = asApiError(thrown instanceof DirectError ? new ApiError(thrown.status, thrown.message) : thrown);
  return { status: error.status, body: describeError(error) };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'INVALID_CREDENTIALS',
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

/** What the server refused keeps its status; a database that is away is 503; anything else is ours, 500. */
function asDirectError(thrown: unknown): DirectError {
  if (thrown instanceof DirectError) return thrown;
  const { validation, validationContext, message, statusCode, status, code } = thrown as Thrown;
  if (validation !== undefined) {
    const place = PLACES[validationContext ?? ''] ?? validationContext ?? 'request';
    return invalid(
      validation.map(
        (issue) => `${place}${issue.instancePath.replace(/\/$/, '').replaceAll('/', '.')}: ${issue.message}`,
      ),
    );
  }
  const stated = statusCode ?? (thrown instanceof ApiError ? status : undefined);
  if (stated !== undefined && stated >= 400 && stated < 600 && stated !== 500) {
    const said = message ?? 'The call is refused.';
    if (stated === 400) return invalid([said]);
    return new DirectError(stated, CODES[stated] ?? 'REQUEST_REFUSED', said);
  }
  if (code === 'UNKNOWN_MERCHANT') return notFound('merchant');
  if (isStoreAway(code)) return new DirectError(503, 'SERVICE_UNAVAILABLE', 'The database does not answer.');
  return new DirectError(500, 'INTERNAL_ERROR', 'Internal error.');
}

const PLACES: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

/** Of the connection, of resources, of an operator's intervention; and what the system says of sockets. */
function isStoreAway(code: unknown): boolean {
  return (
    typeof code === 'string' && /^(08|53|57)[0-9A-Z]{3}$|^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|NOENT)$/.test(code)
  );
}

export function invalid(fields: readonly string[]): DirectError {
  return new DirectError(400, 'VALIDATION_ERROR', 'The request is not valid.', { fields });
}

export function notFound(what: string): DirectError {
  return new DirectError(404, 'NOT_FOUND', `There is no such ${what}.`);
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

/** The refusals of a route in the direct shape, for its description. */
export function directRefusals<const Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, directError])) as Record<Status, typeof directError>;
}
