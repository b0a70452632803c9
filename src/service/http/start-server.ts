// The server: the Report API for merchants, the API of operators, and the place where the payment
// service's notifications arrive. Refuses merchants and operators without a good token before it
// reads anything else of their call, and logs neither headers nor queries. /docs and /openapi.json
// describe the API.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyReply, type FastifyRequest, type FastifySchema } from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import type { Instant } from '../../core/domain/instant.ts';
import type { Measures } from '../../core/domain/measures.ts';
import type { NotificationInbox } from '../workflows/notifications/receive-notification.ts';
import type { OperatorBackend } from '../workflows/operators/operator-backend.ts';
import type { Trail } from '../workflows/operators/trail.ts';
import { type Api, noteCaller, type Server } from './port/api.ts';
import { ApiError, answerOf } from './port/errors.ts';
import { type Generate, openGenerationQueue } from './port/generation-queue.ts';
import { checkGuarded, type MinuteCounts, openMinuteCounts } from './port/limits.ts';
import { type OperatorApi, openOperatorApi } from './port/operator-api.ts';
import {
  type AddDesk,
  askedOf,
  type FindOperator,
  guardOperators,
  leaveTrail,
} from './port/operators.ts';
import type { VerifyToken } from './port/tokens.ts';
import { addAudits } from './routes/audits.ts';
import { addCorrections } from './routes/corrections.ts';
import { addDeliveries } from './routes/deliveries.ts';
import { addListFindings } from './routes/findings.ts';
import { addListMerchants } from './routes/merchants.ts';
import { addMonths } from './routes/months.ts';
import {
  addReceiveNotification,
  addReceivePayment,
  Busy,
  NOTIFICATION_LIMITS,
  openNotificationLimiter,
  takeBytes,
} from './routes/notifications.ts';
import { addEntries, addOperation, addSearch } from './routes/operations.ts';
import { addProposals } from './routes/proposals.ts';
import { addDownloadReport, addGenerateReport, addListReports } from './routes/reports.ts';
import { addListRuns } from './routes/runs.ts';
import {
  addMetrics,
  addOpenApi,
  addProbes,
  type MetricsApi,
  type Obstacles,
  PROBES,
} from './routes/service.ts';
import { addTrail } from './routes/trail.ts';

