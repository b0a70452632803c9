// Login and logout, and whose session a call belongs to. A login takes an operator's token once, or
// the word of a provider, and begins a session under a new id. A form is refused without the token
// of its page, and when another site has sent it. A form that comes when its session has ended is
// kept for the page that follows the login.

import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPermitted, refusalOf } from '../../core/domain/operators/role.ts';
import type { LabelLanguage } from '../../core/words/tree.ts';
import type { Server } from '../http/port/api.ts';
import { DirectError } from '../http/port/errors.ts';
import { checkGuarded } from '../http/port/limits.ts';
import { identify, noteOperator, type OperatorGuard } from '../http/port/operators.ts';
import {
  type Draft,
  hashOf,
  type KnownOperator,
  SESSION_HOURS,
  type Sessions,
} from '../workflows/operators/known-operators.ts';
import { worded } from './port/cells.ts';
import { type Fields, fieldsOf, hidden } from './port/forms.ts';
import { html } from './port/html.ts';
import { layout, sendPage, type Visiting } from './port/layout.ts';
import { cookieOf, formTokenOf, languageOf, type Visit, visitOf } from './port/visit.ts';
import { type Provider, RETURN } from './provider.ts';

export interface Entrance extends OperatorGuard {
  readonly sessions: Sessions;
  /** The language where neither the address nor the browser names one. */
  readonly language: LabelLanguage;
  /** Whether people reach the server over TLS by its configuration. */
  readonly isPublicSecure: boolean;
  /** `null`: people log in with their token alone. */
  readonly provider: Provider | null;
  readonly log: (event: object) => void;
}

const SESSION = 'pointage_session';
/** Cookie of a browser that has not logged in yet, so that the login form has a form token too. */
const ENTRY = 'pointage_entry';
/** Cookie of a login that goes on at the provider: the login's id, and what waits for its end. */
const WAITING = 'pointage_login';
const MOST_DRAFT = 6_000;

