// A partner of one merchant, who calls the direct API over HTTP as its document asks: mostly for an operation of its own, at times for
// one that it has asked for before, as after a broken connection, and now and then with a mistake. All of it is drawn from a seed.
// Calls that fail for a while are made again, with the same Idempotency-Key where there is one.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Country } from '../../core/domain/amount.ts';
import { drawPhoneNumber, operatorsOf } from '../model/operators.ts';
import type { MerchantPlan } from '../model/plan.ts';
import { boundsOf } from '../model/postings.ts';
import { drawFrom, drawInteger, drawLetters, drawUnit, type Random, seedRandom } from '../model/random.ts';

export interface Tally {
  calls: number;
  /** Operations, and links that customers pay by, that calls have made. */
  operations: number;
  links: number;
  /** Code of a refusal that the document lists → how often. */
  readonly refused: Map<string, number>;
  /** Answers that nothing in the document explains. */
  readonly unexpected: string[];
}

/** What opens a merchant's account, and where. */
export interface Keys {
  /** Base address of the direct API, `/v1` included. */
  readonly url: string;
  readonly dashboardUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Null where there are no payments by link. */
  readonly dashboard: { readonly numero: string; readonly password: string } | null;
}

export interface Partner {
  readonly reference: string;
  readonly tally: Tally;
  /** A new signing secret (`whsec_…`), shown this once. */
  rotateSecret(): Promise<string>;
  /** Says that notifications of both APIs go to the server at `origin` from now on. */
  listenAt(origin: string): Promise<void>;
  /** Asks for `intents` things, one after another. Rejects when nobody answers. */
  work(intents: number): Promise<void>;
}

/** Refusals that a partner's own doing, or the state of its account, explains. */
const LAWFUL = new Set([
  'AMOUNT_OUT_OF_BOUNDS',
  'INSUFFICIENT_BALANCE',
  'DAILY_CASHOUT_LIMIT_EXCEEDED',
  'ACCOUNT_SUSPENDED',
  'WALLET_FROZEN',
]);
/** Keys are kept for a day; a partner repeats what it asked for lately. */
const MOST_REMEMBERED = 5;

/** `of` is the merchant that it works for; what it asks for follows from the seed. */
export function openPartner(keys: Keys, of: Omit<Customer, 'hasLinks'>, seed: string): Partner {
  const { reference } = of;
  const customer = { ...of, hasLinks: keys.dashboard !== null };
  const tally: Tally = { calls: 0, operations: 0, links: 0, refused: new Map(), unexpected: [] };
  const asker: Asker = { keys, reference, tally, made: [] };
  const random = seedRandom(`${seed}/${reference}/partner`);
  return {
    reference,
    tally,
    rotateSecret: async () => {
      const reply = await call(asker, { method: 'POST', path: '/merchants/me/webhook-secret/rotate' });
      if (reply.status !== 200) puzzle(asker, 'the rotation of its secret', reply);
      return (reply.body as { readonly webhookSecret: string }).webhookSecret;
    },
    listenAt: async (origin) => {
      const webhookUrl = `${origin}/notifications/direct/${reference}`;
      const reply = await call(asker, { method: 'PATCH', path: '/merchants/me', body: { webhookUrl } });
      if (reply.status !== 200 && !isLawfullyRefused(asker, reply)) puzzle(asker, 'where its notifications go', reply);
      if (keys.dashboard !== null) await listenToPayments(asker, keys.dashboard, origin);
    },
    work: async (intents) => {
      for (let i = 0; i < intents; i += 1) {
        const before = { made: asker.made.map(({ order }) => order), number: tally.calls };
        await follow(asker, drawIntent(random, customer, before));
      }
    },
  };
}

interface Asker {
  readonly keys: Keys;
  readonly reference: string;
  readonly tally: Tally;
  /** Its last orders, oldest first, with the references of their operations. */
  readonly made: { readonly order: Order; readonly operation: string | null }[];
}

function follow(asker: Asker, intent: Intent): Promise<void> {
  switch (intent.what) {
    case 'ORDER':
      return order(asker, intent.order);
    case 'REPEAT':
      return repeat(asker, intent.order);
    case 'ANOTHER_BODY':
      return askOtherwise(asker, intent.order);
    case 'LINK':
      return makeLink(asker, intent.link);
    default:
      return look(asker);
  }
}

