// A merchant's session: logs in when a token is wanted, sends the token bare in its header, and
// logs in again once when a token is refused, since how long one lives is not shown. Keeps the
// token in memory only and repeats it nowhere. Two merchants whose logins open one and the same are
// refused.

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
  /** Stops whatever is under way when the reading is closed. */
  readonly stop: AbortSignal;
  /** Done or under way; null before the first. Requests under way at once share it. */
  login: Promise<Login> | null;
  readonly owners: Owners;
}

interface Login {
  readonly token: string;
  /** `user.merchant_id`; null where it is not said. */
  readonly merchantId: string | null;
}

/** By the merchant that a login opens, the merchants that it is configured for: one. */
export type Owners = Map<string, Set<string>>;

/** The merchant's reference is added to the query. */
type SessionQuestion<Value> = Pick<WebQuestion<Value>, 'path' | 'query' | 'read'>;

const LOGIN_PATH = '/user/login-merchant';
const LONGEST_TOKEN = 8_192;

/** Throws `SourceFailed`: a question without an answer never gives an empty one. */
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
  // Another request may have logged in again meanwhile.
  if (session.login === login) session.login = null;
  return askOnce(session, question, await loginOf(session));
}

function noteLogin({ merchant, settings }: Session, path: string, failure: SourceFailed): void {
  const request = `GET ${path} of ${merchant}`;
  settings.log({ what: 'login', merchant, request, why: failure.message, wait: 0 });
}

const TOKEN_REFUSED = 'INVALID_CREDENTIALS';

/**
 * A merchant has one reference. Which of the two has the credentials of the other is not known:
 * neither is read on.
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
 * The login under way or done, else a new one. One that fails is not kept: the next request tries
 * again.
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

/** The reason never quotes the body: it holds the token. */
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
// messages are never repeated: they are free text, and may hold what was sent.

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

/** `code` is the status that the body states. */
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

// One answer: a list, each item decoded or refused with its own bytes, a single object, or a file.

interface WantedRows<Row> extends RowForm<Row> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The rows in served order. Throws `SourceFailed`. */
export async function askRows<Row>(session: Session, wanted: WantedRows<Row>): Promise<Batch<Row>> {
  const items = await askWithToken(session, {
    path: wanted.path,
    query: wanted.query,
    read: readItems,
  });
  return decodeItems(items, wanted);
}

/** "Array of Reports", "array of Payments": the document shows lists bare. */
function readItems(body: Uint8Array): Found<readonly Uint8Array[]> {
  const split = splitItems(body);
  if (split.ok) return { ok: true, value: split.items };
  return split.isCut ? cut(split.reason) : unknown(split.reason);
}

/** The object's bytes are not kept when it is refused: a compliance file holds identity papers. */
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
 * The bytes as they are served; a file that is empty is none. Throws `SourceFailed`, also where it
 * is larger than the cap.
 */
export function askFile(session: Session, path: string): Promise<Uint8Array> {
  const read = (body: Uint8Array): Found<Uint8Array> =>
    body.length === 0 ? cut('the file is empty') : { ok: true, value: body };
  return askWithToken(session, { path, query: {}, read });
}
