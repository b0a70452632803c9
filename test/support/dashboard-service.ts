// A real HTTP server that serves one merchant's dashboard as the document has it, and can
// misbehave. It answers on 127.0.0.1 only and judges nothing.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DASHBOARD_DEFAULTS,
  type DashboardSettings,
} from '../../src/io/sources/dashboard/dashboard-settings.ts';
import type { WebEvent } from '../../src/io/sources/web/web-settings.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface AskedDashboard {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Number of the request, 1 for the first one that the service saw. */
  readonly number: number;
}

/** What the service does instead of answering. */
export type Trouble =
  | {
      readonly do: 'answer';
      readonly status: number;
      readonly body: string | Uint8Array;
      readonly headers?: object;
    }
  | { readonly do: 'error'; readonly status: number; readonly headers?: object }
  | { readonly do: 'hang' }
  | { readonly do: 'drop' }
  /**
   * Sends this part of the right body (0 to 1), and then breaks the connection (`drop-body`) or
   * says that this was the whole body (`cut-body`).
   */
  | { readonly do: 'cut-body' | 'drop-body'; readonly share: number }
  | { readonly do: 'wait'; readonly time: number };

export interface DashboardService {
  readonly baseUrl: string;
  /** The reference of the merchant. */
  merchant: string;
  /** The payments in ascending createdAt. A text is served as it is. */
  payments: (Json | string)[];
  reports: unknown;
  compliance: unknown;
  counters: unknown;
  /**
   * Further answers, each under the last words of its path. They are used before `compliance` and
   * `counters`.
   */
  payouts: Readonly<Record<string, unknown>>;
  readonly asked: AskedDashboard[];
  /**
   * Called for each request before it is answered. It may change the service, and may take over the
   * answer.
   */
  before: (request: AskedDashboard) => Trouble | null;
  /** Most payments in an answer. The service does not say that there are more. */
  cap: number;
  newestFirst: boolean;
  /** Requests for which a token can be used before it expires. */
  tokenUses: number;
  close(): Promise<void>;
}

export const NUMERO = '+2250000000017';
export const PASSWORD = 'never-to-be-shown';
const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.secret-token';

export async function startDashboardService(): Promise<DashboardService> {
  const tokens = new Map<string, number>();
  const server = createServer((incoming, response) => {
    void respond(service, tokens, { incoming, response });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: DashboardService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    merchant: 'M001',
    payments: [],
    reports: [],
    compliance: {
      compliance: {},
      requiredDocuments: [],
      limits: { plafond: 200_000, consomme: 50, restant: 199_950 },
    },
    counters: { requestSuccess: 3, requestPending: 2, requestFailed: 1 },
    payouts: {},
    asked: [],
    before: () => null,
    cap: Number.POSITIVE_INFINITY,
    newestFirst: true,
    tokenUses: Number.POSITIVE_INFINITY,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

/** Returns settings with waits of a few milliseconds; `events` takes what is logged. */
export function dashboardSettings(
  service: { readonly baseUrl: string },
  change: Partial<DashboardSettings> & { readonly events?: WebEvent[] } = {},
): DashboardSettings {
  const { events, ...settings } = change;
  return {
    ...DASHBOARD_DEFAULTS,
    baseUrl: service.baseUrl,
    merchants: { M001: { numero: NUMERO, password: PASSWORD } },
    deadline: 2_000,
    retries: { attempts: 4, firstDelay: 2, longestDelay: 10, longestRetryAfter: 50 },
    clock: () => Date.now(),
    random: () => 0.5,
    log: (event) => events?.push(event),
    ...settings,
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

async function respond(
  service: DashboardService,
  tokens: Map<string, number>,
  exchange: Exchange,
): Promise<void> {
  const { incoming, response } = exchange;
  const url = new URL(incoming.url!, 'http://service');
  const request: AskedDashboard = {
    method: incoming.method!,
    path: url.pathname.replace(/^\/base/, ''),
    query: url.searchParams,
    headers: incoming.headers,
    body: await text(incoming),
    number: service.asked.length + 1,
  };
  service.asked.push(request);
  const trouble = service.before(request);
  if (trouble?.do === 'hang') return;
  if (trouble?.do === 'drop') return void incoming.socket.destroy();
  if (trouble?.do === 'answer')
    return send(response, trouble.status, trouble.body, trouble.headers);
  if (trouble?.do === 'error') return sendError(response, trouble.status, trouble.headers);
  if (trouble?.do === 'wait') await sleep(trouble.time);
  const answer = answerOf(service, tokens, request);
  if (typeof answer === 'number') return sendError(response, answer);
  const body = Buffer.from(answer);
  const status = request.method === 'POST' ? 201 : 200;
  if (trouble?.do === 'cut-body')
    return send(response, status, body.subarray(0, Math.floor(body.length * trouble.share)));
  if (trouble?.do !== 'drop-body') return send(response, status, body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length * trouble.share)), () =>
    response.destroy(),
  );
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array,
  headers: object = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function sendError(response: ServerResponse, statusCode: number, headers: object = {}): void {
  send(
    response,
    statusCode,
    JSON.stringify({ statusCode, message: `free text ${PASSWORD}`, error: 'Name' }),
    headers,
  );
}

/** Returns the body of a success, or the status of a refusal. */
function answerOf(
  service: DashboardService,
  tokens: Map<string, number>,
  request: AskedDashboard,
): string | number {
  if (request.method === 'POST' && request.path === '/user/login-merchant') {
    const { numero, password } = JSON.parse(request.body) as Json;
    if (numero !== NUMERO || password !== PASSWORD) return 404;
    const token = `${TOKEN}-${tokens.size}`;
    tokens.set(token, service.tokenUses);
    return JSON.stringify({ access_token: token, refresh_token: PASSWORD, user: { numero } });
  }
  const token = String(request.headers.authenticationtoken);
  const left = tokens.get(token) ?? 0;
  if (left <= 0) return 401;
  tokens.set(token, left - 1);
  if (request.query.get('merchant_reference') !== service.merchant) return 404;
  const named = request.path.replace('/web-merchant/', '');
  if (Object.hasOwn(service.payouts, named)) return JSON.stringify(service.payouts[named]);
  switch (request.path) {
    case '/web-merchant/reports':
      return JSON.stringify(service.reports);
    case '/web-merchant/compliance':
      return JSON.stringify(service.compliance);
    case '/web-merchant/refunds-stats':
      return JSON.stringify(service.counters);
    case '/web-merchant/payments/search':
      return found(service, request.query);
    default:
      return 404;
  }
}

function found(service: DashboardService, query: URLSearchParams): string {
  const at = (name: string, otherwise: number): number => {
    const given = query.get(name);
    return given === null ? otherwise : Date.parse(given);
  };
  const [from, until] = [
    at('startDate', Number.NEGATIVE_INFINITY),
    at('endDate', Number.POSITIVE_INFINITY),
  ];
  const fit = service.payments.filter((payment) => {
    if (typeof payment === 'string') return true;
    // Compare instants finer than a millisecond, as a service may keep them.
    const createdAt =
      Date.parse(String(payment.createdAt)) + Number(payment.nanoseconds ?? 0) / 1e6;
    return !(createdAt < from || createdAt > until);
  });
  const ordered = service.newestFirst ? fit.toReversed() : fit;
  const page = ordered.slice(0, service.cap);
  return `[${page.map((payment) => (typeof payment === 'string' ? payment : JSON.stringify(payment))).join(',')}]`;
}
