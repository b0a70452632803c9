// A partner of one merchant, who calls the direct API over HTTP as its document asks: mostly for an
// operation of its own, at times for one that it has asked for before, as after a broken
// connection, and now and then with a mistake. All of it is drawn from a seed. Calls that fail for
// a while are made again, with the same Idempotency-Key where there is one.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Country } from '../../core/domain/amount.ts';
import { drawPhoneNumber, operatorsOf } from '../model/operators.ts';
import type { MerchantPlan } from '../model/plan.ts';
import { boundsOf } from '../model/postings.ts';
import {
  drawFrom,
  drawInteger,
  drawLetters,
  drawUnit,
  type Random,
  seedRandom,
} from '../model/random.ts';

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
  /** Makes `intents` requests, one after another. Rejects when no answer comes. */
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
  const caller: Caller = { keys, reference, tally, made: [] };
  const random = seedRandom(`${seed}/${reference}/partner`);
  return {
    reference,
    tally,
    rotateSecret: async () => {
      const reply = await call(
        caller,
        'url',
        'POST /merchants/me/webhook-secret/rotate',
        keysIn(caller),
      );
      if (reply.status !== 200) recordUnexpected(caller, 'the rotation of its secret', reply);
      return (reply.body as { readonly webhookSecret: string }).webhookSecret;
    },
    listenAt: async (origin) => {
      const webhookUrl = `${origin}/notifications/direct/${reference}`;
      const reply = await call(caller, 'url', 'PATCH /merchants/me', keysIn(caller), {
        webhookUrl,
      });
      expectStatus(caller, 'where its notifications go', reply, 200);
      if (keys.dashboard !== null) await listenToPayments(caller, keys.dashboard, origin);
    },
    work: async (intents) => {
      for (let i = 0; i < intents; i += 1) {
        const before = { made: caller.made.map(({ order }) => order), number: tally.calls };
        await follow(caller, drawIntent(random, customer, before));
      }
    },
  };
}

interface Caller {
  readonly keys: Keys;
  readonly reference: string;
  readonly tally: Tally;
  /** Its last orders, oldest first, with the references of their operations. */
  readonly made: { readonly order: Order; readonly operation: string | null }[];
}

async function follow(caller: Caller, intent: Intent): Promise<void> {
  const { tally, made } = caller;
  switch (intent.what) {
    case 'ORDER': {
      const reply = await place(caller, intent.order);
      if (!expectStatus(caller, `POST /${intent.order.endpoint}`, reply, 201)) return;
      tally.operations += 1;
      made.push({ order: intent.order, operation: operationIn(reply) });
      if (made.length > MOST_REMEMBERED) made.shift();
      return;
    }
    case 'REPEAT': {
      const first = made.find((earlier) => earlier.order === intent.order)!;
      const reply = await place(caller, intent.order);
      const isSame = reply.status === 201 && operationIn(reply) === first.operation;
      if (!isSame) recordUnexpected(caller, 'the same call once more', reply);
      return;
    }
    case 'ANOTHER_BODY': {
      const reply = await place(caller, intent.order);
      if (reply.code === 'IDEMPOTENCY_KEY_REUSED') countRefusal(caller, reply.code);
      else recordUnexpected(caller, 'another body under the same key', reply);
      return;
    }
    case 'LINK': {
      const endpoint = 'POST /web-merchant/create-web-payment-link';
      const reply = await call(caller, 'dashboardUrl', endpoint, keysIn(caller), intent.link);
      if (reply.status === 201) tally.links += 1;
      else if (reply.status === 403) countRefusal(caller, 'Account is not active');
      else recordUnexpected(caller, 'a link to pay by', reply);
      return;
    }
    default: {
      const last = made.at(-1);
      const path =
        last === undefined ? ('/wallet' as const) : (`/operations/${last.operation}` as const);
      const reply = await call(caller, 'url', `GET ${path}`, keysIn(caller));
      const isIt =
        reply.status === 200 && (last === undefined || operationIn(reply) === last.operation);
      if (!isIt) recordUnexpected(caller, path, reply);
    }
  }
}

/** With a token of its own: it is needed once. */
async function listenToPayments(
  caller: Caller,
  { numero, password }: NonNullable<Keys['dashboard']>,
  origin: string,
): Promise<void> {
  const { reference } = caller;
  const login = await call(
    caller,
    'dashboardUrl',
    'POST /user/login-merchant',
    {},
    { numero, password },
  );
  const { access_token: authenticationtoken } = login.body as { readonly access_token: string };
  const form = { reference, webhookUrl: `${origin}/notifications/payments/${reference}` };
  const endpoint = 'PATCH /web-merchant/set-webhook-url';
  const reply = await call(caller, 'dashboardUrl', endpoint, { authenticationtoken }, form);
  if (reply.status !== 200) recordUnexpected(caller, 'where notifications of payments go', reply);
}

function place(caller: Caller, { endpoint, key, form }: Order): Promise<Reply> {
  return call(
    caller,
    'url',
    `POST /${endpoint}`,
    { ...keysIn(caller), 'idempotency-key': key },
    form,
  );
}

