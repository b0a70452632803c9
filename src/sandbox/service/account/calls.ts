// How calls of both APIs are admitted, read and refused: credentials compared in constant time and the caller's address, trouble on
// demand that follows from the seed and the number of calls, bodies and parameters read strictly with every wrong field named, and the
// errors of the direct API, which have one shape and a code that callers branch on.

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { OPERATION_STATUSES, type OperationStatus } from '../../../core/domain/operation.ts';
import { chance, drawInteger, type Random, uuidOf } from '../../model/random.ts';
import type { Misbehaviour } from './settings.ts';

/** Thrown by whatever refuses a call; answered with `status` and the documented body. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly headers: Readonly<Record<string, string>>;
  constructor(parts: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    super(parts.message);
    this.status = parts.status;
    this.code = parts.code;
    this.details = parts.details ?? null;
    this.headers = parts.headers ?? {};
  }
}

/** 400 VALIDATION_ERROR; `fields` are messages, one for each field that is wrong. */
export function invalidRequest(fields: readonly string[]): ApiError {
  const message = 'The request is invalid.';
  return new ApiError({ status: 400, code: 'VALIDATION_ERROR', message, details: { fields } });
}

/** 404. The document does not show its code. */
export function notFound(what: string): ApiError {
  return new ApiError({ status: 404, code: 'RESOURCE_NOT_FOUND', message: `${what} does not exist.` });
}

export function errorBody(error: ApiError, call: { readonly requestId: string; readonly now: Instant }) {
  return {
    success: false,
    error: { code: error.code, message: error.message, details: error.details },
    requestId: call.requestId,
    timestamp: formatInstant(call.now),
  };
}

const LARGEST_WHOLE = /^-?\d{1,15}$/;

/** What the form makes of the text; an empty text is an empty object. Throws 400 VALIDATION_ERROR. */
export function readBody<Form extends z.ZodType>(text: string, form: Form): z.output<Form> {
  return readForm(readJson(text), form);
}

/** The same of a value that was read already. */
export function readForm<Form extends z.ZodType>(value: unknown, form: Form): z.output<Form> {
  const read = form.safeParse(value);
  if (!read.success) throw invalidRequest(read.error.issues.map(sayIssue));
  return read.data;
}

/**
 * As JSON has it, but for two things. An `amount` of the body itself that is not written as a whole number stays a text, to be
 * refused. A number with more digits than this language holds stays as it was written: free data is returned unchanged. Throws 400
 * VALIDATION_ERROR.
 */
export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const amounts: { readonly holder: unknown; readonly written: string }[] = [];
  function revive(this: unknown, name: string, value: unknown, context?: { readonly source?: string }): unknown {
    const written = context?.source;
    if (typeof value !== 'number' || written === undefined) return value;
    if (name === 'amount' && !LARGEST_WHOLE.test(written)) amounts.push({ holder: this, written });
    return isHeld(value, written) ? value : rawJson(written);
  }
  try {
    const body: unknown = JSON.parse(text, revive);
    const amount = amounts.find(({ holder }) => holder === body);
    return amount === undefined ? body : { ...(body as object), amount: amount.written };
  } catch {
    throw invalidRequest(['the body must be JSON']);
  }
}

/** A double holds any fifteen digits, but for what is far too large or too small. */
function isHeld(value: number, written: string): boolean {
  const digits = written
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === '');
}

/** Written by JSON.stringify as it is. */
function rawJson(text: string): unknown {
  return (JSON as { readonly rawJSON?: (text: string) => unknown }).rawJSON?.(text);
}

function sayIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not a field of this call`;
  const field = issue.path.join('.');
  return field === '' ? 'the body must be an object' : `${field} ${issue.message}`;
}

export type Query = Readonly<Record<string, unknown>>;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** `limit` 1 to 200, default 50; `offset` from 0, default 0. Throws 400 VALIDATION_ERROR. */
export function readPage(query: Query): Page {
  const limit = readInteger(query.limit ?? '50');
  const offset = readInteger(query.offset ?? '0');
  const fields = [
    ...(limit !== null && limit >= 1 && limit <= 200 ? [] : ['limit must be an integer from 1 to 200']),
    ...(offset !== null ? [] : ['offset must be an integer of at least 0']),
  ];
  if (fields.length > 0) throw invalidRequest(fields);
  return { limit: limit!, offset: offset! };
}

/** `status`, or null when it is absent. Throws 400 VALIDATION_ERROR for anything but an OperationStatus. */
export function readStatus(query: Query): OperationStatus | null {
  if (query.status === undefined) return null;
  const status = OPERATION_STATUSES.find((known) => known === query.status);
  if (status === undefined) throw invalidRequest([`status must be one of ${OPERATION_STATUSES.join(', ')}`]);
  return status;
}

/** Digits only: no sign, no fraction, no exponent, given once. */
function readInteger(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) return null;
  return Number(value);
}

/** At most so many characters as JSON. What goes through `z.record` would lose `__proto__`, and numbers kept as they were written. */
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

/** As JSON has them: a number that is kept as it was written is none. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

export interface AllowedAddress {
  readonly id: string;
  readonly address: string;
}

/** The part of an account that holds them. */
interface Fenced {
  readonly addresses: AllowedAddress[];
}

/** As a plan declares them. */
export function addressesOf(reference: string, declared: readonly string[] | null): AllowedAddress[] {
  return (declared ?? []).map((address) => ({ id: idOf(reference, address), address }));
}

export function allowsAddress({ addresses }: Fenced, caller: string): boolean {
  return addresses.length === 0 || addresses.some(({ address }) => address === plainAddress(caller));
}

/** Null for what is not an IP address. An address that is there already stays as it is. */
export function allowAddress(
  account: Fenced & { readonly plan: { readonly reference: string } },
  text: string,
): AllowedAddress | null {
  const address = plainAddress(text);
  if (isIP(address) === 0) return null;
  const known = account.addresses.find((one) => one.address === address);
  if (known !== undefined) return known;
  const added = { id: idOf(account.plan.reference, address), address };
  account.addresses.push(added);
  return added;
}

/** False when there is no address of that id. */
export function forbidAddress({ addresses }: Fenced, id: string): boolean {
  const place = addresses.findIndex((one) => one.id === id);
  if (place < 0) return false;
  addresses.splice(place, 1);
  return true;
}

/** A caller over IPv6 that has an IPv4 address is known by that. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}

function idOf(reference: string, address: string): string {
  return uuidOf(`${reference}/address/${address}`);
}

/** An account that no secret opens is compared with this one, so that an unknown key takes as long as a known one. */
const NOBODY = digestOf('no account has this secret');

/** The account of the credentials. Throws 401 INVALID_CREDENTIALS and 403 IP_NOT_ALLOWED. */
export function authenticate<Account extends Fenced & { readonly apiKey: string; readonly apiSecret: string }>(
  accounts: readonly Account[],
  caller: { readonly apiKey: unknown; readonly apiSecret: unknown; readonly address: string },
): Account {
  const account = accounts.find(({ apiKey }) => apiKey === caller.apiKey);
  const matches = sameSecret(caller.apiSecret, account?.apiSecret ?? null);
  if (account === undefined || !matches) {
    const message = 'API credentials are absent or invalid.';
    throw new ApiError({ status: 401, code: 'INVALID_CREDENTIALS', message });
  }
  if (!allowsAddress(account, caller.address)) {
    throw new ApiError({ status: 403, code: 'IP_NOT_ALLOWED', message: 'The caller address is not declared.' });
  }
  return account;
}

/** In constant time; `known` null: there is no such account, which takes as long to find out. */
export function sameSecret(given: unknown, known: string | null): boolean {
  const secret = digestOf(typeof given === 'string' ? given : '');
  return timingSafeEqual(secret, known === null ? NOBODY : digestOf(known)) && known !== null;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export interface Mood {
  readonly random: Random;
  readonly misbehaviour: Misbehaviour;
  readonly callsOf: Map<object, number>;
}

/** Waits, and throws 429 or 500 when it is their turn. */
export async function misbehave(mood: Mood, account: object): Promise<void> {
  const { failureRate, rateLimit, latency } = mood.misbehaviour;
  if (latency !== null) await setTimeout(drawInteger(mood.random, latency));
  if (rateLimit !== null) {
    const calls = mood.callsOf.get(account) ?? 0;
    mood.callsOf.set(account, calls + 1);
    if (calls % (rateLimit.calls + rateLimit.refusals) >= rateLimit.calls) {
      const headers = { 'retry-after': String(rateLimit.retryAfterSeconds) };
      throw new ApiError({ status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests.', headers });
    }
  }
  if (failureRate > 0 && chance(mood.random, failureRate)) {
    throw new ApiError({ status: 500, code: 'INTERNAL_ERROR', message: 'Internal error.' });
  }
}
