// Opens the server of reports, operators and notifications with all that it needs, and closes it
// again: for `pointage serve`, and for a rehearsal, which serves beside its own worker.

import { REPORT_FILES } from '../../../io/formats/deltas.ts';
import { operatorBackendFor } from '../../compose/auditing.ts';
import { announcementsOf } from '../../compose/delivering.ts';
import {
  openConfiguredDashboard,
  openConfiguredStore,
  openConfiguredTracing,
} from '../../compose/open-configured.ts';
import { issuingOf } from '../../compose/publishing.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import { VERSION } from '../../engine.ts';
import { reportRepositoryOf } from '../../workflows/month/read-reports.ts';
import {
  listKnownOperators,
  openOperators,
  sessionsOf,
} from '../../workflows/operators/known-operators.ts';
import { openTrail } from '../../workflows/operators/trail.ts';
import type { Stage } from '../stage/stage.ts';

export interface Serving {
  /** `http://HOST:PORT`. */
  readonly origin: string;
  /** What is served, as the subject of a sentence: `Operators` or `Reports and operators`. */
  readonly what: string;
}

/**
 * Serves until `use` has ended. Calls that have come by then are answered before the promise
 * resolves. Throws ConfigurationInvalid where no token could be checked.
 */
export async function withServing<T>(
  stage: Stage,
  configuration: Configuration,
  at: { readonly host: string; readonly port: number },
  use: (serving: Serving) => Promise<T>,
): Promise<T> {
  const { server } = configuration;
  const announcements = announcementsOf(configuration);
  // Loaded when they are needed: no other command should wait for a server.
  const { openTokens } = await import('../../http/port/tokens.ts');
  const { startServer } = await import('../../http/start-server.ts');
  const { inboxOf, obstaclesIn, openConfiguredQueue, openServiceMetrics } = await import(
    '../../compose/service.ts'
  );
  const { openConsole } = await import('../../console/open-console.ts');
  const { openProvider } = await import('../../console/provider.ts');
  // Without `tokens`, operators are served and merchants are not.
  const { tokens } = server;
  await using tracing = await openConfiguredTracing(configuration, { ...stage, role: 'serve' });
  const runtime = { ...stage, tracing };
  await using published = await openConfiguredDashboard(
    configuration,
    configuration.source,
    runtime,
  );
  await using store = await openConfiguredStore(configuration);
  if (tokens === undefined && (await listKnownOperators(store, server.operators, 1)).length === 0)
    throw new ConfigurationInvalid(NO_CALLER);
  const operators = openOperators({ configured: server.operators, store, clock: stage.clock });
  await using jobs = await openConfiguredQueue(configuration, { ...stage, store, works: false });
  const metrics = await openServiceMetrics({ ...stage, store, queue: null });
  const running = await startServer({
    ...server,
    ...at,
    repository: reportRepositoryOf(store),
    generate: issuingOf(configuration, store, { ...runtime, published, announcements }),
    verifyToken: tokens === undefined ? null : openTokens(tokens, stage.clock),
    findOperator: operators.ofToken,
    trail: openTrail(store, stage),
    backend: operatorBackendFor(configuration, store, { ...runtime, jobs }),
    pages: openConsole({
      sessions: sessionsOf(store, { operators, clock: stage.clock }),
      provider: openProvider(server, operators.ofName),
      language: configuration.reports.language,
      publicUrl: server.publicUrl ?? null,
    }),
    inbox: inboxOf(configuration, store, { ...stage, jobs }),
    clock: stage.clock,
    obstacles: () => obstaclesIn(store),
    metrics,
    callAnswered: metrics.measures.callAnswered,
    formats: REPORT_FILES,
    publicUrl: server.publicUrl ?? null,
    version: VERSION,
    log: stage.log,
  });
  const what = tokens === undefined ? 'Operators' : 'Reports and operators';
  return await use({ origin: running.origin, what }).finally(() => running.close());
}

const NO_CALLER =
  'There is no way to check the tokens of callers: add an operator (pointage operator add NAME --role decider), or give server.tokens or server.operators in the configuration file.';
