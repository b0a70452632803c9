// The OpenAPI document of the simulated dashboard API, made of its register of endpoints and what each says of itself.

import { QUERY } from '../dashboard/choices.ts';
import type { DashboardRoute } from '../dashboard/route.ts';
import { DASHBOARD_ROUTES, OPEN_ROUTES } from '../dashboard/routes/register.ts';
import { DASHBOARD_CALLS, type DescribedCall, LOGIN } from './dashboard-calls.ts';
import { DASHBOARD_ANSWERS } from './dashboard-forms.ts';
import {
  bodySchema,
  contentOf,
  infoOf,
  type Json,
  namedSchemas,
  parameter,
  pathOf,
  pathParameters,
  refTo,
} from './parts.ts';

const INFO = infoOf('Merchant dashboard and payment-link API, simulated');
const PREFIX = '/dashboard';

/** What each status means: errors are known by it alone. */
const REFUSALS = {
  400: 'The request is invalid',
  401: 'Invalid API credentials',
  403: 'The account or the address may not do this',
  404: 'It is not there, or the login failed',
  409: 'It contradicts what there is',
  429: 'Too many calls',
  500: 'Something is broken',
} as const;

interface Called {
  readonly method: string;
  readonly path: string;
  /** Null: open to anybody. */
  readonly auth: DashboardRoute['auth'] | null;
  readonly merchantIn: DashboardRoute['merchantIn'];
}

/** OpenAPI 3.1. Throws RangeError for an endpoint that says nothing of itself. */
export function dashboardApiDescription(): Json {
  const [method, path] = LOGIN.split(' ') as [string, string];
  const open = [{ method, path }, ...OPEN_ROUTES].map((one) => ({
    ...one,
    auth: null,
    merchantIn: 'nowhere' as const,
  }));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of [...open, ...DASHBOARD_ROUTES]) {
    const described = DASHBOARD_CALLS[`${route.method} ${route.path}`];
    if (described === undefined) throw new RangeError(`${route.method} ${route.path} says nothing of itself`);
    const at = pathOf(PREFIX, route.path);
    paths[at] = { ...paths[at], [route.method.toLowerCase()]: callOf(route, described) };
  }
  const header = (name: string) => ({ type: 'apiKey', in: 'header', name });
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    paths,
    webhooks: { payment: { post: notified() } },
    components: {
      schemas: namedSchemas(DASHBOARD_ANSWERS),
      securitySchemes: {
        token: { ...header('authenticationtoken'), description: 'The bare access_token of a login.' },
        apiKey: header('x-api-key'),
        apiSecret: header('x-api-secret'),
      },
    },
  };
}

const SECURITY = { Token: [{ token: [] }], Key: [{ apiKey: [], apiSecret: [] }] } as const;

function callOf({ method, path, auth, merchantIn }: Called, described: DescribedCall): Json {
  const { operationId, summary, query = [], answer } = described;
  const text = { type: 'string' };
  const merchant = { query: true, either: false, body: null, nowhere: null }[merchantIn];
  const named = merchant === null ? [] : [parameter('query', QUERY.merchant, text, merchant)];
  const status = method === 'POST' ? 201 : 200;
  return {
    operationId,
    summary,
    security: auth === null ? [] : SECURITY[auth],
    parameters: [...pathParameters(path), ...named, ...query.map((name) => parameter('query', name, text, false))],
    ...bodyOf(described),
    responses: {
      [status]: { description: 'Done', content: answerContent(answer) },
      ...Object.fromEntries(
        Object.entries(REFUSALS).map(([refused, description]) => [
          refused,
          { description, content: contentOf(refTo('Refusal')) },
        ]),
      ),
    },
  };
}

function bodyOf({ body, files = [] }: DescribedCall): Json {
  if (body === undefined) return {};
  const schema = bodySchema(body);
  if (files.length === 0) return { requestBody: { required: true, content: contentOf(schema) } };
  const sent = files.map((name) => [name, { type: 'string', contentMediaType: 'application/octet-stream' }] as const);
  const properties = { ...(schema.properties as object), ...Object.fromEntries(sent) };
  return { requestBody: { required: true, content: contentOf({ ...schema, properties }, 'multipart/form-data') } };
}

function answerContent(answer: DescribedCall['answer']): Json {
  if ('file' in answer) return contentOf({ type: 'string' }, answer.file);
  const form = refTo(answer.form);
  return contentOf(answer.list === true ? { type: 'array', items: form } : form);
}

function notified(): Json {
  return {
    operationId: 'receivePayment',
    summary: 'A payment has succeeded or failed: unsigned, a signal only; tried again unless it is answered with 2xx',
    security: [],
    requestBody: { required: true, content: contentOf(refTo('Notification')) },
    responses: { '2XX': { description: 'Delivered' } },
  };
}