async function order(asker: Asker, one: Order): Promise<void> {
  const reply = await place(asker, one);
  if (reply.status !== 201) {
    if (!isLawfullyRefused(asker, reply)) puzzle(asker, `POST /${one.endpoint}`, reply);
    return;
  }
  asker.tally.operations += 1;
  asker.made.push({ order: one, operation: operationIn(reply) });
  if (asker.made.length > MOST_REMEMBERED) asker.made.shift();
}

async function repeat(asker: Asker, one: Order): Promise<void> {
  const first = asker.made.find((earlier) => earlier.order === one)!;
  const reply = await place(asker, one);
  if (reply.status === 201 && operationIn(reply) === first.operation) return;
  puzzle(asker, 'the same call once more', reply);
}

async function askOtherwise(asker: Asker, one: Order): Promise<void> {
  const reply = await place(asker, one);
  if (reply.code === 'IDEMPOTENCY_KEY_REUSED') note(asker, reply.code);
  else puzzle(asker, 'another body under the same key', reply);
}

async function look(asker: Asker): Promise<void> {
  const last = asker.made.at(-1);
  const path = last === undefined ? '/wallet' : `/operations/${last.operation}`;
  const reply = await call(asker, { method: 'GET', path });
  if (reply.status !== 200 || (last !== undefined && operationIn(reply) !== last.operation)) puzzle(asker, path, reply);
}

async function makeLink(asker: Asker, link: { readonly amount: number; readonly order_id: string }): Promise<void> {
  const headers = keysIn(asker);
  const reply = await dashboard(asker, {
    method: 'POST',
    path: '/web-merchant/create-web-payment-link',
    headers,
    body: link,
  });
  if (reply.status === 201) asker.tally.links += 1;
  else if (reply.status === 403) note(asker, 'Account is not active');
  else puzzle(asker, 'a link to pay by', reply);
}

/** With a token of its own: it is needed once. */
async function listenToPayments(
  asker: Asker,
  { numero, password }: NonNullable<Keys['dashboard']>,
  origin: string,
): Promise<void> {
  const login = await dashboard(asker, {
    method: 'POST',
    path: '/user/login-merchant',
    headers: {},
    body: { numero, password },
  });
  const { access_token: authenticationtoken } = login.body as { readonly access_token: string };
  const { reference } = asker;
  const reply = await dashboard(asker, {
    method: 'PATCH',
    path: '/web-merchant/set-webhook-url',
    headers: { authenticationtoken },
    body: { reference, webhookUrl: `${origin}/notifications/payments/${reference}` },
  });
  if (reply.status !== 200) puzzle(asker, 'where notifications of payments go', reply);
}

function place(asker: Asker, { endpoint, key, form }: Order): Promise<Reply> {
  return call(asker, { method: 'POST', path: `/${endpoint}`, key, body: form });
}

interface Called {
  readonly method: Asking['method'];
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
}

/** The direct API. */
function call(asker: Asker, { method, path, key, body }: Called): Promise<Reply> {
  asker.tally.calls += 1;
  const headers = { ...keysIn(asker), ...(key !== undefined && { 'idempotency-key': key }) };
  return ask({ method, url: `${asker.keys.url}${path}`, headers, body });
}

function dashboard(asker: Asker, asking: Omit<Asking, 'url'> & { readonly path: string }): Promise<Reply> {
  asker.tally.calls += 1;
  const { path, ...rest } = asking;
  return ask({ ...rest, url: `${asker.keys.dashboardUrl}${path}` });
}

