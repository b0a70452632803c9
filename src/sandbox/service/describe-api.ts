// Makes the OpenAPI documents (3.1) of both simulated APIs from their endpoints and from the
// schemas that these read and answer with. Both of the service's documents state their version as
// 1.0.0.

import { z } from 'zod';
import { OPERATION_STATUSES } from '../../core/domain/operation.ts';
import { ANSWERS } from '../model/served.ts';
import { DASHBOARD_ANSWERS } from '../model/served-dashboard.ts';
import {
  API_WORDS,
  type DashboardRoute,
  type Described,
  type OpenRoute,
  type Route,
} from './account/account.ts';
import type { ListEnvelope } from './account/settings.ts';
import { QUERY } from './dashboard/choices.ts';

type Json = Readonly<Record<string, unknown>>;

const TEXT: Json = { type: 'string' };

export function describeDirectApi(routes: readonly Route[], envelope: ListEnvelope): Json {
  const calls = routes.map((route) => {
    const { parameters = [], status = 200, refusals = [], body, path } = route;
    const isRead = body !== undefined || parameters.length > 0;
    const following = [
      ...(isRead ? ([400] as const) : []),
      ...(path.includes(':') ? ([404] as const) : []),
    ];
    return describeCall('/v1', route, {
      parameters: [...parameters.map((name) => PARAMETERS[name]), REQUEST_ID],
      answer: { status, headers: HEADERS, content: contentOfAnswer(route, envelope) },
      refusals: [...USUAL_REFUSALS, ...following, ...refusals].map((refused) => ({
        status: refused,
        description: API_WORDS.direct.refusals[refused],
        headers: refused === 429 || refused === 503 ? { ...HEADERS, ...RETRY_AFTER } : HEADERS,
      })),
    });
  });
  const notification = {
    operationId: 'receiveNotification',
    summary: API_WORDS.direct.summaries.receiveNotification,
    parameters: ['Service-Signature', 'Service-Event'].map((name) =>
      parameter('header', name, TEXT, true),
    ),
  };
  return {
    ...describeApi('Direct mobile-money collection and transfer API, simulated', calls),
    security: SECURITY.Key,
    webhooks: { notification: { post: describeReceiving(notification) } },
    components: {
      schemas: namedSchemas(ANSWERS),
      securitySchemes: {
        apiKey: { ...inHeader('x-api-key'), description: 'gk_test_…' },
        apiSecret: { ...inHeader('x-api-secret'), description: 'gs_test_…' },
      },
    },
  };
}

export function describeDashboardApi(
  open: readonly OpenRoute[],
  routes: readonly DashboardRoute[],
): Json {
  const unauthenticated = open.map(
    (route) => ({ ...route, auth: 'open', merchantIn: 'nowhere', query: [] }) as const,
  );
  const calls = [...unauthenticated, ...routes].map((route) => {
    const { auth = 'Token', merchantIn = 'query', query = [] } = route;
    const merchant = merchantIn === 'query' || merchantIn === 'either';
    const named = merchant
      ? [parameter('query', QUERY.merchant, TEXT, merchantIn === 'query')]
      : [];
    return describeCall('/dashboard', route, {
      security: SECURITY[auth],
      parameters: [...named, ...query.map((name) => parameter('query', name, TEXT, false))],
      answer: {
        status: route.method === 'POST' ? 201 : 200,
        content: contentOfAnswer(route, 'array'),
      },
      refusals: Object.entries(API_WORDS.dashboard.refusals).map(([status, description]) => ({
        status,
        description,
      })),
    });
  });
  const payment = {
    operationId: 'receivePayment',
    summary: API_WORDS.dashboard.summaries.receivePayment,
  };
  return {
    ...describeApi('Merchant dashboard and payment-link API, simulated', calls),
    webhooks: { payment: { post: describeReceiving(payment) } },
    components: {
      schemas: namedSchemas(DASHBOARD_ANSWERS),
      securitySchemes: {
        token: {
          ...inHeader('authenticationtoken'),
          description: 'The bare access_token of a login.',
        },
        apiKey: inHeader('x-api-key'),
        apiSecret: inHeader('x-api-secret'),
      },
    },
  };
}

const SECURITY = {
  Token: [{ token: [] }],
  Key: [{ apiKey: [], apiSecret: [] }],
  open: [],
} as const;

/** Statuses with which any call of the direct API may be refused. */
const USUAL_REFUSALS = [401, 403, 429, 500] as const;

const REQUEST_ID = parameter('header', 'x-request-id', { ...TEXT, maxLength: 200 }, false);

