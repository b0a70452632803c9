// How one API words its refusals: what every client of the web has to know before it can judge an
// answer. Knows no API.

import type { SourceFailed } from '../port/source.ts';

/** What of an error body is stable enough to be repeated. */
export interface ServiceError {
  readonly code: string;
  readonly requestId: string | null;
}

export interface RefusedAnswer {
  /** `GET /ledger of M001`. */
  readonly request: string;
  readonly status: number;
  /**
   * Null when the body has not the documented shape: then something other than the service may have
   * answered.
   */
  readonly error: ServiceError | null;
  readonly requestId: string;
}

export interface Dialect {
  /** Reads the documented error shape; null for any other body. */
  readonly readError: (body: Uint8Array) => ServiceError | null;
  /** One sentence: what was asked, what was answered, what to do. */
  readonly failureOf: (answer: RefusedAnswer) => SourceFailed;
  /**
   * The setting that holds its address, and the part of the configuration that holds the others.
   */
  readonly address: string;
  readonly settings: string;
  /** The settings that say where and how answers stand; none where no document leaves that open. */
  readonly shape: readonly string[];
}

/** A request id that is safe to repeat, or null. */
export function readRequestId(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null;
}

/**
 * Errors are read leniently: whatever the body is, the answer is refused all the same. Null for
 * what is no object.
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

// What a reader of an answer's body says: the part that was wanted, or why it cannot be had from
// these bytes.

/**
 * `cut`: the text ended or broke off, asking again may help. `unknown`: it is whole, but not what
 * is known.
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
