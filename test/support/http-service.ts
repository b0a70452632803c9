// A real HTTP server that serves books as the direct API does, and can misbehave: answer late, cut
// off, move, refuse, send too much. It answers on 127.0.0.1 only and judges nothing.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBooks, ServedJson } from './http-books.ts';

export interface AskedRequest {
  /** Path of the request without `/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Number of the request, 1 for the first one that the service saw. */
  readonly number: number;
}

/** What the service does instead of answering. */
export type Misbehaviour =
  | {
      readonly do: 'answer';
      readonly status: number;
      readonly body: string | Uint8Array;
      readonly headers?: object;
    }
  | {
      readonly do: 'error';
      readonly status: number;
      readonly code: string;
      readonly headers?: object;
    }
  | { readonly do: 'hang' }
  | { readonly do: 'drop' }
  /** Sends this part of the right body (0 to 1) and breaks the connection. */
  | { readonly do: 'drop-body'; readonly share: number }
  /** Sends this part of the right body (0 to 1) as if it were whole. */
  | { readonly do: 'cut-body'; readonly share: number }
  /** Answers when the promise is settled. */
  | { readonly do: 'hold'; readonly until: Promise<unknown> }
  /** Sends the right body in pieces with pauses. */
  | { readonly do: 'drip'; readonly pause: number };

export interface HttpService {
  readonly baseUrl: string;
  readonly books: Record<string, HttpBooks>;
  readonly asked: AskedRequest[];
  /**
   * Called for each request before the books are looked at. It may change them, and may take over
   * the answer.
   */
  before: (request: AskedRequest) => Misbehaviour | null;
  order: 'ascending' | 'descending';
  /** Most rows on a page, for any request. */
  longestPage: number;
  wrap: (items: readonly ServedJson[]) => unknown;
  wrapOne: (object: ServedJson, name: string) => unknown;
  /** Milliseconds added to the header `Date`; `null`: no such header is sent. */
  clockOffset: number | null;
  /** How many requests are being answered now. */
  open: number;
  /** How many requests were answered at the same time at most. */
  mostOpen: number;
  close(): Promise<void>;
}

export const KEY = 'gk_test_public';
export const SECRET = 'gs_test_never_to_be_shown';

/**
 * Returns the credentials of a merchant. The key names it, as `gk_test_public-M001`, so that a
 * request gets the books of that merchant.
 */
export function credentialsOf(merchant: string): {
  readonly apiKey: string;
  readonly apiSecret: string;
} {
  return { apiKey: `${KEY}-${merchant}`, apiSecret: SECRET };
}

export async function startHttpService(
  books: Record<string, HttpBooks>,
  port = 0,
): Promise<HttpService> {
  const asked: AskedRequest[] = [];
  const server = createServer((incoming, response) => {
    void respond(service, incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const service: HttpService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    books,
    asked,
    before: () => null,
    order: 'ascending',
    longestPage: 200,
    wrap: (items) => ({ data: items }),
    wrapOne: (object, name) => (name === 'operation' ? { operation: object } : object),
    clockOffset: 0,
    open: 0,
    mostOpen: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;
}

async function respond(
  service: HttpService,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  service.open += 1;
  service.mostOpen = Math.max(service.mostOpen, service.open);
  response.once('close', () => {
    service.open -= 1;
  });
  const url = new URL(incoming.url!, 'http://service');
  const request: AskedRequest = {
    path: url.pathname.replace(/^\/v1/, ''),
    query: url.searchParams,
    headers: incoming.headers,
    number: service.asked.length + 1,
  };
  service.asked.push(request);
  response.setHeader('x-request-id', incoming.headers['x-request-id'] ?? 'generated');
  response.sendDate = false;
  const { clockOffset } = service;
  if (clockOffset !== null)
    response.setHeader('date', new Date(Date.now() + clockOffset).toUTCString());
  const misbehaviour = service.before(request);
  if (misbehaviour?.do === 'hang') return;
  if (misbehaviour?.do === 'drop') return void incoming.socket.destroy();
  if (misbehaviour?.do === 'answer') {
    response.writeHead(misbehaviour.status, {
      'content-type': 'application/json',
      ...misbehaviour.headers,
    });
    return void response.end(misbehaviour.body);
  }
  if (misbehaviour?.do === 'error') return sendError(response, misbehaviour);
  if (misbehaviour?.do === 'hold') await misbehaviour.until;
  const answer = answerOf(service, request);
  if ('code' in answer) return sendError(response, answer);
  await sendBody(response, Buffer.from(JSON.stringify(answer.body)), misbehaviour);
}

async function sendBody(
  response: ServerResponse,
  body: Buffer,
  misbehaviour: Misbehaviour | null,
): Promise<void> {
  response.setHeader('content-type', 'application/json');
  const share = misbehaviour !== null && 'share' in misbehaviour ? misbehaviour.share : 1;
  const part = body.subarray(0, Math.floor(body.length * share));
  if (misbehaviour?.do === 'drop-body') {
    response.setHeader('content-length', body.length);
    response.write(part, () => response.destroy());
    return;
  }
  if (misbehaviour?.do === 'drip') {
    response.flushHeaders();
    for (let at = 0; at < body.length && !response.destroyed; at += 512) {
      response.write(body.subarray(at, at + 512));
      await sleep(misbehaviour.pause);
    }
    return void response.end();
  }
  response.end(part);
}

function sendError(
  response: ServerResponse,
  error: { readonly status: number; readonly code: string; readonly headers?: object },
): void {
  response.writeHead(error.status, { 'content-type': 'application/json', ...error.headers });
  const requestId = response.getHeader('x-request-id');
  const body = {
    success: false,
    error: { code: error.code, message: `worded freely ${SECRET}`, details: null },
  };
  response.end(JSON.stringify({ ...body, requestId, timestamp: '2026-11-01T12:00:00.000Z' }));
}

function answerOf(
  service: HttpService,
  request: AskedRequest,
): { readonly body: unknown } | { readonly status: number; readonly code: string } {
  const key = String(request.headers['x-api-key']);
  const books = service.books[key.slice(KEY.length + 1)];
  if (books === undefined || request.headers['x-api-secret'] !== SECRET) {
    return { status: 401, code: 'INVALID_CREDENTIALS' };
  }
  if (request.path === '/merchants/me') return { body: service.wrapOne(books.profile, 'merchant') };
  if (request.path === '/wallet') {
    return books.wallet === null
      ? { status: 404, code: 'NOT_FOUND' }
      : { body: service.wrapOne(books.wallet, 'wallet') };
  }
  if (request.path === '/ledger') return pageOf(service, books.ledger, request.query);
  if (request.path === '/operations') {
    const status = request.query.get('status');
    return pageOf(
      service,
      books.operations.filter((operation) => status === null || operation.status === status),
      request.query,
    );
  }
  const reference = /^\/operations\/(.+)$/.exec(request.path)?.[1];
  const operation = books.operations.find(
    (one) => one.reference === decodeURIComponent(reference ?? ''),
  );
  if (operation === undefined) return { status: 404, code: 'NOT_FOUND' };
  return { body: service.wrapOne(operation, 'operation') };
}

function pageOf(
  service: HttpService,
  ascending: readonly ServedJson[],
  query: URLSearchParams,
): { readonly body: unknown } {
  const rows = service.order === 'ascending' ? ascending : ascending.toReversed();
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? 50), service.longestPage);
  return { body: service.wrap(rows.slice(offset, offset + limit)) };
}
