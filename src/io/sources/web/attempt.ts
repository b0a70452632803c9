// Sends one request, once, under one deadline that covers the headers and the whole body. Refuses redirects, which would
// carry the credentials elsewhere, and bodies over the cap; says whether asking again could help.

import { randomUUID } from 'node:crypto';
import type { Instant } from '../../../core/domain/instant.ts';
import { PlaceUnreachable, SourceFailed } from '../source.ts';
import { type Dialect, readRequestId } from './dialect.ts';
import type { Found } from './found.ts';

export interface Attempt<Value> {
  readonly url: string;
  /** The API's own address, as messages name it. */
  readonly place: string;
  /** `GET /ledger of M001`, for messages. */
  readonly request: string;
  readonly method: 'GET' | 'POST';
  /** The caller's credentials and whatever else the API wants; never repeated in a message. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON text, or null for none; never repeated in a message. */
  readonly body: string | null;
  /** The status of success. */
  readonly expects: 200 | 201;
  readonly dialect: Dialect;
  /** Milliseconds. */
  readonly deadline: number;
  readonly maxResponseBytes: number;
  /** Stops the attempt when the reading is closed. */
  readonly stop: AbortSignal;
  /** Reads the body of a success. */
  readonly read: (body: Uint8Array) => Found<Value>;
}

/** `date`: the service's clock as it answered, from the header `Date`; null when it sent none that can be read. */
export type Outcome<Value> =
  | { readonly kind: 'answered'; readonly value: Value; readonly date: Instant | null }
  /** A 404 in the documented error shape: the service itself says that there is no such thing. */
  | { readonly kind: 'missing'; readonly failure: SourceFailed; readonly date: Instant | null }
  | { readonly kind: 'too-large'; readonly failure: SourceFailed }
  | {
      readonly kind: 'failed';
      readonly failure: SourceFailed;
      readonly mayRetry: boolean;
      /** The header `Retry-After`, as milliseconds to wait or as an instant of the service's clock. */
      readonly retryAfter: string | null;
      readonly date: Instant | null;
    };

const LONGEST_ERROR = 16_384;

/** What came over the wire. `body` is null when it passed the cap, and for a redirect. */
interface Received {
  readonly response: Response;
  readonly body: Uint8Array | null;
  readonly requestId: string;
}

export async function sendAttempt<Value>(attempt: Attempt<Value>): Promise<Outcome<Value>> {
  const requestId = randomUUID();
  const control = new AbortController();
  let isLate = false;
  const alarm = setTimeout(() => {
    isLate = true;
    control.abort();
  }, attempt.deadline);
  const stop = (): void => control.abort();
  attempt.stop.addEventListener('abort', stop);
  if (attempt.stop.aborted) stop();
  let received: Received;
  try {
    received = await receive(attempt, { requestId, signal: control.signal });
  } catch (error) {
    return broken(attempt, { error, requestId, isLate });
  } finally {
    clearTimeout(alarm);
    attempt.stop.removeEventListener('abort', stop);
  }
  return judge(attempt, received);
}

