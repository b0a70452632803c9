// `pointage serve`: the Report API, the API of operators and the service's notifications over HTTP, until it is asked to stop.
// Refuses to start without a way to check anybody's token.

import { type Command, InvalidArgumentError } from 'commander';
import { operatorBackendFor } from '../../compose/auditing.ts';
import { openConfiguredTracing } from '../../compose/configured-tracing.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import { inboxOf } from '../../compose/notifications.ts';
import { openConfiguredDashboard, openConfiguredStore } from '../../compose/open-configured.ts';
import { publishingOf } from '../../compose/publishing.ts';
import { obstaclesIn } from '../../compose/readiness.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { REPORT_FILES } from '../../formats/bookkeeping/deltas.ts';
import { publishStatement } from '../../workflows/month/publish-statement.ts';
import { reportRepositoryOf } from '../../workflows/month/read-reports.ts';
import { type Stage, withCommonOptions } from '../command.ts';
import { type Turn, workReloading } from '../reloading.ts';
import { tokensOf } from '../token-settings.ts';

const EXAMPLES = `
Examples:
  pointage serve
  pointage serve --host 0.0.0.0 --port 8080         (behind a proxy that speaks TLS)

Routes: POST /web-merchant/reports/generate · GET /web-merchant/reports · GET /web-merchant/reports/{id}/download
        POST /notifications/direct/{merchant} · POST /notifications/payments/{merchant}
        GET /runs · GET /findings · POST /findings/{fingerprint}/decisions · GET /merchants/{reference}
        POST /audits · GET /audits/{id} · GET /audits/{id}/report.pdf       (operators: docs/OPERATORS.md)
        GET /health · GET /ready · GET /openapi.json · GET /metrics with an operator's token
SIGTERM or SIGINT: answers what it has been asked, then stops.
SIGHUP: reads its configuration again; one that cannot be used is logged, and nothing changes.`;

interface ServeFlags extends Flags {
  readonly host?: string;
  readonly port?: number;
}

export function defineServe(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .option('--host <address>', 'address to listen on (default: server.host, 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for a free one (default: server.port, 8080)', portOf)
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => {
      stage.logFrom('info');
      return workReloading(stage, flags, (turn) => serve(stage, flags, turn));
    });
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

async function serve(stage: Stage, flags: ServeFlags, { configuration, left, isUp }: Turn): Promise<void> {
  const { server } = configuration;
  const announcements = announcementsOf(configuration);
  // Loaded when they are needed: no other command should wait for a server.
  const { openTokens } = await import('../../http/verify-token.ts');
  const { openOperators } = await import('../../http/verify-operator.ts');
  const { startServer } = await import('../../http/start-server.ts');
  const { openJobSender } = await import('../../compose/job-sender.ts');
  const { openServiceMetrics } = await import('../../compose/service-telemetry.ts');
  const tokens = tokensOf(configuration);
  const spans = await openConfiguredTracing(configuration, { ...stage, role: 'serve' });
  const surroundings = { ...stage, tracing: spans.tracing };
  const published = await openConfiguredDashboard(configuration, configuration.source, surroundings);
  const store = await openConfiguredStore(configuration);
  const jobs = await openJobSender(configuration, store, stage.log).catch(async (failure) => {
    await store.close();
    throw failure;
  });
  const metrics = openServiceMetrics({ ...stage, store, queue: null });
  try {
    const taskFor = publishingOf(configuration, store, { ...surroundings, published, announcements });
    const running = await startServer({
      repository: reportRepositoryOf(store),
      generate: async ({ merchant, period }, onPending) =>
        (await publishStatement({ ...taskFor(period), onPending }, merchant)).report,
      verifyToken: tokens === null ? null : openTokens(tokens, stage.clock),
      verifyOperator: openOperators(server.operators),
      mostWrongTokens: server.mostWrongTokens,
      trustedProxies: server.trustedProxies,
      backend:
        server.operators.length === 0 ? null : operatorBackendFor(configuration, store, { ...surroundings, jobs }),
      inbox: inboxOf(configuration, store, { ...stage, jobs }),
      clock: stage.clock,
      obstacles: () => obstaclesIn(store),
      metrics,
      callAnswered: metrics.measures.callAnswered,
      formats: REPORT_FILES,
      publicUrl: server.publicUrl ?? null,
      answerWithin: server.answerWithin,
      maxBodyBytes: server.maxBodyBytes,
      host: flags.host ?? server.host,
      port: flags.port ?? server.port,
      version: ENGINE.replace(/^\S+ /, ''),
      log: stage.log,
    });
    const what = tokens === null ? 'Operators' : server.operators.length === 0 ? 'Reports' : 'Reports and operators';
    stage.terminal.out(`${what} are served at ${running.origin} (${running.origin}/openapi.json).\n`);
    isUp();
    await left;
    stage.terminal.note('Stopping: what has been asked is answered first.\n');
    await running.close();
  } finally {
    await published?.dashboard.close();
    await jobs.close();
    await store.close();
    await spans.close();
  }
}
