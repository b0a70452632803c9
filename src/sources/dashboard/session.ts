// A merchant's session: logs in when a token is wanted, sends the token bare in its header, and logs in again once when a
// token is refused, since how long one lives is not shown. Keeps the token in memory only and repeats it nowhere.

import { parseStrictJson } from '../decode/strict-json.ts';
import { SourceFailed } from '../source.ts';
import { isRecord } from '../web/dialect.ts';
import { cut, type Found, unknown } from '../web/found.ts';
import { type Answer, askWeb } from '../web/transport.ts';
import { isHeaderValue } from '../web/web-settings.ts';
import { DASHBOARD_API } from './dashboard-dialect.ts';
import type { DashboardSettings } from './dashboard-settings.ts';

export interface Session {
  readonly settings: DashboardSettings;
  readonly merchant: string;
  /** Stops whatever is under way when the reading is closed. */
  readonly stop: AbortSignal;
  /** The token, or the login that will bring it; null before the first. Requests under way at once share it. */
  token: Promise<string> | null;
}

export interface SessionQuestion<Value> {
  /** Under the base address, with a leading `/`. */
  readonly path: string;
  /** The merchant's reference is added. */
  readonly query: Readonly<Record<string, string>>;
  readonly read: (body: Uint8Array) => Found<Value>;
}

type Read<Value> = Exclude<Answer<Value>, { readonly kind: 'missing' }>;

const LOGIN_PATH = '/user/login-merchant';
const LONGEST_TOKEN = 8_192;

/** Throws `SourceFailed`: what cannot be had at all is never an empty answer. */
export async function askWithToken<Value>(session: Session, question: SessionQuestion<Value>): Promise<Read<Value>> {
  const login = currentLogin(session);
  const token = await login;
  try {
    return await askOnce(session, question, token);
  } catch (failure) {
    if (!(failure instanceof SourceFailed) || failure.code !== TOKEN_REFUSED) throw failure;
    noteLogin(session, question.path, failure);
  }
  // Another request may have logged in again meanwhile.
  if (session.token === login) session.token = null;
  return askOnce(session, question, await currentLogin(session));
}

function noteLogin({ merchant, settings }: Session, path: string, failure: SourceFailed): void {
  const request = `GET ${path} of ${merchant}`;
  settings.log({ what: 'login', merchant, request, why: failure.message, wait: 0 });
}

const TOKEN_REFUSED = 'INVALID_CREDENTIALS';

async function askOnce<Value>(session: Session, question: SessionQuestion<Value>, token: string): Promise<Read<Value>> {
  const { settings, merchant, stop } = session;
  const answer = await askWeb(settings, {
    merchant,
    path: question.path,
    query: { [settings.parameters.merchant]: merchant, ...question.query },
    read: question.read,
    stop,
    request: `GET ${question.path} of ${merchant}`,
    method: 'GET',
    headers: { authenticationtoken: token },
    body: null,
    expects: 200,
    dialect: DASHBOARD_API,
  });
  if (answer.kind === 'missing') throw answer.failure;
  return answer;
}

/** The login under way or done, else a new one. One that fails is not kept: the next request tries again. */
function currentLogin(session: Session): Promise<string> {
  if (session.token !== null) return session.token;
  const login = requestToken(session);
  session.token = login;
  login.catch(() => {
    if (session.token === login) session.token = null;
  });
  return login;
}

async function requestToken({ settings, merchant, stop }: Session): Promise<string> {
  const request = `POST ${LOGIN_PATH} of ${merchant}`;
  const { numero, password } = settings.merchants[merchant]!;
  const answer = await askWeb(settings, {
    merchant,
    path: LOGIN_PATH,
    query: {},
    read: readToken,
    stop,
    request,
    method: 'POST',
    headers: {},
    body: JSON.stringify({ numero, password }),
    expects: 201,
    dialect: DASHBOARD_API,
  });
  if (answer.kind === 'answered') return answer.value;
  if (answer.kind === 'too-large') throw answer.failure;
  throw new SourceFailed(
    'LOGIN_REFUSED',
    `${request} was refused: check this merchant's numero and password for the dashboard.`,
  );
}

/** The reason never quotes the body: it holds the token. */
function readToken(body: Uint8Array): Found<string> {
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return cut('the body is not one whole JSON value');
  const token = isRecord(parsed.value) ? parsed.value.access_token : undefined;
  const isToken = typeof token === 'string' && token.length <= LONGEST_TOKEN && isHeaderValue(token);
  return isToken ? { ok: true, value: token } : unknown('it holds no access_token that a header may hold');
}
