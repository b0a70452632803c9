// Sends a request until the API answers: retries, obeys `Retry-After`, and fails with a named
// error. The caller must send only requests that are safe to repeat.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, SECOND } from '../../../core/domain/instant.ts';
import { NO_TRACING } from '../../../core/domain/measures.ts';
import { PlaceUnreachable, SourceFailed } from '../port/source.ts';
import { type Dialect, type Found, readRequestId } from './dialect.ts';
import type { WebSettings } from './web-settings.ts';

export interface WebQuestion<Value> {
  readonly merchant: string;
  /** What is requested, for messages: `GET /ledger of M001`. */
  readonly request: string;
  /** Path below the base address, with a leading `/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number>>;
  /**
   * The caller's credentials and all other headers that the API needs; never repeated in a message.
   */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * JSON text to POST, to which a success answers 201; never repeated in a message. Absent for a
   * GET, to which a success answers 200.
   */
  readonly body?: string;
  readonly dialect: Dialect;
  /** Aborts the request when the reading is closed. */
  readonly stop: AbortSignal;
  /** Reads the body of a successful answer. */
  readonly read: (body: Uint8Array) => Found<Value>;
}

export type Answer<Value> = Exclude<Outcome<Value>, { readonly kind: 'failed' }>;

/**
 * Sends the request, and retries it. Throws `SourceFailed` when every attempt failed, or at the
 * first failure that a retry cannot mend.
 */
export async function askWeb<Value>(
  settings: WebSettings,
  question: WebQuestion<Value>,
): Promise<Answer<Value>> {
  const { request, stop } = question;
  const { tracing = NO_TRACING, place } = settings;
  const attempt: Attempt<Value> = { ...settings, ...question, address: addressOf(settings) };
  const begunAt = performance.now();
  for (let attempts = 1; ; attempts += 1) {
    await place?.enter(stop);
    const outcome = await tracing.span(
      'call',
      { request, merchant: question.merchant, attempts },
      async (note) => {
        const answer = await sendAttempt(attempt);
        note({ outcome: answer.kind === 'failed' ? answer.failure.code : answer.kind });
        return answer;
      },
    );
    if (isAnswer(outcome)) place?.answered();
    if (outcome.kind !== 'failed') return outcome;
    const { failure } = outcome;
    if (!outcome.mayRetry) throw failure;
    if (failure instanceof PlaceUnreachable) place?.unreached(question.merchant, failure);
    const wait = waitBefore(settings, {
      attempts,
      retryAfter: outcome.retryAfter,
      date: outcome.date,
    });
    const { within = Number.POSITIVE_INFINITY } = settings.retries;
    const isLast =
      attempts >= settings.retries.attempts || performance.now() - begunAt + wait > within;
    if (isLast) {
      const isWaitedFor = place?.gaveUp(question.merchant, downBy(failure, attempt)) ?? false;
      if (isWaitedFor) continue;
      throw exhausted(failure, attempts);
    }
    settings.log({
      what: 'retry',
      merchant: question.merchant,
      request,
      why: failure.message,
      wait,
    });
    await pause(wait, { request, stop });
  }
}

const TOO_LARGE = 'ANSWER_TOO_LARGE';

/** True when the answer was longer than maxResponseBytes: requesting less may help. */
export function isTooLarge(failure: unknown): failure is SourceFailed {
  return failure instanceof SourceFailed && failure.code === TOO_LARGE;
}

/** True when the server at the address answered in any way: it is then not down. */
function isAnswer<Value>(outcome: Outcome<Value>): boolean {
  if (outcome.kind !== 'failed') return true;
  return (
    outcome.failure.code === 'RATE_LIMITED' ||
    (!outcome.mayRetry && outcome.failure.code !== 'CLOSED')
  );
}

/** Returns the API's base address without a final slash, as messages name it. */
export function addressOf({ baseUrl }: Pick<WebSettings, 'baseUrl'>): string {
  return baseUrl.replace(/\/+$/, '');
}

