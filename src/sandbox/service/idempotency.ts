// Idempotency keys of creations (direct API, "Idempotency rules"): one answer for each, kept for 24 hours of simulated time,
// each account's by itself. Refusals are not kept: what was refused may be asked for again under the same key.

import { createHash } from 'node:crypto';
import { DAY, type Instant } from '../../core/domain/instant.ts';
import type { KeptAnswer } from './account.ts';
import { ApiError, invalidRequest } from './api-error.ts';

const LONGEST_KEY = 120;

/** The header. Throws 400 IDEMPOTENCY_KEY_REQUIRED where it is missing or empty, VALIDATION_ERROR where it is too long. */
export function readKey(header: string | readonly string[] | undefined): string {
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') {
    const message = 'The header Idempotency-Key is missing.';
    throw new ApiError({ status: 400, code: 'IDEMPOTENCY_KEY_REQUIRED', message });
  }
  if (key.length > LONGEST_KEY) throw invalidRequest([`Idempotency-Key must have at most ${LONGEST_KEY} characters`]);
  return key;
}

/** Equal for bodies of one meaning: the order of their fields and the space between them do not count. */
export function fingerprintOf(endpoint: string, body: unknown): string {
  return createHash('sha256')
    .update(`${endpoint} ${JSON.stringify(sorted(body))}`)
    .digest('hex');
}

/**
 * The answer that is kept, or null when the call is the first: then its key is in flight until `keep` or `forget`. Throws 409
 * IDEMPOTENCY_KEY_REUSED and IDEMPOTENT_REQUEST_IN_FLIGHT.
 */
export function claimKey(
  keys: Map<string, KeptAnswer>,
  claim: { readonly key: string; readonly fingerprint: string; readonly now: Instant },
): string | null {
  const { key, fingerprint, now } = claim;
  dropOld(keys, now);
  const kept = keys.get(key);
  if (kept === undefined) {
    keys.set(key, { fingerprint, keptAt: now, body: null });
    return null;
  }
  if (kept.fingerprint !== fingerprint) {
    throw conflict('IDEMPOTENCY_KEY_REUSED', 'The idempotency key was used with another request.');
  }
  if (kept.body === null) throw conflict('IDEMPOTENT_REQUEST_IN_FLIGHT', 'The same request is still being processed.');
  return kept.body;
}

/** Keeps the answer for 24 hours from `keptAt` on, which no key that is kept already is after. */
export function keepAnswer(keys: Map<string, KeptAnswer>, key: string, answer: KeptAnswer): void {
  // To the end: keys stand in the order of their instants, and slower calls may have come before.
  keys.delete(key);
  keys.set(key, answer);
}

/** Keys stand in the order of their instants. */
function dropOld(keys: Map<string, KeptAnswer>, now: Instant): void {
  for (const [key, { keptAt, body }] of keys) {
    if (keptAt > now - DAY) return;
    if (body !== null) keys.delete(key);
  }
}

function conflict(code: string, message: string): ApiError {
  return new ApiError({ status: 409, code, message });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { fields: entries.map(([name, held]) => [name, sorted(held)]) };
}
