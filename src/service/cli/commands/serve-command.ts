// `pointage serve`: the Report API, the API of operators and the service's notifications over HTTP, until it is asked to stop.
// Refuses to start without a way to check anybody's token.

import { type Command, InvalidArgumentError } from 'commander';
import type { Flags } from '../../config/load-configuration.ts';
import { type Stage, withCommonOptions } from '../command.ts';
import { type Turn, workReloading } from '../reloading.ts';
import { withServing } from '../serving.ts';

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
  const { host, port } = configuration.server;
  await withServing(stage, configuration, { host: flags.host ?? host, port: flags.port ?? port }, async (serving) => {
    stage.terminal.out(`${serving.what} are served at ${serving.origin} (${serving.origin}/openapi.json).\n`);
    isUp();
    await left;
    stage.terminal.note('Stopping: what has been asked is answered first.\n');
  });
}
