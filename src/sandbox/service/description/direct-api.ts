// The OpenAPI document of the simulated direct API, made of what its endpoints say of themselves.

import { OPERATION_STATUSES } from '../../../core/domain/operation.ts';
import type { ListEnvelope } from '../settings.ts';
import { type Described, REFUSALS, type RefusalStatus, USUAL_REFUSALS } from './described.ts';
import { ANSWERS } from './direct-forms.ts';
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

export interface DescribedRoute {
  readonly method: string;
  /** Below the prefix, with `:name` for what varies. */
  readonly path: string;
  readonly described: Described;
}

/** "The specification version is 1.0.0 and the path prefix is `/v1`" (Versioning). */
const INFO = infoOf('Direct mobile-money collection and transfer API, simulated');
const PREFIX = '/v1';

/** OpenAPI 3.1. */
export function directApiDescription(routes: readonly DescribedRoute[], envelope: ListEnvelope): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = pathOf(PREFIX, route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: callOf(route, envelope) };
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    security: [{ apiKey: [], apiSecret: [] }],
    paths,
    webhooks: { notification: { post: notified() } },
    components: {
      schemas: namedSchemas(ANSWERS),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'gk_test_…' },
        apiSecret: { type: 'apiKey', in: 'header', name: 'x-api-secret', description: 'gs_test_…' },
      },
    },
  };
}

function callOf({ path, described }: DescribedRoute, envelope: ListEnvelope): Json {
  const { operationId, summary, query = [], isCreation, body, answer, refusals = [] } = described;
  const key =
    isCreation === true ? [parameter('header', 'Idempotency-Key', { type: 'string', maxLength: 120 }, true)] : [];
  const id = parameter('header', 'x-request-id', { type: 'string', maxLength: 200 }, false);
  const answers = [...new Set([...USUAL_REFUSALS, ...refusals])].toSorted((a, b) => a - b);
  const form = answer.list === true ? listOf(refTo(answer.form), envelope) : refTo(answer.form);
  return {
    operationId,
    summary,
    parameters: [...pathParameters(path), ...key, ...query.map((name) => QUERIES[name]), id],
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(bodySchema(body)) } }),
    responses: {
      [answer.status]: { description: 'Done', headers: HEADERS, content: contentOf(form) },
      ...Object.fromEntries(answers.map((status) => [status, refusalAnswer(status)])),
    },
  };
}

const QUERIES: Readonly<Record<NonNullable<Described['query']>[number], Json>> = {
  limit: parameter('query', 'limit', { type: 'integer', minimum: 1, maximum: 200, default: 50 }, false),
  offset: parameter('query', 'offset', { type: 'integer', minimum: 0, default: 0 }, false),
  operationStatus: parameter('query', 'status', { type: 'string', enum: OPERATION_STATUSES }, false),
  deliveryStatus: parameter('query', 'status', { type: 'string', enum: ['FAILED', 'ABANDONED'] }, false),
};

const HEADERS: Json = {
  'x-request-id': { description: 'The caller’s, or one of its own', schema: { type: 'string' } },
};
const RETRY_AFTER: Json = { 'retry-after': { description: 'Seconds', schema: { type: 'string' } } };

function refusalAnswer(status: RefusalStatus): Json {
  const headers = status === 429 || status === 503 ? { ...HEADERS, ...RETRY_AFTER } : HEADERS;
  return { description: REFUSALS[status], headers, content: contentOf(refTo('Refusal')) };
}

function notified(): Json {
  const header = (name: string) => parameter('header', name, { type: 'string' }, true);
  return {
    operationId: 'receiveNotification',
    summary:
      'An operation is final or waits for its payer, or the wallet was regularized; tried again unless it is answered with 2xx',
    security: [],
    parameters: [header('Service-Signature'), header('Service-Event')],
    requestBody: { required: true, content: contentOf(refTo('Notification')) },
    responses: { '2XX': { description: 'Delivered' } },
  };
}

function listOf(item: Json, envelope: ListEnvelope): Json {
  const list = { type: 'array', items: item };
  if (envelope === 'array') return list;
  return { type: 'object', properties: { [envelope]: list }, required: [envelope], additionalProperties: false };
}
