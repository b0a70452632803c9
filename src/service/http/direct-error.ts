// Errors as the document of the direct API states them: a stable code, a message, details, and the call they belong to.
// Refuses to tell a caller what went wrong inside.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';

/** Thrown by whatever refuses a call in this shape; callers branch on the code, the message is for people. */
export class DirectError extends Error {
  override readonly name = 'DirectError';
  readonly status: number;
  readonly code: string;
  readonly details: object | null;
  constructor(status: number, code: string, message: string, details: object | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export function describeDirectError(
  { code, message, details }: DirectError,
  { requestId, now }: { readonly requestId: string; readonly now: Instant },
) {
  return {
    success: false as const,
    error: { code, message, details },
    requestId,
    timestamp: formatInstant(now),
  };
}
