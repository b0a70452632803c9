// Admits, reads and refuses calls of both APIs. Compares credentials in constant time and checks
// the caller's address. Misbehaves as drawn from the seed and the number of calls. Reads bodies and
// parameters strictly, and names every wrong field. Refuses with a code and its status.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { FastifyError } from 'fastify';
import { z } from 'zod';
import { chance, drawInteger, seedRandom, uuidOf } from '../../model/random.ts';
import type { Misbehaviour } from './settings.ts';

/**
 * The status of every code ("Errors"). Codes for 404, 422, 429 and 503 are the sandbox's choice,
 * because the document does not show them.
 */
const STATUS_OF = {
  VALIDATION_ERROR: 400,
  IDEMPOTENCY_KEY_REQUIRED: 400,
  INVALID_CREDENTIALS: 401,
  INSUFFICIENT_BALANCE: 402,
  ACCOUNT_SUSPENDED: 403,
  IP_NOT_ALLOWED: 403,
  WALLET_FROZEN: 403,
  RESOURCE_NOT_FOUND: 404,
  IDEMPOTENCY_KEY_REUSED: 409,
  IDEMPOTENT_REQUEST_IN_FLIGHT: 409,
  DUPLICATE_EXTERNAL_REFERENCE: 409,
  WEBHOOK_ALREADY_DELIVERED: 409,
  // Control calls answer the first two of these, and the dashboard API, whose document shows no
  // codes, the third.
  FATE_REFUSED: 409,
  FAULT_REFUSED: 409,
  CONFLICT: 409,
  AMOUNT_OUT_OF_BOUNDS: 422,
  OPERATOR_UNAVAILABLE: 422,
  INVALID_PHONE_NUMBER: 422,
  DAILY_CASHOUT_LIMIT_EXCEEDED: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

type Details = Readonly<Record<string, unknown>>;

/** Thrown to refuse a call. The answer has the status of its code and the documented body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: keyof typeof STATUS_OF;
  readonly status: number;
  readonly details: Details | null;
  readonly headers: Readonly<Record<string, string>>;
  /** `retryAfter` is the number of seconds after which the call may be made again. */
  constructor(
    code: keyof typeof STATUS_OF,
    message: string,
    details: Details | null = null,
    retryAfter?: number,
  ) {
    super(message);
    this.code = code;
    this.status = STATUS_OF[code];
    this.details = details;
    this.headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  }
}

/** Returns 400 VALIDATION_ERROR. `fields` holds one message for each wrong field. */
export function invalidRequest(fields: readonly string[]): ApiError {
  return new ApiError('VALIDATION_ERROR', 'The request is invalid.', { fields });
}

/**
 * Returns the error as an `ApiError`. Requests that the server itself refuses (a path that cannot
 * be decoded, a body that is too long) are invalid requests.
 */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode = 500, message = 'The request cannot be read.' } =
    error as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) return invalidRequest([message]);
  return new ApiError('INTERNAL_ERROR', 'Internal error.');
}

export function notFound(what: string): ApiError {
  return new ApiError('RESOURCE_NOT_FOUND', `${what} does not exist.`);
}

const LARGEST_WHOLE = /^-?\d{1,15}$/;

/**
 * Reads the text by the form. An empty text counts as an empty object. Throws 400 VALIDATION_ERROR.
 */
export function readBody<Form extends z.ZodType>(text: string, form: Form): z.output<Form> {
  return readForm(readJson(text), form);
}

/** Reads a value by the form. Throws 400 VALIDATION_ERROR. */
export function readForm<Form extends z.ZodType>(value: unknown, form: Form): z.output<Form> {
  const read = form.safeParse(value);
  if (!read.success) throw invalidRequest(read.error.issues.map(sayIssue));
  return read.data;
}

/**
 * Parses JSON, with two differences. An `amount` of the body itself that is not written as a whole
 * number becomes a text, so that it is refused. A number with more digits than a double holds stays
 * as it was written, because free data must be returned unchanged. Throws 400 VALIDATION_ERROR.
 */
export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const amounts: { readonly holder: unknown; readonly written: string }[] = [];
  function revive(
    this: unknown,
    name: string,
    value: unknown,
    context?: { readonly source?: string },
  ): unknown {
    const written = context?.source;
    if (typeof value !== 'number' || written === undefined) return value;
    if (name === 'amount' && !LARGEST_WHOLE.test(written)) amounts.push({ holder: this, written });
    // JSON.stringify writes such a value exactly as it was.
    return isHeld(value, written)
      ? value
      : (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(written);
  }
  try {
    const body: unknown = JSON.parse(text, revive);
    const amount = amounts.find(({ holder }) => holder === body);
    return amount === undefined ? body : { ...(body as object), amount: amount.written };
  } catch {
    throw invalidRequest(['the body must be JSON']);
  }
}

/**
 * Tells whether a double holds the number as written. A double holds any fifteen digits, unless the
 * number is far too large or too small.
 */
function isHeld(value: number, written: string): boolean {
  const digits = written
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === '');
}

function sayIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.join(', ')} is not a field of this call`;
  const field = issue.path.join('.');
  return field === '' ? 'the body must be an object' : `${field} ${issue.message}`;
}

/** Returns the body as text; the server has read it as bytes. Empty when there is none. */
export function textOf({ body }: { readonly body: unknown }): string {
  return body instanceof Buffer ? body.toString() : '';
}

export type Query = Readonly<Record<string, unknown>>;

const LIMIT = { error: 'must be an integer from 1 to 200' };
const OFFSET = { error: 'must be an integer of at least 0' };
/** Reads an integer that is given once, as digits only: no sign, no fraction, no exponent. */
const digits = (error: { readonly error: string }) =>
  z
    .string(error)
    .regex(/^\d{1,15}$/, error)
    .transform(Number);
const pageForm = z.object({
  limit: digits(LIMIT).pipe(z.number().min(1, LIMIT).max(200, LIMIT)).default(50),
  offset: digits(OFFSET).default(0),
});

export type Page = Readonly<z.output<typeof pageForm>>;

/** Reads limit and offset. Throws 400 VALIDATION_ERROR. */
export function readPage(query: Query): Page {
  return readForm(query, pageForm);
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` });
}

/**
 * Refuses `field` when it is given and not needed, or needed and not given. `when` completes the
 * sentence of the error.
 */
export function onlyWhen<Form extends z.ZodObject, Field extends keyof z.output<Form> & string>(
  form: Form,
  field: Field,
  [isNeeded, when]: readonly [(value: z.output<Form>) => boolean, string],
) {
  return form.refine(
    (value) => isNeeded(value) === (value[field] !== undefined && value[field] !== null),
    {
      path: [field],
      error: `must be given ${when}, and only then`,
    },
  );
}

/**
 * Reads an object of free data with at most `longest` characters as JSON. `z.record` cannot be
 * used: it would lose `__proto__`, and numbers kept as they were written.
 */
export function freeObject(longest: number, error: string) {
  return z
    .unknown()
    .refine(isObject, { error })
    .refine((value) => (JSON.stringify(value) ?? '').length <= longest, {
      error: `must have at most ${longest} characters as JSON`,
    })
    .meta({ type: 'object' })
    .transform((value) => value as Readonly<Record<string, unknown>>);
}

/**
 * Tells whether the value is a JSON object. A number that is kept as it was written is an object
 * too, but not one of these.
 */
function isObject(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

export interface AllowedAddress {
  readonly id: string;
  readonly address: string;
}

/** The part of an account that holds its allowed addresses. */
interface Fenced {
  readonly addresses: AllowedAddress[];
}

/**
 * Adds an address; one that is there already stays as it is. Throws 400 VALIDATION_ERROR when the
 * text is not an IP address.
 */
export function allowAddress(
  account: Fenced & { readonly plan: { readonly reference: string } },
  text: string,
): AllowedAddress {
  const address = plainAddress(text);
  if (isIP(address) === 0) throw invalidRequest(['address must be an IP address']);
  const known = account.addresses.find((one) => one.address === address);
  if (known !== undefined) return known;
  const added = { id: uuidOf(`${account.plan.reference}/address/${address}`), address };
  account.addresses.push(added);
  return added;
}

/** Removes an address. Returns false when there is none of that id. */
export function forbidAddress({ addresses }: Fenced, id: string): boolean {
  const place = addresses.findIndex((one) => one.id === id);
  if (place < 0) return false;
  addresses.splice(place, 1);
  return true;
}

/**
 * Returns the IPv4 address of a caller over IPv6 that has one (`::ffff:10.0.0.1`), otherwise the
 * address itself.
 */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * Returns the account of the credentials. Throws 401 INVALID_CREDENTIALS and 403 IP_NOT_ALLOWED,
 * with the messages of the API.
 */
export function authenticate<
  Account extends Fenced & { readonly apiKey: string; readonly apiSecret: string },
>(
  accounts: readonly Account[],
  { headers, ip }: { readonly headers: IncomingHttpHeaders; readonly ip: string },
  messages: { readonly invalid: string; readonly notAllowed: string },
): Account {
  const account = accounts.find(({ apiKey }) => apiKey === headers['x-api-key']);
  const matches = sameSecret(headers['x-api-secret'], account?.apiSecret ?? null);
  if (account === undefined || !matches)
    throw new ApiError('INVALID_CREDENTIALS', messages.invalid);
  const { addresses } = account;
  const isAllowed =
    addresses.length === 0 || addresses.some(({ address }) => address === plainAddress(ip));
  if (!isAllowed) throw new ApiError('IP_NOT_ALLOWED', messages.notAllowed);
  return account;
}

/**
 * Compares secrets in constant time. `known` is `null` when there is no such account; the
 * comparison then takes as long.
 */
export function sameSecret(given: unknown, known: string | null): boolean {
  const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
  const isSame = timingSafeEqual(
    digestOf(typeof given === 'string' ? given : ''),
    digestOf(known ?? ''),
  );
  return isSame && known !== null;
}

/**
 * Returns a function that waits, and throws 429 or 500, for the calls of one API as the settings
 * want it.
 */
export function openMisbehaviour(
  misbehaviour: Misbehaviour,
  seed: string,
): (account: object) => Promise<void> {
  const random = seedRandom(seed);
  const callsOf = new Map<object, number>();
  return async (account) => {
    const { failureRate, rateLimit, latency } = misbehaviour;
    if (latency !== null) await setTimeout(drawInteger(random, latency));
    if (rateLimit !== null) {
      const calls = callsOf.get(account) ?? 0;
      callsOf.set(account, calls + 1);
      if (calls % (rateLimit.calls + rateLimit.refusals) >= rateLimit.calls) {
        throw new ApiError(
          'TOO_MANY_REQUESTS',
          'Too many requests.',
          null,
          rateLimit.retryAfterSeconds,
        );
      }
    }
    if (failureRate > 0 && chance(random, failureRate))
      throw new ApiError('INTERNAL_ERROR', 'Internal error.');
  };
}
