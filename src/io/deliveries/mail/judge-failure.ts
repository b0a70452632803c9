// What a mail that failed is: refused, to be tried again, or in doubt. Refuses to call anything failed that the server may
// have taken.

import type { SendOutcome } from '../../../core/domain/delivery/delivery-channel.ts';
import { detailOf } from '../detail.ts';

interface SmtpFailure extends Error {
  /** What the server was answering: `RCPT TO`. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  /** For good: 5xx but 503. */
  readonly permanent?: boolean;
}

/**
 * `isWhole`: every byte of the mail was given to the connection, so that its end may have reached the server. A server that
 * answered did not take it. Only what it says of the recipient, for good, ends the delivery: what it says of the sender, the
 * login or the message may be our own setting, and mended before the last attempt.
 */
export function judgeFailure(failure: SmtpFailure, { isWhole }: { readonly isWhole: boolean }): SendOutcome {
  const { command, response, responseCode, permanent, message } = failure;
  const detail = detailOf(response === undefined ? message : `${command}: ${response}`);
  if (responseCode !== undefined)
    return { outcome: permanent === true && command === 'RCPT TO' ? 'REFUSED' : 'RETRY', detail };
  if (!isWhole) return { outcome: 'RETRY', detail };
  return { outcome: 'IN_DOUBT', detail: detailOf(`${message}; the mail was given over whole, it may have arrived`) };
}
