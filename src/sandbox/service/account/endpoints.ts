// The shape of an endpoint of either API: what it states about itself, of which the OpenAPI documents are made, and its answer. A list of
// endpoints is a table by operationId: a new endpoint is one entry.

import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { DashboardLife } from '../../dashboard/state.ts';
import type { AnswerName } from '../../model/served.ts';
import type { DashboardAnswer } from '../../model/served-dashboard.ts';
import type { Account, Permission, Service } from './account.ts';
import type { Query } from './calls.ts';
import type { Settings } from './settings.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A form, a list of one form, or a file of that media type. */
type Answers<Form> = { readonly form: Form } | { readonly list: Form } | { readonly file: string };

/** What an endpoint of either API states about itself. */
interface Stated<Form> {
  /** Method, and path below the API's prefix with `:name` for what varies. */
  readonly at: `${Method} /${string}`;
  readonly summary: string;
  /** The form by which the body is read. */
  readonly body?: z.ZodType;
  /** The body is a multipart form with these files. */
  readonly files?: readonly string[];
  readonly answers: Answers<Form>;
}

interface Named {
  /** Verb and noun; unique in its API. */
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
}

/** An endpoint of the direct API. Lists are in the envelope that is set. */
interface StatedRoute extends Stated<AnswerName> {
  /** Which accounts may call it; absent: GET needs READ, and the others CONFIGURE. */
  readonly permission?: Permission;
  /** Beside those of its path: of lists, and the Idempotency-Key of creations. */
  readonly parameters?: readonly ('key' | 'limit' | 'offset' | 'operationStatus' | 'deliveryStatus')[];
  /** Of its answer; absent: 200. */
  readonly status?: 201;
  /** Statuses beside those of every call. */
  readonly refusals?: readonly (400 | 402 | 404 | 409 | 422 | 503)[];
  /** A text is answered as it is: it is JSON already. Throws `ApiError` to refuse. */
  readonly answer: (call: Call) => unknown;
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

interface StatedDashboardRoute extends Stated<DashboardAnswer> {
  /** "Auth column": `x-api-key` and `x-api-secret`; absent: `authenticationtoken`. */
  readonly auth?: 'Key';
  /** Where the merchant's reference is; `either`: in the query or the body; `nowhere`: it need not be named; absent: in the query. */
  readonly merchantIn?: 'body' | 'either' | 'nowhere';
  /** Names of query parameters beside the merchant's reference. */
  readonly query?: readonly string[];
  /** Collects or pays out: only an account that is ACTIVE may. */
  readonly operates?: true;
  /** Longest body, where it is not as usual. */
  readonly bodyLimit?: number;
  /** A `FileAnswer` is answered as it is, anything else as JSON; throws `ApiError` to refuse. */
  readonly answer: (call: DashboardCall) => unknown;
}

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

/** An endpoint that needs no authentication. */
interface StatedOpenRoute extends Stated<DashboardAnswer> {
  readonly answer: (call: OpenCall) => unknown;
}

export interface OpenCall {
  readonly service: Service;
  readonly body: unknown;
  /** Signs the token of a login. */
  readonly issueToken: (merchant: string) => Promise<string>;
  /** Waits and refuses, where the settings ask for that. */
  readonly misbehave: (account: Account) => Promise<void>;
}

export type Described = Stated<string> & Named;
export type Route = StatedRoute & Named;
export type DashboardRoute = StatedDashboardRoute & Named;
export type OpenRoute = StatedOpenRoute & Named;

export function defineRoutes(stated: Readonly<Record<string, StatedRoute>>): readonly Route[] {
  return nameAll(stated);
}

export function defineDashboardRoutes(
  stated: Readonly<Record<string, StatedDashboardRoute>>,
): readonly DashboardRoute[] {
  return nameAll(stated);
}

export function defineOpenRoutes(stated: Readonly<Record<string, StatedOpenRoute>>): readonly OpenRoute[] {
  return nameAll(stated);
}

function nameAll<One extends { readonly at: string }>(stated: Readonly<Record<string, One>>): readonly (One & Named)[] {
  return Object.entries(stated).map(([operationId, one]) => {
    const [method, path] = one.at.split(' ') as [Method, string];
    return { ...one, operationId, method, path };
  });
}
