// The shape of one endpoint of the direct API, what an account may do in which state, and the lists that endpoints answer with.

import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { MerchantStatus } from '../../core/domain/merchant.ts';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';
import type { AnswerName } from './direct/forms.ts';
import type { Page, Query } from './read-query.ts';
import type { Service } from './service.ts';
import type { ListEnvelope, Settings } from './settings.ts';

/** What an endpoint of either API says of itself. */
export interface Described {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the API's prefix, with `:name` for what varies. */
  readonly path: string;
  /** Verb and noun; unique in its API. */
  readonly operationId: string;
  readonly summary: string;
  /** The form by which the body is read. */
  readonly body?: z.ZodType;
  /** The body is a multipart form with these files. */
  readonly files?: readonly string[];
}

export interface Call {
  readonly service: Service;
  readonly account: Account;
  readonly settings: Settings;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Text as received; empty where there is none. */
  readonly body: string;
}

/** A text is answered as it is: it is JSON already. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** "PENDING: can read and configure but not operate; SUSPENDED: temporarily blocked" (Merchant, `status`). */
export type Deed = 'READ' | 'CONFIGURE' | 'OPERATE';

export interface Route extends Described {
  readonly deed: Deed;
  /** Beside those of its path: of lists, and the Idempotency-Key of creations. */
  readonly parameters?: readonly ('key' | 'limit' | 'offset' | 'operationStatus' | 'deliveryStatus')[];
  /** Of its answer; absent: 200. */
  readonly status?: 201;
  /** Of its answer; `list`: many of them, in the envelope that is set. */
  readonly form: AnswerName;
  readonly list?: true;
  /** Statuses beside those of every call. */
  readonly refusals?: readonly (400 | 402 | 404 | 409 | 422 | 503)[];
  /** Throws `ApiError` to refuse. */
  readonly answer: (call: Call) => Answer | Promise<Answer>;
}

/** What a closed account may do is not shown: here its books can still be read. */
const DEEDS: Readonly<Record<MerchantStatus, readonly Deed[]>> = {
  PENDING: ['READ', 'CONFIGURE'],
  ACTIVE: ['READ', 'CONFIGURE', 'OPERATE'],
  SUSPENDED: [],
  CLOSED: ['READ'],
};

/** Throws 403 ACCOUNT_SUSPENDED when the account's state does not allow it. */
export function requireState({ simulation }: Account, deed: Deed): void {
  const { status } = simulation.merchant;
  if (DEEDS[status].includes(deed)) return;
  const message = `The account is ${status.toLowerCase()}.`;
  throw new ApiError({ status: 403, code: 'ACCOUNT_SUSPENDED', message });
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** One page of rows in the chosen envelope. `newestFirst` rows are counted from the end of `rows`. */
export function answerList<Row>(
  rows: readonly Row[],
  list: {
    readonly show: (row: Row) => unknown;
    readonly page: Page;
    readonly newestFirst: boolean;
    readonly envelope: ListEnvelope;
  },
): Answer {
  const { limit, offset } = list.page;
  const page = list.newestFirst
    ? rows.slice(Math.max(0, rows.length - offset - limit), Math.max(0, rows.length - offset)).reverse()
    : rows.slice(offset, offset + limit);
  const shown = page.map(list.show);
  return ok(list.envelope === 'array' ? shown : { [list.envelope]: shown });
}
