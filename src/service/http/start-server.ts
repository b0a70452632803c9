// The server: the Report API for merchants, the API of operators, and the place where the service's notifications arrive.
// Refuses merchants and operators without a good token before it reads anything else of their call, and logs neither headers
// nor queries.

import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Instant } from '../../core/domain/instant.ts';
import type { Measures } from '../../core/domain/measures.ts';
import type { ReportRepository } from '../workflows/month/read-reports.ts';
import type { OperatorBackend } from '../workflows/operators/operator-backend.ts';
import { answerOf } from './answer-error.ts';
import { type Api, noteCaller, type Server } from './api.ts';
import { ApiError } from './api-error.ts';
import { describeApi } from './describe-api.ts';
import { type Generate, openGenerationQueue } from './generation-queue.ts';
import { checkGuarded, type MinuteCounts, openMinuteCounts } from './minute-counts.ts';
import {
  Busy,
  NOTIFICATION_LIMITS,
  type NotificationInbox,
  openNotificationLimiter,
  takeBytes,
} from './notification-inbox.ts';
import { noteOperator, openOperatorApi, operatorOf } from './operator-api.ts';
import { requestIdOf } from './request-id.ts';
import { addDownloadAudit } from './routes/download-audit.ts';
import { addDownloadReport } from './routes/download-report.ts';
import { addFrontPage } from './routes/front-page.ts';
import { addGenerateReport } from './routes/generate-report.ts';
import { addListFindings } from './routes/list-findings.ts';
import { addListMerchants } from './routes/list-merchants.ts';
import { addListReports } from './routes/list-reports.ts';
import { addListRuns } from './routes/list-runs.ts';
import { addMetrics, type Scraped } from './routes/metrics-route.ts';
import { addOrderAudits } from './routes/order-audits.ts';
import { addReceiveNotification } from './routes/receive-notification.ts';
import { addReceivePayment } from './routes/receive-payment.ts';
import { addOpenApi, addProbes, type Obstacles, PROBES } from './routes/service-routes.ts';
import type { VerifyOperator } from './verify-operator.ts';
import type { VerifyToken } from './verify-token.ts';

export interface ServerOptions extends Pick<Api, 'repository' | 'formats' | 'publicUrl' | 'answerWithin'> {
  readonly repository: ReportRepository;
  readonly generate: Generate;
  /** Null: merchants are not served. */
  readonly verifyToken: VerifyToken | null;
  /** Takes notifications; null: there are no routes for them. */
  readonly inbox: NotificationInbox | null;
  readonly clock: () => Instant;
  readonly verifyOperator: VerifyOperator;
  /** So many by one address within a minute, and the next wrong ones are answered 429. */
  readonly mostWrongTokens: number;
  /** Addresses of proxies whose word about the caller's address is believed. */
  readonly trustedProxies: readonly string[];
  /** What operators ask; null: there are no routes for them, but for the metrics. */
  readonly backend: OperatorBackend | null;
  /** What keeps the server from working; that it is stopping it knows itself. */
  readonly obstacles: Obstacles;
  readonly metrics: Scraped;
  /** Called with every call that was answered. */
  readonly callAnswered: Measures['callAnswered'];
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Of the engine: `0.1.0`. */
  readonly version: string;
  readonly log: (event: object) => void;
}

export interface RunningServer {
  /** `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Takes no more calls, and resolves when the last one is answered and the last report is made. */
  close(): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const queue = openGenerationQueue(options.generate);
  const server = buildServer(options);
  const { repository, formats, publicUrl, answerWithin } = options;
  const api: Api = { repository, queue, formats, publicUrl, answerWithin };
  await describeApi(server, options);
  const wrong = openMinuteCounts(options.mostWrongTokens, options.clock);
  addMerchantRoutes(server, { ...options, wrong }, api);
  addOperatorRoutes(server, { ...options, wrong });
  const { inbox } = options;
  if (inbox !== null) server.register(async (room: Server) => addNotifications(room, inbox));
  let isClosing = false;
  server.register(async (room: Server) => {
    addProbes(room, async () => (isClosing ? ['it is stopping'] : options.obstacles()));
    const { metrics, verifyOperator } = options;
    addMetrics(room, { metrics, verifyOperator, wrong });
    addOpenApi(room);
    addFrontPage(room);
  });
  // A connection that is kept open after its last answer would hold up the end until it is tired of waiting.
  server.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
  const origin = await server.listen({ host: options.host, port: options.port });
  return {
    origin,
    close: async () => {
      isClosing = true;
      // One that ends its last answer just now is idle only then, and would be kept alive for a minute.
      const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
      await server.close().finally(() => clearInterval(sweep));
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
    addGenerateReport(room, api);
    addListReports(room, api);
    addDownloadReport(room, api);
  });
}

function addOperatorRoutes(server: Server, { backend, verifyOperator, wrong }: Guarded): void {
  if (backend === null) return;
  const api = openOperatorApi(backend);
  server.register(async (room: Server) => {
    room.addHook('onRequest', async (request, reply) => {
      const call = { request, reply, token: request.headers.authorization };
      noteOperator(request, await checkGuarded(wrong, call, verifyOperator));
    });
    addListRuns(room, api);
    addListFindings(room, api);
    addListMerchants(room, api);
    addOrderAudits(room, api);
    addDownloadAudit(room, api);
  });
}

function addNotifications(room: Server, inbox: NotificationInbox): void {
  takeBytes(room);
  const limiter = openNotificationLimiter(NOTIFICATION_LIMITS);
  addReceiveNotification(room, inbox, limiter);
  addReceivePayment(room, inbox, limiter);
}

function buildServer({ maxBodyBytes, trustedProxies, clock, log, callAnswered }: ServerOptions): Server {
  const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const call = { path: request.raw.url ?? '', requestId: request.id, now: clock() };
    const { status, body } = answerOf(thrown, call);
    if (status >= 500 && !(thrown instanceof Busy))
      log({ event: 'call failed', requestId: request.id, failure: stackOf(thrown) });
    const passes = status === 429 || status === 503;
    if (passes && !reply.hasHeader('retry-after')) reply.header('retry-after', '5');
    return reply.code(status).headers(headersOf(request)).type('application/json; charset=utf-8').send(body);
  };
  const server = Fastify({
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: requestIdOf,
    // References are longer on their way than they are; what is too long for one is refused by the route.
    routerOptions: { maxParamLength: 4_096 },
    requestTimeout: 30_000,
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  // JSON is what the document has; the rest is 415.
  server.removeContentTypeParser('text/plain');
  server.setErrorHandler(refuse);
  server.setNotFoundHandler((request, reply) => refuse(new ApiError(404, 'There is nothing here'), request, reply));
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request));
  });
  server.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { id, method, routeOptions } = request;
    const milliseconds = Math.round(elapsedTime);
    const operator = operatorOf(request);
    const asked = operator === null ? {} : { operator };
    const route = routeOptions.url ?? null;
    callAnswered({ method, route: route ?? 'none', status: statusCode, milliseconds });
    // Of probes, what is not as it should be alone is worth a line.
    if (PROBES.has(route) && statusCode < 400) return;
    log({ event: 'call', requestId: id, ...asked, method, route, status: statusCode, milliseconds });
  });
  return server;
}

function headersOf({ id }: FastifyRequest): Record<string, string> {
  return { 'x-request-id': id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}

function stackOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  return thrown.cause instanceof Error ? `${thrown.stack}\nCaused by: ${thrown.cause.stack}` : thrown.stack;
}
