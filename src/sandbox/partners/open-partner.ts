// A partner of one merchant, who calls the direct API over HTTP as its document requires. It mostly
// requests new operations, at times repeats a request as after a broken connection, and now and
// then makes a mistake. Everything is drawn from a seed. A call that fails for a while is made
// again, with the same Idempotency-Key if it has one.

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
  /** Number of operations that calls have made. */
  operations: number;
  /** Number of links that calls have made. */
  links: number;
  /** How often each refusal was answered that the document lists, by its code. */
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
  /** `null` when there are no payments by link. */
  readonly dashboard: { readonly numero: string; readonly password: string } | null;
}

export interface Partner {
  readonly reference: string;
  readonly tally: Tally;
  /** Requests a new signing secret (`whsec_…`), which is shown this once. */
  rotateSecret(): Promise<string>;
  /** Sets the server at `origin` as the receiver of both APIs' notifications from now on. */
  listenAt(origin: string): Promise<void>;
  /** Makes `intents` requests, one after another. Rejects when no answer comes. */
  work(intents: number): Promise<void>;
}

/** Codes of refusals that a partner's own request, or the state of its account, explains. */
const LAWFUL = new Set([
  'AMOUNT_OUT_OF_BOUNDS',
  'INSUFFICIENT_BALANCE',
  'DAILY_CASHOUT_LIMIT_EXCEEDED',
  'ACCOUNT_SUSPENDED',
  'WALLET_FROZEN',
]);
/** How many orders a partner remembers and may repeat. The service keeps their keys for a day. */
const MOST_REMEMBERED = 5;

/** Opens a partner of the merchant `of`. Its requests follow from the seed. */
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

/**
 * Sets the receiver of payments' notifications. Logs in for this alone, because a token is needed
 * only once.
 */
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

/**
 * Returns true when the reply has that status. Otherwise counts a lawful refusal, or records the
 * reply as unexpected.
 */
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
 * The next call of the partner. `ANOTHER_BODY` sends a changed body under the key of an earlier
 * order.
 */
type Intent =
  | { readonly what: 'ORDER' | 'REPEAT' | 'ANOTHER_BODY'; readonly order: Order }
  /** Makes a link through which a customer pays. */
  | { readonly what: 'LINK'; readonly link: { readonly amount: number; readonly order_id: string } }
  | { readonly what: 'LOOK' };

/**
 * The merchant for which the partner calls. `hasLinks` says that its countries have payments by
 * link.
 */
type Customer = Pick<MerchantPlan, 'reference' | 'country' | 'limits'> & {
  readonly hasLinks: boolean;
};

/**
 * Draws the next intent. `made` holds the orders of the last hours, oldest first. `number` must
 * differ from that of every other intent of the partner.
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
    // At least 101, which the document asks of a test payment ("Webhooks", 7).
    const amount = drawInteger(random, { from: 101, to: 60_000 });
    return {
      what: 'LINK',
      link: { amount, order_id: `panier-${customer.reference}-${before.number}` },
    };
  }
  return { what: 'ORDER', order: drawOrder(random, customer, before.number) };
}

/** Draws an order. One in thirty has an amount above what the account allows. */
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
  /** The code of an error of the direct API; `null` when the reply has none. */
  readonly code: string | null;
  readonly body: unknown;
}

const MOST_ATTEMPTS = 12;
/** Most milliseconds between two attempts, even where the service asks for a longer wait. */
const LONGEST_PAUSE = 50;

/**
 * Calls one of the two APIs, again while the answer is temporary. Returns the first answer that is
 * not, or the twelfth answer. Rejects when no answer comes.
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
