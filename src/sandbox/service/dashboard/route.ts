// The shape of one endpoint of the dashboard API, and of what it answers.

import { type AnswerName, answerOf } from '../../dashboard/answers.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import type { Account } from '../account.ts';
import type { Query } from '../read-query.ts';
import type { Described } from '../route.ts';
import type { Service } from '../service.ts';
import type { DashboardAnswer } from './forms.ts';
import type { TokenKey } from './tokens.ts';

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

interface DescribedAnswer extends Described {
  /** `file`: its media type. */
  readonly answers:
    | { readonly form: DashboardAnswer }
    | { readonly form: DashboardAnswer; readonly list: true }
    | { readonly file: string };
  /** Names of query parameters beside the merchant's reference. */
  readonly query?: readonly string[];
}

export interface DashboardRoute extends DescribedAnswer {
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
export interface OpenRoute extends DescribedAnswer {
  readonly auth: 'open';
  readonly merchantIn: 'nowhere';
  readonly answer: (call: OpenCall) => unknown;
}

export interface OpenCall {
  readonly service: Service;
  readonly body: unknown;
  readonly key: TokenKey;
  /** Waits and refuses, where that is asked for. */
  readonly misbehave: (account: Account) => Promise<void>;
}

/** An endpoint that answers what follows from the dashboard's state, under the last words of its path. */
export function publishedAnswer(
  name: AnswerName,
  said: Pick<DashboardRoute, 'operationId' | 'summary' | 'answers'>,
): DashboardRoute {
  const path = `/web-merchant/${name}`;
  return {
    method: 'GET',
    path,
    auth: 'Token',
    merchantIn: 'query',
    ...said,
    answer: ({ life }) => answerOf(life, name),
  };
}

export interface FileAnswer {
  readonly type: string;
  readonly name: string;
  readonly bytes: Buffer;
}

export function isFile(answer: unknown): answer is FileAnswer {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && answer.bytes instanceof Buffer;
}