async function receive<Value>(
  attempt: Attempt<Value>,
  sending: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<Received> {
  const response = await fetch(attempt.url, {
    method: attempt.method,
    body: attempt.body,
    headers: {
      accept: 'application/json',
      // A page that a cache kept is not what the service says now.
      'cache-control': 'no-cache',
      ...(attempt.body === null ? {} : { 'content-type': 'application/json' }),
      ...attempt.headers,
      'x-request-id': sending.requestId,
    },
    redirect: 'manual',
    signal: sending.signal,
  });
  const requestId = readRequestId(response.headers.get('x-request-id')) ?? sending.requestId;
  if (isRedirect(response)) {
    await response.body?.cancel();
    return { response, body: null, requestId };
  }
  return { response, body: await readBody(response, attempt.maxResponseBytes), requestId };
}

function judge<Value>(attempt: Attempt<Value>, received: Received): Outcome<Value> {
  const { response, body, requestId } = received;
  if (isRedirect(response)) {
    return final(
      'REDIRECTED',
      `${attempt.request} was redirected (status ${response.status}, request ${requestId}) and was not followed, since that would carry the credentials elsewhere: set ${attempt.dialect.address} to the final address.`,
    );
  }
  if (body === null) {
    const message = `${attempt.request} was answered with more than ${attempt.maxResponseBytes} bytes (request ${requestId}): raise maxResponseBytes if the service is to be believed.`;
    return { kind: 'too-large', failure: new SourceFailed('ANSWER_TOO_LARGE', message) };
  }
  const date = readDate(response.headers.get('date'));
  // An error body is short; a page is not parsed twice to find that it is none.
  const succeeded = response.status === attempt.expects;
  const error = succeeded && body.length > LONGEST_ERROR ? null : attempt.dialect.readError(body);
  if (succeeded && error === null) return understand(attempt, { body, requestId, date });
  const failure = attempt.dialect.failureOf({ request: attempt.request, status: response.status, error, requestId });
  if (response.status === 404 && error !== null) return { kind: 'missing', failure, date };
  const mayRetry = response.status >= 500 || response.status === 429;
  return { kind: 'failed', failure, mayRetry, retryAfter: response.headers.get('retry-after'), date };
}

function isRedirect(response: Response): boolean {
  return response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
}

function understand<Value>(
  attempt: Attempt<Value>,
  answer: { readonly body: Uint8Array; readonly requestId: string; readonly date: Instant | null },
): Outcome<Value> {
  const found = attempt.read(answer.body);
  if (found.ok) return { kind: 'answered', value: found.value, date: answer.date };
  const failure = new SourceFailed(
    'UNREADABLE_ANSWER',
    `${attempt.request} was answered with something that cannot be read (${found.reason}; request ${answer.requestId}): check ${[attempt.dialect.address, ...attempt.dialect.shape].join(', ')}.`,
  );
  return { kind: 'failed', failure, mayRetry: found.fault === 'cut', retryAfter: null, date: answer.date };
}

/** The whole body, or null as soon as it is over the cap; it is then not read on. */
async function readBody(response: Response, cap: number): Promise<Uint8Array | null> {
  if (response.body === null) return new Uint8Array(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > cap) return null;
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function broken<Value>(
  attempt: Attempt<Value>,
  fault: { readonly error: unknown; readonly requestId: string; readonly isLate: boolean },
): Outcome<Value> {
  if (attempt.stop.aborted) return final('CLOSED', `${attempt.request} was given up because its reading was closed.`);
  const why = networkCode(fault.error);
  const { place, dialect } = attempt;
  const failure = fault.isLate
    ? new SourceFailed(
        'TIMEOUT',
        `${attempt.request} was not answered whole within ${attempt.deadline} ms (request ${fault.requestId}): run again later, or raise ${attempt.dialect.settings}.deadline.`,
      )
    : NEVER_CONNECTED.has(why)
      ? new PlaceUnreachable({ place, why }, dialect.address, fault.error)
      : new SourceFailed(
          'UNREACHABLE',
          `${attempt.request} broke off (${why}, request ${fault.requestId}): check ${dialect.address} and the network.`,
          fault.error,
        );
  return { kind: 'failed', failure, mayRetry: true, retryAfter: null, date: null };
}

/** The request never left: it is of the place, and not of what was asked or of whom. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function final<Value>(code: string, message: string): Outcome<Value> {
  return {
    kind: 'failed',
    failure: new SourceFailed(code, message),
    mayRetry: false,
    retryAfter: null,
    date: null,
  };
}

/** `ECONNREFUSED` and the like, which fetch hides in the causes of its error. */
function networkCode(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string') return code;
    current = current.cause;
  }
  return error instanceof Error ? error.name : 'unknown';
}

/** An HTTP-date (RFC 9110), epoch milliseconds in whole seconds; null for any other text. */
export function readDate(text: string | null): Instant | null {
  if (text === null || !/^[A-Z][a-z]{2}, .* GMT$/.test(text)) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