/** Returns who visits; `null` for a visitor without a session, to whom the login page was sent. */
export async function visitorOf(
  entrance: Entrance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visiting | null> {
  const language = languageOf(request, reply, entrance.language);
  const id = sessionId(entrance, request);
  const session = id === null ? null : await entrance.sessions.find(id);
  if (id === null || session === null || !isPermitted(session.operator, 'read')) {
    await sendLogin(entrance, { request, reply, status: request.method === 'POST' ? 401 : 200 });
    return null;
  }
  const { operator, draft } = session;
  noteOperator(request, operator, 'console');
  if (request.method === 'POST') checkForm(request, id);
  const visit = visitOf(request, language, { operator, formToken: formTokenOf(id), draft: null });
  const isOfPage = draft !== null && draft.path === visit.path;
  if (isOfPage && request.method === 'POST') await entrance.sessions.forgetDraft(id);
  return { ...visit, operator, draft: isOfPage ? draft.fields : null };
}

function checkForm(request: FastifyRequest, id: string): void {
  if (isForeign(request) || fieldsOf(request).form !== formTokenOf(id))
    throw new DirectError(
      403,
      'FORM_REFUSED',
      'The form was not sent from a page of this session.',
    );
}

/** Whether another site has sent the form. Browsers say so over TLS and at the machine itself. */
function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isSecure({ isPublicSecure }: Entrance, { protocol }: FastifyRequest): boolean {
  return isPublicSecure || protocol === 'https';
}

/**
 * Returns the name of a cookie. Over TLS it has a prefix, so that no other host, and no call
 * without TLS, can set the cookie for us.
 */
function nameOf(entrance: Entrance, request: FastifyRequest, name: string): string {
  return isSecure(entrance, request) ? `__Host-${name}` : name;
}

function sessionId(entrance: Entrance, request: FastifyRequest): string | null {
  return cookieOf(request, nameOf(entrance, request, SESSION));
}

function setCookie(
  entrance: Entrance,
  { request, reply }: Pick<Call, 'request' | 'reply'>,
  {
    name,
    value,
    seconds,
  }: { readonly name: string; readonly value: string; readonly seconds: number },
): void {
  // A person who comes back from the provider comes from another site.
  const site = name === WAITING ? 'Lax' : 'Strict';
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${site}${isSecure(entrance, request) ? '; Secure' : ''}`;
  reply.header('set-cookie', `${nameOf(entrance, request, name)}=${value}; ${attributes}`);
}

type Fault = 'wrong' | 'tooMany' | 'form' | 'role' | 'provider' | 'unknown';

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly status: number;
  /** What went wrong with the last try. */
  readonly fault?: Fault;
  /**
   * The address that the login leads to, and the draft that goes along; absent: as the call says.
   */
  readonly destination?: Record<'next' | 'draft', string>;
}

async function sendLogin(entrance: Entrance, call: Call): Promise<FastifyReply> {
  const { request, reply, status, fault } = call;
  const language = languageOf(request, reply, entrance.language);
  const known = cookieOf(request, nameOf(entrance, request, ENTRY));
  const entry =
    known !== null && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url');
  setCookie(entrance, call, { name: ENTRY, value: entry, seconds: 3_600 });
  const visit = visitOf(request, language, {
    operator: null,
    formToken: formTokenOf(entry),
    draft: null,
  });
  const { next, draft } = call.destination ?? destinationOf(request, visit);
  const { login } = visit.words;
  const carried = hidden({ form: visit.formToken, next, draft });
  const byProvider =
    entrance.provider === null || waitingOf(entry, { next, draft }).length > LONGEST_WAITING
      ? null
      : html`<form class="login" method="post" action="/login/provider">${carried}<button>${worded(visit, login.by, { provider: entrance.provider.name })}</button></form>`;
  const body = html`<form class="login" method="post" action="/login">
${fault === undefined ? null : html`<p class="fault" role="alert">${login[fault]}</p>`}
${draft === '' ? null : html`<p class="note">${login.kept}</p>`}
<label for="token">${login.token}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
${carried}
<button>${login.enter}</button>
<p class="hint">${login.hint}</p>
</form>${byProvider}`;
  return sendPage(reply.code(status), layout(visit, login.title, body));
}

/**
 * Returns the address that the login leads to, and the text of the draft that goes along; empty: no
 * draft.
 */
function destinationOf(
  request: FastifyRequest,
  { path, address }: Visit,
): Record<'next' | 'draft', string> {
  const { next = '/', draft = '', form: _, ...fields } = fieldsOf(request);
  if (path.startsWith('/login')) return { next: placeOf(next), draft };
  if (request.method === 'GET') return { next: address, draft: '' };
  const kept = JSON.stringify(fields);
  const isKept =
    path !== '/logout' &&
    !isForeign(request) &&
    Object.keys(fields).length > 0 &&
    kept.length <= MOST_DRAFT;
  return { next: path === '/logout' ? '/' : address, draft: isKept ? kept : '' };
}

/** Returns the address `next` if it is a page of this server, else the first page. */
function placeOf(next: string): string {
  return /^\/(?:console\/[\w./?&=%+~!*'():@,-]*)?$/.test(next) && !next.includes('..') ? next : '/';
}

function draftOf(text: string, place: string): Draft | null {
  if (text === '' || text.length > MOST_DRAFT) return null;
  try {
    const fields = Object.entries(JSON.parse(text) as object).filter(
      ([, value]) => typeof value === 'string',
    );
    return { path: place.split('?')[0]!, fields: Object.fromEntries(fields) as Fields };
  } catch {
    return null;
  }
}

export function addEntrance(room: Server, entrance: Entrance): void {
  room.get('/login', { schema: { hide: true } }, (request, reply) =>
    sendLogin(entrance, { request, reply, status: 200 }),
  );
  room.post('/login', { schema: { hide: true } }, (request, reply) =>
    enter(entrance, request, reply),
  );
  addProviderLogin(room, entrance);
  room.post('/logout', { schema: { hide: true } }, async (request, reply) => {
    const visit = await visitorOf(entrance, request, reply);
    if (visit === null) return reply;
    await entrance.sessions.end(sessionId(entrance, request)!);
    setCookie(entrance, { request, reply }, { name: SESSION, value: '', seconds: 0 });
    return reply.redirect('/login', 303);
  });
}

/** Whether the form is of a login page of this browser. */
function isOfEntry(entrance: Entrance, request: FastifyRequest): boolean {
  const entry = cookieOf(request, nameOf(entrance, request, ENTRY));
  return entry !== null && !isForeign(request) && fieldsOf(request).form === formTokenOf(entry);
}

async function enter(
  entrance: Entrance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token = '', next = '/', draft = '' } = fieldsOf(request);
  if (!isOfEntry(entrance, request))
    return sendLogin(entrance, { request, reply, status: 403, fault: 'form' });
  const call = { request, reply, token: `Bearer ${token.trim()}` };
  try {
    const operator = await checkGuarded(entrance.wrong, call, (given) =>
      identify(entrance.findOperator, given),
    );
    const known = { ...operator, hash: hashOf(token.trim()) };
    const place = placeOf(next);
    await beginSession(entrance, call, { known, draft: draftOf(draft, place) });
    return await reply.redirect(place, 303);
  } catch (failure) {
    if (!(failure instanceof DirectError)) throw failure;
    const fault = failure.status === 429 ? 'tooMany' : failure.status === 403 ? 'role' : 'wrong';
    return sendLogin(entrance, { request, reply, status: failure.status, fault });
  }
}

async function endEarlier(entrance: Entrance, request: FastifyRequest): Promise<void> {
  const earlier = sessionId(entrance, request);
  if (earlier !== null) await entrance.sessions.end(earlier);
}

/** Begins a session. Throws `DirectError` 403 for an operator who may read nothing. */
async function beginSession(
  entrance: Entrance,
  call: Pick<Call, 'request' | 'reply'>,
  { known, draft }: { readonly known: KnownOperator; readonly draft: Draft | null },
): Promise<void> {
  const { request } = call;
  const refusal = refusalOf(known, 'read');
  if (refusal !== null) throw new DirectError(403, 'FORBIDDEN', refusal);
  noteOperator(request, known, 'console');
  await endEarlier(entrance, request);
  const id = await entrance.sessions.begin(known, draft);
  setCookie(entrance, call, { name: SESSION, value: id, seconds: SESSION_HOURS * 3_600 });
  setCookie(entrance, call, { name: ENTRY, value: '', seconds: 0 });
}

function addProviderLogin(room: Server, entrance: Entrance): void {
  const { provider, log } = entrance;
  if (provider === null) return;
  const refuse = (call: Omit<Call, 'status' | 'fault'>, status: number, fault: Fault) =>
    sendLogin(entrance, { ...call, status, fault });
  room.post('/login/provider', { schema: { hide: true } }, async (request, reply) => {
    const call = { request, reply };
    if (!isOfEntry(entrance, request)) return refuse(call, 403, 'form');
    const id = randomBytes(32).toString('base64url');
    await endEarlier(entrance, request);
    try {
      const address = await provider.addressOf(id);
      const { next = '/', draft = '' } = fieldsOf(request);
      setCookie(entrance, call, {
        name: WAITING,
        value: waitingOf(id, { next, draft }),
        seconds: 600,
      });
      return sendOn(entrance, call, address);
    } catch (failure) {
      log({ event: 'provider away', failure });
      return refuse(call, 503, 'provider');
    }
  });
  room.get(RETURN, { schema: { hide: true } }, async (request, reply) => {
    const [id = '', ...kept] = (cookieOf(request, nameOf(entrance, request, WAITING)) ?? '').split(
      '.',
    );
    const [next = '', draft = ''] = kept.map((part) => Buffer.from(part, 'base64url').toString());
    const call = { request, reply, destination: { next: placeOf(next), draft } };
    setCookie(entrance, call, { name: WAITING, value: '', seconds: 0 });
    if (id === '') return refuse(call, 403, 'form');
    const name = await provider.nameAt(id, request.url).catch((failure: unknown) => {
      log({ event: 'provider refused', failure });
      return null;
    });
    if (name === null) return refuse(call, 403, 'provider');
    const known = await provider.findNamed(name);
    if (known === null || !isPermitted(known, 'read'))
      return refuse(call, 403, known === null ? 'unknown' : 'role');
    await beginSession(entrance, call, { known, draft: draftOf(draft, call.destination.next) });
    return sendOn(entrance, call, call.destination.next);
  });
}

/** Characters of the waiting cookie, because browsers keep no cookie that is longer. */
const LONGEST_WAITING = 4_000;

function waitingOf(id: string, { next, draft }: Record<'next' | 'draft', string>): string {
  return [
    id,
    ...[placeOf(next), draft].map((text) => Buffer.from(text).toString('base64url')),
  ].join('.');
}

/**
 * Leads to `address` by a page of ours. A redirect is not followed from a form to another site, and
 * one that comes from another site brings no strict cookie.
 */
function sendOn(
  entrance: Entrance,
  { request, reply }: Pick<Call, 'request' | 'reply'>,
  address: string,
): FastifyReply {
  const language = languageOf(request, reply, entrance.language);
  const visit = visitOf(request, language, { operator: null, formToken: '', draft: null });
  const { title, go } = visit.words.login;
  return sendPage(
    reply.header('refresh', `0;url=${address}`),
    layout(visit, title, html`<p><a href="${address}">${go}</a></p>`),
  );
}