function keysIn({ keys: { apiKey, apiSecret } }: Asker): Readonly<Record<string, string>> {
  return { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
}

function isLawfullyRefused(asker: Asker, { code }: Reply): boolean {
  if (code === null || !LAWFUL.has(code)) return false;
  note(asker, code);
  return true;
}

function note({ tally: { refused } }: Asker, code: string): void {
  refused.set(code, (refused.get(code) ?? 0) + 1);
}

function puzzle({ reference, tally }: Asker, asked: string, { status, body }: Reply): void {
  tally.unexpected.push(`${reference}: ${asked} was answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
}

function operationIn({ body }: Reply): string | null {
  return (body as { readonly operation?: { readonly reference?: string } } | null)?.operation?.reference ?? null;
}

/** The body of POST /cashin and POST /cashout. */
interface Creation {
  readonly amount: number;
  readonly country: Country;
  readonly operator: string;
  readonly phoneNumber: string;
  readonly externalReference: string | null;
  readonly description: string | null;
}

interface Order {
  readonly endpoint: 'cashin' | 'cashout';
  readonly key: string;
  readonly form: Creation;
}

/** Something to ask for; `ANOTHER_BODY` comes under the key of an order that was asked for before. */
type Intent =
  | { readonly what: 'ORDER' | 'REPEAT' | 'ANOTHER_BODY'; readonly order: Order }
  /** A link that a customer pays by. */
  | { readonly what: 'LINK'; readonly link: { readonly amount: number; readonly order_id: string } }
  | { readonly what: 'LOOK' };

/** The merchant for which it asks; `hasLinks`: its countries have payments by link. */
type Customer = Pick<MerchantPlan, 'reference' | 'country' | 'limits'> & { readonly hasLinks: boolean };

/** `made` are the orders of the last hours, oldest first; `number` tells this intent from all others of the partner. */
function drawIntent(
  random: Random,
  customer: Customer,
  before: { readonly made: readonly Order[]; readonly number: number },
): Intent {
  const die = drawUnit(random);
  if (before.made.length > 0 && die < 0.06) return { what: 'REPEAT', order: drawFrom(random, before.made) };
  if (before.made.length > 0 && die < 0.08) {
    const order = drawFrom(random, before.made);
    return { what: 'ANOTHER_BODY', order: { ...order, form: { ...order.form, amount: order.form.amount + 1 } } };
  }
  if (die < 0.12) return { what: 'LOOK' };
  if (die < 0.3 && customer.hasLinks) return { what: 'LINK', link: drawLink(random, customer, before.number) };
  return { what: 'ORDER', order: drawOrder(random, customer, before.number) };
}

/** From 101 on, which the document asks of a test payment ("Webhooks", 7). */
function drawLink(random: Random, { reference }: Customer, number: number) {
  return { amount: drawInteger(random, { from: 101, to: 60_000 }), order_id: `panier-${reference}-${number}` };
}

/** One in thirty is above what the account allows. */
function drawOrder(random: Random, { reference, country, limits }: Customer, number: number): Order {
  const endpoint = drawUnit(random) < 0.7 ? 'cashin' : 'cashout';
  const [least, most] = boundsOf(limits, endpoint === 'cashin' ? 'CASHIN' : 'CASHOUT');
  const isTooMuch = drawUnit(random) < 1 / 30;
  const amount = isTooMuch ? most + 1 : drawInteger(random, { from: least, to: Math.min(most, 40 * least) });
  const form = {
    amount,
    country,
    operator: drawFrom(random, operatorsOf(country)),
    phoneNumber: drawPhoneNumber(random, country),
    externalReference: drawUnit(random) < 0.5 ? `cmd-${reference}-${number}` : null,
    description: drawUnit(random) < 0.2 ? 'Commande n° « é » ✓' : null,
  };
  return { endpoint, key: `${reference}-${number}-${drawLetters(random, 8)}`, form };
}

interface Reply {
  readonly status: number;
  /** Of an error of the direct API; null where there is none. */
  readonly code: string | null;
  readonly body: unknown;
}

interface Asking {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  /** What tells who asks, and the Idempotency-Key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const MOST_ATTEMPTS = 12;
/** Milliseconds: however long the service says that one should wait. */
const LONGEST_PAUSE = 50;

/** The last answer: one that is not temporary, or the twelfth. Rejects when nobody answers. */
async function ask(asking: Asking): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askOnce(asking);
    if (!isTemporary(reply) || attempt === MOST_ATTEMPTS) return reply;
    await sleep(Math.min(LONGEST_PAUSE, 2 ** attempt));
  }
}

function isTemporary({ status, code }: Reply): boolean {
  return status === 429 || status >= 500 || code === 'IDEMPOTENT_REQUEST_IN_FLIGHT';
}

async function askOnce({ method, url, headers, body }: Asking): Promise<Reply> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answered = (await response.json()) as { readonly error?: { readonly code?: string } | string } | null;
  const error = answered?.error;
  return { status: response.status, code: typeof error === 'object' ? (error.code ?? null) : null, body: answered };
}
