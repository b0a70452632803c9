// The shape of one endpoint, and of the lists that endpoints answer with.

import type { Account } from './account.ts';
import type { Page, Query } from './read-query.ts';
import type { ListEnvelope, Settings } from './settings.ts';

export interface Call {
  readonly account: Account;
  readonly settings: Settings;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET';
  /** Below `/v1`. */
  readonly path: string;
  /** The body of a 200 answer; throws `ApiError` to refuse. */
  readonly answer: (call: Call) => unknown;
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
): unknown {
  const { limit, offset } = list.page;
  const page = list.newestFirst
    ? rows.slice(Math.max(0, rows.length - offset - limit), Math.max(0, rows.length - offset)).reverse()
    : rows.slice(offset, offset + limit);
  const shown = page.map(list.show);
  return list.envelope === 'array' ? shown : { [list.envelope]: shown };
}
