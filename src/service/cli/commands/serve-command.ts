// `pointage serve`: the Report API, the API of operators and the service's notifications over HTTP,
// until a signal stops it; it refuses to start without a way to check tokens. `pointage token`: a
// token to try the Report API with, signed with the configured secret, for a merchant that the
// configuration or the mirror knows.

import type { Command } from 'commander';
import { HOUR } from '../../../core/domain/instant.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { requireMerchant } from '../../workflows/operators/runs-and-merchants.ts';
import {
  configurationOf,
  type Stage,
  wholeNumber,
  withCommonOptions,
  withConfigurationOption,
} from '../stage/stage.ts';
import { type Turn, workReloading } from './reloading.ts';

const EXAMPLES = `
Examples:
  pointage serve
  pointage serve --host 0.0.0.0 --port 8080         (behind a proxy that speaks TLS)

Routes: POST /web-merchant/reports/generate · GET /web-merchant/reports · GET /web-merchant/reports/{id}/download
        POST /notifications/direct/{merchant} · POST /notifications/payments/{merchant}
        GET /runs · GET /findings · POST /findings/{fingerprint}/decisions · GET /merchants/{reference}
        GET /operations/{reference} · GET /merchants/{reference}/entries · GET /search
        GET /months · POST /merchants/{reference}/months/{period}/release, send, close · GET /deliveries
        POST /audits · GET /audits/{id} · GET /audits/{id}/report.pdf · GET /trail
                                                                             (operators: docs/OPERATORS.md)
        GET / in a browser, for operators                                    (docs/OPERATORS.md)
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
    .option(
      '--port <number>',
      'port to listen on, 0 for a free one (default: server.port, 8080)',
      wholeNumber(0, 65_535),
    )
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => {
      stage.logFrom('info');
      return workReloading(stage, flags, (turn) => serve(stage, flags, turn));
    });
}

async function serve(
  stage: Stage,
  flags: ServeFlags,
  { configuration, left, isUp }: Turn,
): Promise<void> {
  const { host, port } = configuration.server;
  // Loaded when it is needed: a token is made without a server.
  const { withServing } = await import('./serving.ts');
  await withServing(
    stage,
    configuration,
    { host: flags.host ?? host, port: flags.port ?? port },
    async (serving) => {
      stage.terminal.out(
        `${serving.what} are served at ${serving.origin} (${serving.origin}/openapi.json).\n`,
      );
      isUp();
      await left;
      stage.terminal.note('Stopping: what has been asked is answered first.\n');
    },
  );
}

const TOKEN_EXAMPLES = `
Examples:
  pointage token M001
  curl -H "authenticationtoken: $(npx pointage token M001)" http://127.0.0.1:8080/web-merchant/reports`;

export function defineToken(command: Command, stage: Stage): void {
  withConfigurationOption(command)
    .argument('<merchant>', 'whose reports it opens')
    .option('--hours <count>', 'how long it is good for, 1 to 24', wholeNumber(1, 24), 1)
    .addHelpText('after', TOKEN_EXAMPLES)
    .action(async (merchant: string, { hours, ...flags }: Flags & { readonly hours: number }) => {
      const configuration = await configurationOf(stage, flags);
      const { tokens } = configuration.server;
      if (tokens === undefined)
        throw new ConfigurationInvalid(
          'There are no tokens of merchants: give server.tokens.secret.',
        );
      const { makeToken } = await import('../../http/port/tokens.ts');
      const token = await makeToken(tokens, { merchant, expiresAt: stage.clock() + hours * HOUR });
      if (token === null)
        throw new ConfigurationInvalid(
          'Only the signer can make a token here: pointage knows its public keys alone.',
        );
      if (!Object.hasOwn(configuration.merchants, merchant))
        await withStore(configuration, (store) => requireMerchant(store, merchant));
      stage.terminal.out(`${token}\n`);
    });
}
