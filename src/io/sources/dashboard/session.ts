// A merchant's session: logs in when a token is needed, sends the token bare in its header, and
// logs in again once when the token is refused, because the document does not say how long a token
// lives. Keeps the token only in memory, and repeats it nowhere. Refuses two merchants whose logins
// open the same account.

import type { Answered } from '../../../core/domain/published/payout-place.ts';
import { type Decoded, LONGEST_ID } from '../../../core/domain/rows/decode-object.ts';
import type { Batch } from '../../../core/domain/snapshot.ts';
import { decodeItems, type RowForm, rejectRow, splitItems } from '../decode/decode-row.ts';
import { wholeValue } from '../decode/json-spans.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { SourceFailed } from '../port/source.ts';
import {
  cut,
  type Dialect,
  type Found,
  isRecord,
  parseErrorBody,
  type RefusedAnswer,
  type ServiceError,
  unknown,
} from '../web/dialect.ts';
import { askWeb, type WebQuestion } from '../web/transport.ts';
import { isHeaderValue } from '../web/web-settings.ts';
import type { DashboardSettings } from './dashboard-settings.ts';

export interface Session {
  readonly settings: DashboardSettings;
  readonly merchant: string;
  /** Aborts all requests under way when the reading is closed. */
  readonly stop: AbortSignal;
  /** The login, done or under way; `null` before the first. Requests at the same time share it. */
  login: Promise<Login> | null;
  readonly owners: Owners;
}

interface Login {
  readonly token: string;
  /** `user.merchant_id`; `null` when the login does not return it. */
  readonly merchantId: string | null;
}

/**
 * For each account that a login opens, the merchants that have credentials for it. More than one is
 * a mistake of the settings.
 */
export type Owners = Map<string, Set<string>>;

/** A request of a session; the merchant's reference is added to its query. */
type SessionQuestion<Value> = Pick<WebQuestion<Value>, 'path' | 'query' | 'read'>;

const LOGIN_PATH = '/user/login-merchant';
const LONGEST_TOKEN = 8_192;

/**
 * Sends a request with the session's token. Throws `SourceFailed`: a request without an answer
 * never yields an empty one.
 */
async function askWithToken<Value>(
  session: Session,
  question: SessionQuestion<Value>,
): Promise<Value> {
  const login = loginOf(session);
  const opened = await login;
  expectAlone(session, opened);
  try {
    return await askOnce(session, question, opened);
  } catch (failure) {
    if (!(failure instanceof SourceFailed) || failure.code !== TOKEN_REFUSED) throw failure;
    noteLogin(session, question.path, failure);
  }
  // Another request may have logged in again in the meantime.
  if (session.login === login) session.login = null;
  return askOnce(session, question, await loginOf(session));
}

function noteLogin({ merchant, settings }: Session, path: string, failure: SourceFailed): void {
  const request = `GET ${path} of ${merchant}`;
  settings.log({ what: 'login', merchant, request, why: failure.message, wait: 0 });
}

const TOKEN_REFUSED = 'INVALID_CREDENTIALS';

/**
 * Throws when another merchant's credentials open the same account. It is not known which of the
 * two has the wrong ones, so that neither is read further.
 */
function expectAlone({ merchant, owners }: Session, { merchantId }: Login): void {
  if (merchantId === null) return;
  const configured = owners.get(merchantId) ?? new Set();
  owners.set(merchantId, configured.add(merchant));
  const other = [...configured].find((one) => one !== merchant);
  if (other === undefined) return;
  throw new SourceFailed(
    'WRONG_MERCHANT',
    `The dashboard credentials configured for ${merchant} and for ${other} open one and the same merchant: correct the settings.`,
  );
}

async function askOnce<Value>(
  session: Session,
  question: SessionQuestion<Value>,
  { token }: Login,
): Promise<Value> {
  const { settings, merchant, stop } = session;
  const answer = await askWeb(settings, {
    merchant,
    path: question.path,
    query: { [settings.parameters.merchant]: merchant, ...question.query },
    read: question.read,
    stop,
    request: `GET ${question.path} of ${merchant}`,
    headers: { authenticationtoken: token },
    dialect: DASHBOARD_API,
  });
  if (answer.kind === 'missing') throw answer.failure;
  return answer.value;
}

/**
 * Returns the login done or under way, else a new one. A failed login is not kept, so that the next
 * request tries again.
 */
export function loginOf(session: Session): Promise<Login> {
  if (session.login !== null) return session.login;
  const login = logIn(session);
  session.login = login;
  login.catch(() => {
    if (session.login === login) session.login = null;
  });
  return login;
}

