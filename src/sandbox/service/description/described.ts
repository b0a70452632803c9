// What an endpoint says of itself, beside what it does: its part of the OpenAPI document.

import type { z } from 'zod';
import type { AnswerName } from './direct-forms.ts';

export interface Described {
  /** Verb and noun; unique. */
  readonly operationId: string;
  readonly summary: string;
  /** Parameters of lists that it takes. */
  readonly query?: readonly ('limit' | 'offset' | 'operationStatus' | 'deliveryStatus')[];
  /** Creations have an Idempotency-Key. */
  readonly isCreation?: true;
  readonly body?: z.ZodType;
  /** `list`: many of them, in the envelope that is set. */
  readonly answer: { readonly status: 200 | 201; readonly form: AnswerName; readonly list?: true };
  /** Statuses beside those of every call. */
  readonly refusals?: readonly RefusalStatus[];
}

/** Of every call. */
export const USUAL_REFUSALS = [401, 403, 429, 500] as const;

/** What each status means, and the codes that come with it ("Errors"). */
export const REFUSALS = {
  400: 'The request is invalid: VALIDATION_ERROR, with `details.fields`; IDEMPOTENCY_KEY_REQUIRED on creations',
  401: 'Credentials are absent or invalid: INVALID_CREDENTIALS',
  402: 'The available balance is too low: INSUFFICIENT_BALANCE, with `available`, `required` and `currency`',
  403: 'The account, the address or the wallet does not allow it: ACCOUNT_SUSPENDED, IP_NOT_ALLOWED, WALLET_FROZEN',
  404: 'It is not there: RESOURCE_NOT_FOUND',
  409: 'It contradicts what there is: IDEMPOTENCY_KEY_REUSED, IDEMPOTENT_REQUEST_IN_FLIGHT, DUPLICATE_EXTERNAL_REFERENCE, WEBHOOK_ALREADY_DELIVERED',
  422: 'The account does not allow it: AMOUNT_OUT_OF_BOUNDS, OPERATOR_UNAVAILABLE, INVALID_PHONE_NUMBER, DAILY_CASHOUT_LIMIT_EXCEEDED',
  429: 'Too many calls: TOO_MANY_REQUESTS',
  500: 'Something is broken: INTERNAL_ERROR',
  503: 'Temporarily unavailable: SERVICE_UNAVAILABLE; try again with the same Idempotency-Key',
} as const;
export type RefusalStatus = keyof typeof REFUSALS;
