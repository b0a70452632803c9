// How the dashboard API words its refusals (dashboard API, "Errors"): by `statusCode` alone. Its messages are never
// repeated: they are free text, and may hold what was sent.

import { SourceFailed } from '../port/source.ts';
import { type Dialect, parseErrorBody, type RefusedAnswer, type ServiceError } from '../web/dialect.ts';

interface Meaning {
  readonly code: string;
  readonly advice: string;
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: { code: 'VALIDATION_ERROR', advice: 'the service does not accept these parameters, check dashboard.parameters' },
  401: { code: 'INVALID_CREDENTIALS', advice: "check this merchant's numero and password for the dashboard" },
  403: { code: 'FORBIDDEN', advice: "check the account's status and its allowed addresses" },
  404: { code: 'NOT_FOUND', advice: "check dashboard.baseUrl and the merchant's reference" },
  429: { code: 'RATE_LIMITED', advice: 'wait, or read fewer merchants at once' },
};

export const DASHBOARD_API: Dialect = {
  readError,
  failureOf,
  address: 'dashboard.baseUrl',
  settings: 'dashboard',
  shape: [],
};

/** `code` is the status that the body states. */
function readError(body: Uint8Array): ServiceError | null {
  const value = parseErrorBody(body);
  if (value === null) return null;
  const { statusCode, message } = value;
  const isStatus = Number.isInteger(statusCode) && (statusCode as number) >= 400 && (statusCode as number) < 600;
  return isStatus && typeof message === 'string' ? { code: String(statusCode), requestId: null } : null;
}

function failureOf({ request, status, error, requestId }: RefusedAnswer): SourceFailed {
  const stated = error === null ? status : Number(error.code);
  const { code, advice } = MEANINGS[stated] ?? otherMeaning(stated);
  const said = error === null ? 'without the documented error body' : `statusCode ${error.code}`;
  return new SourceFailed(
    code,
    `${request} was answered with status ${status} (${said}, request ${requestId}): ${advice}.`,
  );
}

function otherMeaning(status: number): Meaning {
  return status >= 500
    ? { code: 'SERVICE_UNAVAILABLE', advice: 'run again later' }
    : { code: 'REFUSED', advice: 'ask the service why' };
}