async function logIn({ settings, merchant, stop }: Session): Promise<Login> {
  const request = `POST ${LOGIN_PATH} of ${merchant}`;
  const { numero, password } = settings.merchants[merchant]!;
  const answer = await askWeb(settings, {
    merchant,
    path: LOGIN_PATH,
    query: {},
    read: readLogin,
    stop,
    request,
    headers: {},
    body: JSON.stringify({ numero, password }),
    dialect: DASHBOARD_API,
  });
  if (answer.kind === 'answered') return answer.value;
  throw new SourceFailed(
    'LOGIN_REFUSED',
    `${request} was refused: check this merchant's numero and password for the dashboard.`,
  );
}

/**
 * Reads the answer to a login. The reason of a refusal never quotes the body, because it holds the
 * token.
 */
function readLogin(body: Uint8Array): Found<Login> {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return cut('the body is not one whole JSON value');
  const { access_token: token, user } = isRecord(parsed.value) ? parsed.value : {};
  const isToken =
    typeof token === 'string' && token.length <= LONGEST_TOKEN && isHeaderValue(token);
  if (!isToken) return unknown('it holds no access_token that a header may hold');
  const id = isRecord(user) ? user.merchant_id : undefined;
  const isId = typeof id === 'string' && id !== '' && id.length <= LONGEST_ID;
  return { ok: true, value: { token, merchantId: isId ? id : null } };
}

// How the dashboard API words its refusals (dashboard API, "Errors"): by `statusCode` alone. Its
// messages are never repeated, because they are free text and may contain what was sent.

interface Meaning {
  readonly code: string;
  readonly advice: string;
}

const MEANINGS: Readonly<Record<number, Meaning>> = {
  400: {
    code: 'VALIDATION_ERROR',
    advice: 'the service does not accept these parameters, check dashboard.parameters',
  },
  401: {
    code: 'INVALID_CREDENTIALS',
    advice: "check this merchant's numero and password for the dashboard",
  },
  403: { code: 'FORBIDDEN', advice: "check the account's status and its allowed addresses" },
  404: { code: 'NOT_FOUND', advice: "check dashboard.baseUrl and the merchant's reference" },
  429: { code: 'RATE_LIMITED', advice: 'wait, or read fewer merchants at once' },
};

const DASHBOARD_API: Dialect = {
  readError,
  failureOf,
  address: 'dashboard.baseUrl',
  settings: 'dashboard',
  shape: [],
};

/** Reads the error body; `code` is the status that it states. */
function readError(body: Uint8Array): ServiceError | null {
  const value = parseErrorBody(body);
  if (value === null) return null;
  const { statusCode, message } = value;
  const isStatus =
    Number.isInteger(statusCode) && (statusCode as number) >= 400 && (statusCode as number) < 600;
  return isStatus && typeof message === 'string'
    ? { code: String(statusCode), requestId: null }
    : null;
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

// Requests one answer: a list, whose items are decoded or refused with their own bytes, a single
// object, or a file.

interface WantedRows<Row> extends RowForm<Row> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the rows in served order. Throws `SourceFailed`. */
export async function askRows<Row>(session: Session, wanted: WantedRows<Row>): Promise<Batch<Row>> {
  const items = await askWithToken(session, {
    path: wanted.path,
    query: wanted.query,
    read: readItems,
  });
  return decodeItems(items, wanted);
}

/** Reads a bare list, as the document shows them: "Array of Reports", "array of Payments". */
function readItems(body: Uint8Array): Found<readonly Uint8Array[]> {
  const split = splitItems(body);
  if (split.ok) return { ok: true, value: split.items };
  return split.isCut ? cut(split.reason) : unknown(split.reason);
}

/**
 * Requests a single object. The bytes of a refused object are not kept, because a compliance file
 * holds identity papers.
 */
export async function askSingle<Value>(
  session: Session,
  wanted: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly decode: (value: unknown) => Decoded<Value>;
  },
): Promise<Omit<Answered<Value>, 'absent'>> {
  const read = (body: Uint8Array): Found<Decoded<Value>> => {
    const parsed = parseStrictJson(body);
    if (!parsed.ok && wholeValue(body) === null) return cut('the body is not one whole JSON value');
    return { ok: true, value: parsed.ok ? wanted.decode(parsed.value) : parsed };
  };
  const decoded = await askWithToken(session, {
    path: wanted.path,
    query: wanted.query ?? {},
    read,
  });
  if (decoded.ok) return { value: decoded.value, rejected: [] };
  const place = `GET ${wanted.path}`;
  return {
    value: null,
    rejected: [rejectRow({ part: 'payouts', place, refused: decoded, raw: '' })],
  };
}

/**
 * Returns the bytes of a file as they are served. An empty file counts as none. Throws
 * `SourceFailed`, also when the file is longer than maxResponseBytes.
 */
export function askFile(session: Session, path: string): Promise<Uint8Array> {
  const read = (body: Uint8Array): Found<Uint8Array> =>
    body.length === 0 ? cut('the file is empty') : { ok: true, value: body };
  return askWithToken(session, { path, query: {}, read });
}
