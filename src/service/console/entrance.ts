// Login and logout, and whose session a call belongs to. A login takes an operator's token once and begins a session under a new
// id. Refuses a form without the token of its page, and one that another site has sent. A form that comes when its
// session has ended is kept for the page that follows the login.

import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPermitted, refusalOf } from '../../core/domain/operators/role.ts';
import type { LabelLanguage } from '../../core/words/tree.ts';
import type { Server } from '../http/port/api.ts';
import { DirectError } from '../http/port/errors.ts';
import { checkGuarded } from '../http/port/limits.ts';
import { identify, noteOperator, type OperatorGuard } from '../http/port/operators.ts';
import { type Draft, SESSION_HOURS, type Sessions } from '../workflows/operators/sessions.ts';
import { type Fields, fieldsOf } from './port/forms.ts';
import { html, type Shown } from './port/html.ts';
import { layout, sendPage } from './port/layout.ts';
import type { Visiting } from './port/pages.ts';
import { cookieOf, formTokenOf, languageOf, type Visit, visitOf } from './port/visit.ts';

export interface Entrance extends OperatorGuard {
  readonly sessions: Sessions;
  /** Where neither the address nor the browser says one. */
  readonly language: LabelLanguage;
  /** Whether people reach the server over TLS by its configuration. */
  readonly isPublicSecure: boolean;
}

const SESSION = 'pointage_session';
/** Of a browser that has not logged in yet, so that the login has a form token too. */
const ENTRY = 'pointage_entry';
const MOST_DRAFT = 6_000;

/** Who visits; null: without a session, and the login page was sent. */
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
    throw new DirectError(403, 'FORM_REFUSED', 'The form was not sent from a page of this session.');
}

/** Browsers say so over TLS and at the machine itself. */
function isForeign({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isSecure({ isPublicSecure }: Entrance, { protocol }: FastifyRequest): boolean {
  return isPublicSecure || protocol === 'https';
}

/** A cookie that no other host, and no call without TLS, can set for us. */
function nameOf(entrance: Entrance, request: FastifyRequest, name: string): string {
  return isSecure(entrance, request) ? `__Host-${name}` : name;
}

function sessionId(entrance: Entrance, request: FastifyRequest): string | null {
  return cookieOf(request, nameOf(entrance, request, SESSION));
}

function setCookie(
  entrance: Entrance,
  { request, reply }: Pick<Call, 'request' | 'reply'>,
  { name, value, seconds }: { readonly name: string; readonly value: string; readonly seconds: number },
): void {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(entrance, request) ? '; Secure' : ''}`;
  reply.header('set-cookie', `${nameOf(entrance, request, name)}=${value}; ${attributes}`);
}

interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly status: number;
  /** What went wrong with the last try. */
  readonly fault?: 'wrong' | 'tooMany' | 'form' | 'role';
}

async function sendLogin(entrance: Entrance, call: Call): Promise<void> {
  const { request, reply, status, fault } = call;
  const language = languageOf(request, reply, entrance.language);
  const known = cookieOf(request, nameOf(entrance, request, ENTRY));
  const entry = known !== null && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url');
  setCookie(entrance, call, { name: ENTRY, value: entry, seconds: 3_600 });
  const visit = visitOf(request, language, { operator: null, formToken: formTokenOf(entry), draft: null });
  const { next, draft } = destinationOf(request, visit);
  const { login } = visit.words;
  const hidden = (name: string, value: string): Shown => html`<input type="hidden" name="${name}" value="${value}">`;
  const body = html`<form class="login" method="post" action="/login">
${fault === undefined ? null : html`<p class="fault" role="alert">${login[fault]}</p>`}
${draft === '' ? null : html`<p class="note">${login.kept}</p>`}
<label for="token">${login.token}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
${hidden('form', visit.formToken)}${hidden('next', next)}${hidden('draft', draft)}
<button>${login.enter}</button>
<p class="hint">${login.hint}</p>
</form>`;
  await sendPage(reply.code(status), layout(visit, login.title, body));
}

/** Where the login leads, and the text of the draft that goes along; empty: none. */
function destinationOf(request: FastifyRequest, { path, address }: Visit): Record<'next' | 'draft', string> {
  const { next = '/', draft = '', form: _, ...fields } = fieldsOf(request);
  if (path === '/login') return { next: placeOf(next), draft };
  if (request.method === 'GET') return { next: address, draft: '' };
  const kept = JSON.stringify(fields);
  const isKept =
    path !== '/logout' && !isForeign(request) && Object.keys(fields).length > 0 && kept.length <= MOST_DRAFT;
  return { next: path === '/logout' ? '/' : path, draft: isKept ? kept : '' };
}

/** A page of this server; anything else is the first page. */
function placeOf(next: string): string {
  return /^\/(?:console\/[\w./?&=%+~!*'():@,-]*)?$/.test(next) && !next.includes('..') ? next : '/';
}

function draftOf(text: string, path: string): Draft | null {
  if (text === '' || text.length > MOST_DRAFT) return null;
  try {
    const fields = Object.entries(JSON.parse(text) as object).filter(([, value]) => typeof value === 'string');
    return { path, fields: Object.fromEntries(fields) as Fields };
  } catch {
    return null;
  }
}

export function addEntrance(room: Server, entrance: Entrance): void {
  room.get('/login', { schema: { hide: true } }, async (request, reply) => {
    await sendLogin(entrance, { request, reply, status: 200 });
    return reply;
  });
  room.post('/login', { schema: { hide: true } }, async (request, reply) => {
    await enter(entrance, request, reply);
    return reply;
  });
  room.post('/logout', { schema: { hide: true } }, async (request, reply) => {
    const visit = await visitorOf(entrance, request, reply);
    if (visit === null) return reply;
    await entrance.sessions.end(sessionId(entrance, request)!);
    setCookie(entrance, { request, reply }, { name: SESSION, value: '', seconds: 0 });
    return reply.redirect('/login', 303);
  });
}

async function enter(entrance: Entrance, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { token = '', form, next = '/', draft = '' } = fieldsOf(request);
  const entry = cookieOf(request, nameOf(entrance, request, ENTRY));
  if (entry === null || isForeign(request) || form !== formTokenOf(entry)) {
    await sendLogin(entrance, { request, reply, status: 403, fault: 'form' });
    return;
  }
  const call = { request, reply, token: `Bearer ${token.trim()}` };
  try {
    const operator = await checkGuarded(entrance.wrong, call, (given) => identify(entrance.findOperator, given));
    const refusal = refusalOf(operator, 'read');
    if (refusal !== null) throw new DirectError(403, 'FORBIDDEN', refusal);
    noteOperator(request, operator, 'console');
    const earlier = sessionId(entrance, request);
    if (earlier !== null) await entrance.sessions.end(earlier);
    const place = placeOf(next);
    const id = await entrance.sessions.begin(operator.name, token.trim(), draftOf(draft, place.split('?')[0]!));
    setCookie(entrance, call, { name: SESSION, value: id, seconds: SESSION_HOURS * 3_600 });
    setCookie(entrance, call, { name: ENTRY, value: '', seconds: 0 });
    await reply.redirect(place, 303);
  } catch (failure) {
    if (!(failure instanceof DirectError)) throw failure;
    const fault = failure.status === 429 ? 'tooMany' : failure.status === 403 ? 'role' : 'wrong';
    await sendLogin(entrance, { request, reply, status: failure.status, fault });
  }
}
