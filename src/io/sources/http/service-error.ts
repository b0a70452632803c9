// Turns an answer that is not 200 into a named failure: by the stable `error.code` of the documented error shape (direct
// API, "Errors"), never by its message. Repeats nothing that the service wrote but its code and its request id.

import { SourceFailed } from '../source.ts';
import {
  type Dialect,
  isRecord,
  parseErrorBody,
  type RefusedAnswer,
  readRequestId,
  type ServiceError,
} from '../web/dialect.ts';

/** What the operator can do, by the service's code. */
const ADVICE: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS: "check this merchant's apiKey and apiSecret, a new secret invalidates the old one",
  ACCOUNT_SUSPENDED: 'the account is not activated or is suspended, ask the service to open it',
  IP_NOT_ALLOWED: "declare this machine's address in the account's allowed addresses",
  WALLET_FROZEN: 'the wallet is frozen, ask the service',
  VALIDATION_ERROR: 'the service does not accept these parameters, check http.paths and http.pageSize',
};

/** What the operator can do, by the status, when the code says nothing known. */
const ADVICE_BY_STATUS: Readonly<Record<number, { readonly code: string; readonly advice: string }>> = {
  401: { code: 'INVALID_CREDENTIALS', advice: ADVICE.INVALID_CREDENTIALS! },
  403: { code: 'FORBIDDEN', advice: "check the account's status and its allowed addresses" },
  404: { code: 'NOT_FOUND', advice: 'check source and http.paths' },
  429: { code: 'RATE_LIMITED', advice: 'wait, or read fewer merchants at once' },
};

export const DIRECT_API: Dialect = {
  readError: readServiceError,
  failureOf,
  address: 'source',
  settings: 'http',
  shape: ['http.paths', 'http.envelope'],
};

function readServiceError(body: Uint8Array): ServiceError | null {
  const value = parseErrorBody(body);
  if (value === null || value.success !== false || !isRecord(value.error)) return null;
  const { code } = value.error;
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) return null;
  return { code, requestId: readRequestId(value.requestId) };
}

function failureOf(answer: RefusedAnswer): SourceFailed {
  const byStatus = ADVICE_BY_STATUS[answer.status];
  const serverSide = answer.status >= 500;
  const known = answer.error !== null && ADVICE[answer.error.code] !== undefined ? answer.error.code : null;
  const code = known ?? byStatus?.code ?? (serverSide ? 'SERVICE_UNAVAILABLE' : (answer.error?.code ?? 'REFUSED'));
  const advice = ADVICE[code] ?? byStatus?.advice ?? (serverSide ? 'run again later' : 'ask the service why');
  const said = answer.error === null ? 'without the documented error body' : `code ${answer.error.code}`;
  const requestId = answer.error?.requestId ?? answer.requestId;
  return new SourceFailed(
    code,
    `${answer.request} was answered with status ${answer.status} (${said}, request ${requestId}): ${advice}.`,
  );
}
