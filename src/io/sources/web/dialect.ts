// How one API words its refusals, which every web client must know before it can judge an answer.
// This file knows no particular API.

import type { SourceFailed } from '../port/source.ts';

/** The parts of an error body that are stable and safe enough to be repeated in a message. */
export interface ServiceError {
  readonly code: string;
  readonly requestId: string | null;
}

export interface RefusedAnswer {
  /** What was requested, for messages: `GET /ledger of M001`. */
  readonly request: string;
  readonly status: number;
  /**
   * `null` when the body does not have the documented error shape: something other than the
   * service, such as a proxy, may have answered.
   */
  readonly error: ServiceError | null;
  readonly requestId: string;
}

export interface Dialect {
  /** Reads the documented error shape; `null` for any other body. */
  readonly readError: (body: Uint8Array) => ServiceError | null;
  /** Words a refusal in one sentence: what was requested, what was answered, what to do. */
  readonly failureOf: (answer: RefusedAnswer) => SourceFailed;
  /** Name of the setting that holds the API's address. */
  readonly address: string;
  /** Name of the part of the configuration that holds the API's other settings. */
  readonly settings: string;
  /**
   * Names of the settings that say which paths and fields the API uses; empty when the API's
   * document leaves none of that open.
   */
  readonly shape: readonly string[];
}

/** Returns a request id that is safe to repeat in a message, or `null`. */
export function readRequestId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
}

/**
 * Parses an error body leniently, because the answer is refused whatever the body holds. `null`
 * when it is no JSON object.
 */
export function parseErrorBody(body: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// What the reader of an answer's body returns: the part that was wanted, or why these bytes do not
// have it.

/**
 * `cut`: the text broke off, and requesting it again may help. `unknown`: the text is whole, but
 * its form is not known.
 */
type Unreadable = {
  readonly ok: false;
  readonly fault: 'cut' | 'unknown';
  readonly reason: string;
};
export type Found<Value> = { readonly ok: true; readonly value: Value } | Unreadable;

export function cut(reason: string): Unreadable {
  return { ok: false, fault: 'cut', reason };
}

export function unknown(reason: string): Unreadable {
  return { ok: false, fault: 'unknown', reason };
}
