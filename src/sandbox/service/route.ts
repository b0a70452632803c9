// The shape of one endpoint of the direct API, what an account may do in which state, and the lists that endpoints answer with.

import type { IncomingHttpHeaders } from 'node:http';
import type { MerchantStatus } from '../../core/domain/merchant.ts';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';
import type { Described } from './description/described.ts';
import type { Page, Query } from './read-query.ts';
import type { Service } from './service.ts';
import type { ListEnvelope, Settings } from './settings.ts';

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

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1`. */
  readonly path: string;
  readonly deed: Deed;
  /** Its part of the OpenAPI document. */
  readonly described: Described;
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
