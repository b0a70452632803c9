// `pointage migrate` and `pointage sandbox`: the store's schema, and the simulated service to try things on.

import type { Command } from 'commander';
import { openConfiguredStore } from '../compose.ts';
import { ConfigurationInvalid, type Flags } from '../config.ts';
import { DAY, formatInstant } from '../domain/instant.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../sandbox/plans.ts';
import { configurationOf, type Stage, withCommonOptions } from './command.ts';

export function addMaintenanceCommands(program: Command, stage: Stage): void {
  withCommonOptions(program.command('migrate'))
    .description('bring the schema of the store up to date (every command that uses the store does so too)')
    .addHelpText(
      'after',
      '\nExamples:\n  pointage migrate\n  pointage migrate --database-url postgres://pointage@127.0.0.1:5432/pointage',
    )
    .action(async (flags: Flags) => {
      const store = await openConfiguredStore(configurationOf(stage, flags));
      stage.terminal.out(`The schema of ${store.description} is up to date.\n`);
      await store.close();
    });
  program
    .command('sandbox')
    .description('serve the simulated service until interrupted: same merchants as the demonstration')
    .option('--port <port>', 'port on 127.0.0.1', '4010')
    .option('--seed <seed>', 'another seed makes other histories', DEMO_SEED)
    .addHelpText(
      'after',
      '\nExamples:\n  pointage sandbox --port 4010\n  curl -X POST -d \'{"by":86400000}\' -H "content-type: application/json" http://127.0.0.1:4010/sandbox/advance',
    )
    .action((flags: { port: string; seed: string }) => serve(stage, flags));
}

async function serve(stage: Stage, flags: { readonly port: string; readonly seed: string }): Promise<void> {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigurationInvalid(`--port must be 0 to 65535, not '${flags.port}'.`);
  const { startSandbox } = await import('../sandbox/service.ts');
  const sandbox = await startSandbox({
    seed: flags.seed,
    merchants: demoPlans(),
    start: DEMO_START,
    port,
    control: true,
  });
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret, dashboard }) => [
    reference,
    { apiKey, apiSecret, dashboard: dashboard ?? undefined },
  ]);
  stage.terminal.note(
    `The sandbox serves ${merchants.length} merchants at ${sandbox.url} as of ${formatInstant(sandbox.now())}.\n`,
  );
  stage.terminal.note(
    `Advance its time: POST ${sandbox.origin}/sandbox/advance {"by": ${DAY}}. Stop with Ctrl-C. A configuration for it:\n`,
  );
  const dashboard = { baseUrl: sandbox.dashboardUrl };
  const configuration = { source: sandbox.url, dashboard, merchants: Object.fromEntries(merchants) };
  stage.terminal.out(`${JSON.stringify(configuration, null, 2)}\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await sandbox.close();
}