export interface ServerOptions extends Omit<Api, 'queue'>, MetricsApi {
  readonly generate: Generate;
  /** Null: merchants are not served. */
  readonly verifyToken: VerifyToken | null;
  readonly findOperator: FindOperator;
  /** Gets an entry for every call of an operator. */
  readonly trail: Trail;
  /** Takes notifications; null: there are no routes for them. */
  readonly inbox: NotificationInbox | null;
  readonly clock: () => Instant;
  /**
   * How many wrong tokens one address may send within a minute; the next wrong ones are answered
   * 429.
   */
  readonly mostWrongTokens: number;
  /** Addresses of proxies whose word about the caller's address is believed. */
  readonly trustedProxies: readonly string[];
  /** Answers what operators ask; `null`: there are no routes for them, except for the metrics. */
  readonly backend: OperatorBackend | null;
  /** Adds the pages that operators have in a browser; `null`: there are none. */
  readonly pages: AddDesk | null;
  /** What keeps the server from working. The server adds itself that it is stopping. */
  readonly obstacles: Obstacles;
  /** Called with every call that was answered. */
  readonly callAnswered: Measures['callAnswered'];
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Version of the engine, like `0.1.0`. */
  readonly version: string;
  readonly log: (event: object) => void;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080`. */
  readonly origin: string;
  /**
   * Takes no more calls, and resolves when the last one is answered and the last report is made.
   */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const queue = openGenerationQueue(options.generate);
  const server = buildServer(options);
  const { repository, formats, publicUrl, answerWithin } = options;
  const api: Api = { repository, queue, formats, publicUrl, answerWithin };
  leaveTrail(server, options.trail);
  await describeApi(server, options);
  const wrong = openMinuteCounts(options.mostWrongTokens, options.clock);
  addMerchantRoutes(server, { ...options, wrong }, api);
  addOperatorRoutes(server, { ...options, wrong });
  const { inbox } = options;
  if (inbox !== null) server.register(async (room: Server) => addNotifications(room, inbox));
  let isClosing = false;
  server.register(async (room: Server) => {
    describeRoutes(room, { tags: ['service'], security: [] });
    addProbes(room, async () => (isClosing ? ['it is stopping'] : options.obstacles()));
    addOpenApi(room);
  });
  // A connection that is kept open after its last answer would hold up the end until it times out.
  server.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  const connections = new Set<Socket>();
  server.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const origin = await server.listen({ host: options.host, port: options.port });
  return {
    origin,
    close: async () => {
      isClosing = true;
      const sweep = setInterval(() => {
        // A connection that ends its last answer just now is idle only then, and would be kept
        // alive for a minute.
        server.server.closeIdleConnections();
        // For a minute, Node counts a connection that has sent nothing yet among those at work.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      }, 50);
      await server.close().finally(() => clearInterval(sweep));
      await options.trail.settle();
      await queue.settled();
    },
  };
}

type Guarded = ServerOptions & { readonly wrong: MinuteCounts };

function addMerchantRoutes(server: Server, { verifyToken, wrong }: Guarded, api: Api): void {
  if (verifyToken === null) return;
  server.register(async (room: Server) => {
    room.addHook('onRequest', async (request, reply) => {
      const call = { request, reply, token: request.headers.authenticationtoken };
      noteCaller(request, await checkGuarded(wrong, call, verifyToken));
    });
    describeRoutes(room, { tags: ['reports'], security: [{ authenticationtoken: [] }] });
    addGenerateReport(room, api);
    addListReports(room, api);
    addDownloadReport(room, api);
  });
}

function addOperatorRoutes(server: Server, { backend, pages, ...options }: Guarded): void {
  const api = backend === null ? null : openOperatorApi(backend);
  if (api !== null && pages !== null)
    server.register(async (desk: Server) => pages(desk, { ...options, api }));
  server.register(async (room: Server) => {
    guardOperators(room, options);
    addMetrics(room, options);
    if (api === null) return;
    for (const [tag, [, ...added]] of Object.entries(TAGS)) {
      room.register(async (part: Server) => {
        describeRoutes(part, { tags: [tag] });
        for (const add of added) add(part, api);
      });
    }
  });
}

/**
 * Adds tags and security to the description of every route that is added to the room from now on.
 */
function describeRoutes(room: Server, described: Pick<FastifySchema, 'tags' | 'security'>): void {
  room.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, ...described };
  });
}

function addNotifications(room: Server, inbox: NotificationInbox): void {
  takeBytes(room);
  describeRoutes(room, { tags: ['notifications'], security: [] });
  const limiter = openNotificationLimiter(NOTIFICATION_LIMITS);
  addReceiveNotification(room, inbox, limiter);
  addReceivePayment(room, inbox, limiter);
}

function buildServer({
  maxBodyBytes,
  trustedProxies,
  clock,
  log,
  callAnswered,
}: ServerOptions): Server {
  const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const call = { path: request.raw.url ?? '', requestId: request.id, now: clock() };
    const { status, body } = answerOf(thrown, call);
    if (status >= 500 && !(thrown instanceof Busy))
      log({ event: 'call failed', requestId: request.id, failure: thrown });
    const passes = status === 429 || status === 503;
    if (passes && !reply.hasHeader('retry-after')) reply.header('retry-after', '5');
    return reply
      .code(status)
      .headers(headersOf(request))
      .type('application/json; charset=utf-8')
      .send(body);
  };
  const server = Fastify({
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: requestIdOf,
    // An encoded reference is longer than the reference. One that is too long is refused by the
    // route.
    routerOptions: { maxParamLength: 4_096 },
    requestTimeout: 30_000,
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  // The document has JSON alone; any other media type is answered 415.
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) =>
    refuse(new ApiError(404, 'There is nothing here'), request, reply),
  );
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request));
  });
  server.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { id, method, routeOptions } = request;
    const milliseconds = Math.round(elapsedTime);
    const operator = askedOf(request)?.operator;
    const asked = operator === undefined ? {} : { operator: operator.name };
    const route = routeOptions.url ?? null;
    callAnswered({ method, route: route ?? 'none', status: statusCode, milliseconds });
    // Skip successful probes.
    if (PROBES.has(route) && statusCode < 400) return;
    log({
      event: 'call',
      requestId: id,
      ...asked,
      method,
      route,
      status: statusCode,
      milliseconds,
    });
  });
  return server;
}

function headersOf({ id }: FastifyRequest): Record<string, string> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}

/** What each tag is about, and the routes of operators that have it. */
const TAGS: Readonly<
  Record<string, readonly [about: string, ...((room: Server, api: OperatorApi) => void)[]]>
> = {
  reports: ['Monthly reports of a merchant, for itself.'],
  runs: ['What the nights have done, for operators.', addListRuns],
  findings: [
    'What was found, and what people decide about it, for operators.',
    ...[addListFindings, addCorrections, addProposals],
  ],
  merchants: ['Balances, holds and findings by merchant, for operators.', addListMerchants],
  months: ['Months that were issued: held, released, sent, closed, for operators.', addMonths],
  deliveries: ['What was announced to whom, for operators.', addDeliveries],
  operations: [
    'What happened to one operation or line, for operators.',
    addEntries,
    addOperation,
    addSearch,
  ],
  audits: ['Audits on demand, for operators.', addAudits],
  notifications: ['What the service notifies as it happens.'],
  service: ['The server itself.', addTrail],
};

const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' };

async function describeApi(server: Server, { version, publicUrl }: ServerOptions): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'pointage: monthly reports, findings and audits', version, license: LICENSE },
      tags: Object.entries(TAGS).map(([name, [description]]) => ({ name, description })),
      servers: [{ url: publicUrl ?? '/' }],
      components: {
        securitySchemes: {
          authenticationtoken: {
            type: 'apiKey',
            in: 'header',
            name: 'authenticationtoken',
            description: 'A merchant: the bare token of the dashboard.',
          },
          operator: {
            type: 'http',
            scheme: 'bearer',
            description: 'An operator; the scopes are the permission that its roles must have.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  // The files of /docs come from this process, because the page is read where there is no network.
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { validatorUrl: null, docExpansion: 'list', deepLinking: true },
  });
}

/**
 * A request id: at most 200 characters (direct API, "Common parameters"), all of them visible
 * ASCII.
 */
const NAME = /^[\x21-\x7e]{1,200}$/;

function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && NAME.test(given) ? given : randomUUID();
}