function urlOf({ address, path, query }: Attempt<unknown>): string {
  const url = new URL(`${address}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url.href;
}

/**
 * Returns the milliseconds to wait, with full jitter: any time up to the doubled delay, so that
 * many readers do not return at the same moment. `Retry-After` is added.
 */
function waitBefore(
  settings: WebSettings,
  failed: {
    readonly attempts: number;
    readonly retryAfter: string | null;
    readonly date: Instant | null;
  },
): number {
  const { firstDelay, longestDelay, longestRetryAfter } = settings.retries;
  const jittered = Math.floor(
    settings.random() * Math.min(longestDelay, firstDelay * 2 ** (failed.attempts - 1)),
  );
  const advised = readRetryAfter(failed.retryAfter, failed.date ?? settings.clock());
  return advised === null ? jittered : Math.min(advised, longestRetryAfter) + jittered;
}

/**
 * Reads `Retry-After`, which is a number of seconds or an HTTP-date, as milliseconds from `now`.
 * `now` should be the service's own clock. `null` when there is nothing to read.
 */
function readRetryAfter(text: string | null, now: Instant): number | null {
  if (text === null) return null;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1_000;
  const instant = readDate(text);
  return instant === null ? null : Math.max(0, instant - now);
}

async function pause(
  wait: number,
  waiting: { readonly request: string; readonly stop: AbortSignal },
): Promise<void> {
  try {
    await sleep(wait, undefined, { signal: waiting.stop });
  } catch {
    throw new SourceFailed(
      'CLOSED',
      `${waiting.request} was given up because its reading was closed.`,
    );
  }
}

/**
 * Returns the failure that the server's other merchants will see when this merchant is given up.
 */
function downBy<Value>(
  failure: SourceFailed,
  { address, dialect }: Attempt<Value>,
): PlaceUnreachable {
  return failure instanceof PlaceUnreachable
    ? failure
    : new PlaceUnreachable({ place: address, why: failure.code }, dialect.address, failure);
}

function exhausted(failure: SourceFailed, attempts: number): SourceFailed {
  if (failure instanceof PlaceUnreachable) return failure;
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  return new SourceFailed(
    failure.code,
    `${failure.message.replace(/\.$/, '')} (asked ${times}).`,
    failure.cause,
  );
}

// Sends one request once, under one deadline for the headers and the whole body. Refuses redirects,
// because they would carry the credentials elsewhere, and bodies over the cap. Says whether a retry
// could help.

interface Attempt<Value>
  extends WebQuestion<Value>,
    Pick<WebSettings, 'deadline' | 'maxResponseBytes'> {
  readonly address: string;
}

/**
 * The result of one attempt. `date` is the service's clock when it answered, from the header
 * `Date`; `null` when the answer had no readable one.
 */
type Outcome<Value> =
  | { readonly kind: 'answered'; readonly value: Value; readonly date: Instant | null }
  /** A 404 in the documented error shape: the service itself says that there is no such thing. */
  | { readonly kind: 'missing'; readonly failure: SourceFailed; readonly date: Instant | null }
  | {
      readonly kind: 'failed';
      readonly failure: SourceFailed;
      readonly mayRetry: boolean;
      /** The header `Retry-After`: seconds to wait, or an instant of the service's clock. */
      readonly retryAfter: string | null;
      readonly date: Instant | null;
    };

const LONGEST_ERROR = 16_384;

/** What was received. `body` is `null` when it passed the cap, and for a redirect. */
interface Received {
  readonly response: Response;
  readonly body: Uint8Array | null;
  readonly requestId: string;
}

async function sendAttempt<Value>(attempt: Attempt<Value>): Promise<Outcome<Value>> {
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
  const response = await fetch(urlOf(attempt), {
    ...(attempt.body === undefined ? {} : { method: 'POST', body: attempt.body }),
    headers: {
      accept: 'application/json',
      // A page from a cache would not be what the service says now.
      'cache-control': 'no-cache',
      ...(attempt.body === undefined ? {} : { 'content-type': 'application/json' }),
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
    return final(
      TOO_LARGE,
      `${attempt.request} was answered with more than ${attempt.maxResponseBytes} bytes (request ${requestId}): raise maxResponseBytes if the service is to be believed.`,
    );
  }
  const date = answeredAt(response);
  // An error body is short, so that a long page need not be parsed to see that it is not one.
  const succeeded = response.status === (attempt.body === undefined ? 200 : 201);
  const error = succeeded && body.length > LONGEST_ERROR ? null : attempt.dialect.readError(body);
  if (succeeded && error === null) return understand(attempt, { body, requestId, date });
  const failure = attempt.dialect.failureOf({
    request: attempt.request,
    status: response.status,
    error,
    requestId,
  });
  if (response.status === 404 && error !== null) return { kind: 'missing', failure, date };
  const mayRetry = response.status >= 500 || response.status === 429;
  return {
    kind: 'failed',
    failure,
    mayRetry,
    retryAfter: response.headers.get('retry-after'),
    date,
  };
}

/**
 * Returns the service's clock when it answered. An answer from a cache is older than its `Date` by
 * its `Age` (RFC 9111, 5.1).
 */
function answeredAt({ headers }: Response): Instant | null {
  const date = readDate(headers.get('date'));
  const age = /^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0];
  return date === null || age === undefined ? date : date + Number(age) * SECOND;
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
  return {
    kind: 'failed',
    failure,
    mayRetry: found.fault === 'cut',
    retryAfter: null,
    date: answer.date,
  };
}

/** Reads the whole body; returns `null`, and stops reading, once it is longer than the cap. */
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
  if (attempt.stop.aborted)
    return final('CLOSED', `${attempt.request} was given up because its reading was closed.`);
  const why = networkCode(fault.error);
  const { address: place, dialect } = attempt;
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

/**
 * Failures in which no connection was made: the server is at fault, and not the request or the
 * merchant.
 */
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

/**
 * Returns the system's code, such as `ECONNREFUSED`, which fetch hides in the causes of its error.
 */
function networkCode(error: unknown): string {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string') return code;
    current = current.cause;
  }
  return error instanceof Error ? error.name : 'unknown';
}

/**
 * Reads an HTTP-date (RFC 9110), which has whole seconds, as an instant; `null` for any other text.
 */
function readDate(text: string | null): Instant | null {
  if (text === null || !/^[A-Z][a-z]{2}, .* GMT$/.test(text)) return null;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : instant;
}