const PARAMETERS: Readonly<Record<NonNullable<Route['parameters']>[number], Json>> = {
  key: parameter('header', 'Idempotency-Key', { ...TEXT, maxLength: 120 }, true),
  limit: parameter(
    'query',
    'limit',
    { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    false,
  ),
  offset: parameter('query', 'offset', { type: 'integer', minimum: 0, default: 0 }, false),
  operationStatus: parameter('query', 'status', { ...TEXT, enum: OPERATION_STATUSES }, false),
  deliveryStatus: parameter('query', 'status', { ...TEXT, enum: ['FAILED', 'ABANDONED'] }, false),
};

const HEADERS: Json = {
  'x-request-id': { description: 'The caller’s, or one of its own', schema: TEXT },
};
const RETRY_AFTER: Json = { 'retry-after': { description: 'Seconds', schema: TEXT } };

function describeApi(title: string, calls: readonly ReturnType<typeof describeCall>[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { at, method, call } of calls) paths[at] = { ...paths[at], [method]: call };
  const description =
    'What the document leaves open is chosen: GET /sandbox/choices lists it. None of it is the service’s own.';
  const license = { name: 'Apache License 2.0', identifier: 'Apache-2.0' };
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0', description, license },
    servers: [{ url: '/' }],
    paths,
  };
}

/**
 * Describes one call. Every variable part of its path is a parameter, and every refusal has the
 * schema `Refusal`.
 */
function describeCall(
  prefix: string,
  { method, path, operationId, summary, body, files }: Described,
  stated: {
    readonly security?: readonly Json[];
    readonly parameters: readonly Json[];
    readonly answer: Json & { readonly status: number };
    readonly refusals: readonly (Json & { readonly status: number | string })[];
  },
) {
  const { parameters, answer, refusals, ...rest } = stated;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) =>
    parameter('path', name!, TEXT, true),
  );
  const refused = refusals.map((refusal) => ({ ...refusal, content: contentOf(refTo('Refusal')) }));
  const responses = [{ description: 'Done', ...answer }, ...refused].map(({ status, ...one }) => [
    status,
    one,
  ]);
  return {
    at: `${prefix}${path.replace(/:(\w+)/g, '{$1}')}`,
    method: method.toLowerCase(),
    call: {
      operationId,
      summary,
      ...rest,
      parameters: [...inPath, ...parameters],
      ...(body !== undefined && {
        requestBody: { required: true, content: bodyContent(body, files) },
      }),
      responses: Object.fromEntries(responses),
    },
  };
}

function describeReceiving(stated: Json): Json {
  const requestBody = { required: true, content: contentOf(refTo('Notification')) };
  return {
    ...stated,
    security: [],
    requestBody,
    responses: { '2XX': { description: 'Delivered' } },
  };
}

function bodyContent(body: z.ZodType, files: readonly string[] = []): Json {
  const schema = bare(z.toJSONSchema(body, { io: 'input' }));
  if (files.length === 0) return contentOf(schema);
  const sent = files.map(
    (name) => [name, { ...TEXT, contentMediaType: 'application/octet-stream' }] as const,
  );
  const properties = { ...(schema.properties as object), ...Object.fromEntries(sent) };
  return contentOf({ ...schema, properties }, 'multipart/form-data');
}

function parameter(
  place: 'path' | 'query' | 'header',
  name: string,
  schema: Json,
  required: boolean,
): Json {
  return { name, in: place, required, schema };
}

function inHeader(name: string): Json {
  return { type: 'apiKey', in: 'header', name };
}

function refTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function contentOf(schema: Json, type = 'application/json'): Json {
  return { [type]: { schema } };
}

function contentOfAnswer({ answers }: Described, envelope: ListEnvelope): Json {
  if ('file' in answers) return contentOf(TEXT, answers.file);
  return contentOf('list' in answers ? listOf(refTo(answers.list), envelope) : refTo(answers.form));
}

function listOf(item: Json, envelope: ListEnvelope): Json {
  const list = { type: 'array', items: item };
  if (envelope === 'array') return list;
  return {
    type: 'object',
    properties: { [envelope]: list },
    required: [envelope],
    additionalProperties: false,
  };
}

/** Returns the schemas by name, with references between them. */
function namedSchemas(forms: Readonly<Record<string, z.ZodType>>): Json {
  const named = z.registry<{ id: string }>();
  for (const [id, form] of Object.entries(forms)) named.add(form, { id });
  const { schemas } = z.toJSONSchema(named, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Returns the schema without its dialect and id, because its place in the document says both. */
function bare({ $schema: _, $id: _id, ...schema }: Json): Json {
  return schema;
}
