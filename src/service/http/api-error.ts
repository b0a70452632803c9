// Errors as the dashboard API states them: `statusCode`, `message` and `error`, the status name. Refuses to tell a caller
// what went wrong inside.

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

/** Thrown by whatever refuses a call; its message is for the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const errorBody = z.object({ statusCode: z.int(), message: z.string(), error: z.string() });

/** A route's refusals, for its description. */
export function refusals<const Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, errorBody])) as Record<Status, typeof errorBody>;
}

export function describeError({ status, message }: ApiError): z.infer<typeof errorBody> {
  return { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' };
}

/** The document's words; absent, malformed, expired and foreign tokens are not told apart. */
export function invalidCredentials(): ApiError {
  return new ApiError(401, 'Invalid API credentials');
}

/** The document's words; said alike of a merchant that the caller may not see. */
export function merchantNotFound(): ApiError {
  return new ApiError(404, 'Merchant not found');
}

/** Said alike of a report of another merchant. */
export function reportNotFound(): ApiError {
  return new ApiError(404, 'Report not found');
}

interface Thrown {
  readonly statusCode?: number;
  readonly message?: string;
  readonly validation?: readonly { readonly instancePath: string; readonly message?: string }[];
  readonly validationContext?: string;
}

/** What the server itself refused keeps its status; anything else is ours, 500, and its message stays here. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const { statusCode, message, validation, validationContext } = thrown as Thrown;
  if (validation !== undefined) {
    const place = validationContext ?? 'request';
    const said = validation.map((issue) => `${place}${issue.instancePath.replaceAll('/', '.')}: ${issue.message}`);
    return new ApiError(400, said.join('; '));
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError(statusCode, message ?? STATUS_CODES[statusCode] ?? 'Refused');
  }
  return new ApiError(500, 'Internal server error');
}
