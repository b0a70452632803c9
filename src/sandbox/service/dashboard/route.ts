// The shape of one endpoint of the dashboard API, and of what it answers.

import type { DashboardLife } from '../../dashboard/state.ts';
import type { Account } from '../account.ts';
import type { Query } from '../read-query.ts';
import type { Service } from '../service.ts';

export interface DashboardCall {
  readonly account: Account;
  /** The account's dashboard, up to date. */
  readonly life: DashboardLife;
  readonly service: Service;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  /** JSON as a value, or a multipart form; an empty object where there is none. */
  readonly body: unknown;
}

export interface DashboardRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** "Auth column": `x-api-key` and `x-api-secret`, or `authenticationtoken`. */
  readonly auth: 'Key' | 'Token';
  /** Where the merchant's reference stands; `either`: in the query or the body; `nowhere`: it need not be named. */
  readonly merchantIn: 'query' | 'body' | 'either' | 'nowhere';
  /** Collects or pays out: only an account that is ACTIVE may. */
  readonly operates?: true;
  /** Longest body, where it is not as usual. */
  readonly bodyLimit?: number;
  /** A `FileAnswer` is answered as it is, anything else as JSON; throws `Refusal` or `ApiError` to refuse. */
  readonly answer: (call: DashboardCall) => unknown;
}

/** An endpoint that needs no authentication. */
export interface OpenRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (service: Service, body: unknown) => unknown;
}

export interface FileAnswer {
  readonly type: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export function isFile(answer: unknown): answer is FileAnswer {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && answer.bytes instanceof Buffer;
}