type Endpoint = `${'GET' | 'POST' | 'PATCH'} /${string}`;
type Headers = Readonly<Record<string, string>>;

function keysIn({ keys: { apiKey, apiSecret } }: Caller): Headers {
  return { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
}

/** True for that status. Counts a lawful refusal and records any other answer. */
function expectStatus(caller: Caller, asked: string, reply: Reply, status: number): boolean {
  if (reply.status === status) return true;
  if (reply.code !== null && LAWFUL.has(reply.code)) countRefusal(caller, reply.code);
  else recordUnexpected(caller, asked, reply);
  return false;
}

function countRefusal({ tally: { refused } }: Caller, code: string): void {
  refused.set(code, (refused.get(code) ?? 0) + 1);
}

function recordUnexpected(
  { reference, tally }: Caller,
  asked: string,
  { status, body }: Reply,
): void {
  tally.unexpected.push(
    `${reference}: ${asked} was answered ${status} ${JSON.stringify(body).slice(0, 300)}`,
  );
}

function operationIn({ body }: Reply): string | null {
  return (
    (body as { readonly operation?: { readonly reference?: string } } | null)?.operation
      ?.reference ?? null
  );
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

/**
 * Something to ask for; `ANOTHER_BODY` comes under the key of an order that was asked for before.
 */
type Intent =
  | { readonly what: 'ORDER' | 'REPEAT' | 'ANOTHER_BODY'; readonly order: Order }
  /** A link that a customer pays by. */
  | { readonly what: 'LINK'; readonly link: { readonly amount: number; readonly order_id: string } }
  | { readonly what: 'LOOK' };

/** The merchant for which it asks; `hasLinks`: its countries have payments by link. */
type Customer = Pick<MerchantPlan, 'reference' | 'country' | 'limits'> & {
  readonly hasLinks: boolean;
};

/**
 * `made` are the orders of the last hours, oldest first; `number` tells this intent from all others
 * of the partner.
 */
function drawIntent(
  random: Random,
  customer: Customer,
  before: { readonly made: readonly Order[]; readonly number: number },
): Intent {
  const die = drawUnit(random);
  if (before.made.length > 0 && die < 0.06)
    return { what: 'REPEAT', order: drawFrom(random, before.made) };
  if (before.made.length > 0 && die < 0.08) {
    const order = drawFrom(random, before.made);
    return {
      what: 'ANOTHER_BODY',
      order: { ...order, form: { ...order.form, amount: order.form.amount + 1 } },
    };
  }
  if (die < 0.12) return { what: 'LOOK' };
  if (die < 0.3 && customer.hasLinks) {
    // From 101 on, which the document asks of a test payment ("Webhooks", 7).
    const amount = drawInteger(random, { from: 101, to: 60_000 });
    return {
      what: 'LINK',
      link: { amount, order_id: `panier-${customer.reference}-${before.number}` },
    };
  }
  return { what: 'ORDER', order: drawOrder(random, customer, before.number) };
}

/** One in thirty is above what the account allows. */
function drawOrder(
  random: Random,
  { reference, country, limits }: Customer,
  number: number,
): Order {
  const endpoint = drawUnit(random) < 0.7 ? 'cashin' : 'cashout';
  const [least, most] = boundsOf(limits, endpoint === 'cashin' ? 'CASHIN' : 'CASHOUT');
  const isTooMuch = drawUnit(random) < 1 / 30;
  const amount = isTooMuch
    ? most + 1
    : drawInteger(random, { from: least, to: Math.min(most, 40 * least) });
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

const MOST_ATTEMPTS = 12;
/** Milliseconds, even where the service asks for a longer wait. */
const LONGEST_PAUSE = 50;

/**
 * The last answer of that API: one that is not temporary, or the twelfth. Rejects when there is
 * none.
 */
async function call(
  { tally, keys }: Caller,
  api: 'url' | 'dashboardUrl',
  endpoint: Endpoint,
  headers: Headers,
  body?: unknown,
): Promise<Reply> {
  tally.calls += 1;
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askOnce(keys[api], endpoint, headers, body);
    const { status, code } = reply;
    const isTemporary = status === 429 || status >= 500 || code === 'IDEMPOTENT_REQUEST_IN_FLIGHT';
    if (!isTemporary || attempt === MOST_ATTEMPTS) return reply;
    await sleep(Math.min(LONGEST_PAUSE, 2 ** attempt));
  }
}

async function askOnce(
  base: string,
  endpoint: Endpoint,
  headers: Headers,
  body: unknown,
): Promise<Reply> {
  const [method, path] = endpoint.split(' ');
  const content = {
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${base}${path}`, {
    method: method!,
    headers,
    ...(body !== undefined && content),
  });
  const answered = (await response.json()) as {
    readonly error?: { readonly code?: string } | string;
  } | null;
  const error = answered?.error;
  return {
    status: response.status,
    code: typeof error === 'object' ? (error.code ?? null) : null,
    body: answered,
  };
}
