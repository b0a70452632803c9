// Errors as the direct API states them: one shape for all, with a code that callers branch on.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';

/** Thrown by whatever refuses a call; answered with `status` and the documented body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly headers: Readonly<Record<string, string>>;
  constructor(parts: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    super(parts.message);
    this.status = parts.status;
    this.code = parts.code;
    this.details = parts.details ?? null;
    this.headers = parts.headers ?? {};
  }
}

/** 400 VALIDATION_ERROR; `fields` are messages, one for each field that is wrong. */
export function invalidRequest(fields: readonly string[]): ApiError {
  const message = 'The request is invalid.';
  return new ApiError({ status: 400, code: 'VALIDATION_ERROR', message, details: { fields } });
}

/** 404. The document does not show its code. */
export function notFound(what: string): ApiError {
  return new ApiError({ status: 404, code: 'RESOURCE_NOT_FOUND', message: `${what} does not exist.` });
}

export function errorBody(error: ApiError, call: { readonly requestId: string; readonly now: Instant }) {
  return {
    success: false,
    error: { code: error.code, message: error.message, details: error.details },
    requestId: call.requestId,
    timestamp: formatInstant(call.now),
  };
}
