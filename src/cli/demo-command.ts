// `pointage demo`: the main job on a simulated service. Starts the service and a database of its own, runs two nights with
// a simulated day between them, and says what to try next.

import { join } from 'node:path';
import type { Command } from 'commander';
import { eraseEmbeddedStore } from '../compose.ts';
import type { Configuration } from '../config.ts';
import { loadConfiguration } from '../config.ts';
import { DAY, formatInstant } from '../domain/instant.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../sandbox/plans.ts';
import { type Sandbox, startSandbox } from '../sandbox/service.ts';
import type { Stage } from './command.ts';
import { printReports } from './print-report.ts';
import { printChanges, runOnce } from './run-command.ts';
import { paint } from './terminal.ts';

export function addDemoCommand(program: Command, stage: Stage): void {
  program
    .command('demo')
    .description('see the whole job on a simulated service: a dozen merchants, two nights, some planted faults')
    .option('--data-directory <dir>', 'where the demonstration keeps its database', join('.pointage', 'demo'))
    .addHelpText('after', '\nExamples:\n  pointage demo\n  pointage demo --data-directory /tmp/pointage-demo')
    .action((flags: { dataDirectory: string }) => demonstrate(stage, flags.dataDirectory));
}

async function demonstrate(stage: Stage, dataDirectory: string): Promise<void> {
  const { terminal } = stage;
  const say = (text: string): void => terminal.out(`\n${paint(terminal, 'bold', text)}\n`);
  await eraseEmbeddedStore(dataDirectory);
  const sandbox = await startSandbox({ seed: DEMO_SEED, merchants: demoPlans(), start: DEMO_START, port: 0 });
  try {
    const simulated: Stage = { ...stage, clock: () => sandbox.now() };
    const configuration = configurationFor(stage, sandbox, dataDirectory);
    say(`First night: ${sandbox.merchants.length} merchants at ${sandbox.url}, as of ${formatInstant(sandbox.now())}`);
    const first = await runOnce(simulated, configuration, []);
    printReports(
      terminal,
      first.merchants.map((one) => one.report),
      { most: 3 },
    );
    printChanges(simulated, first);
    sandbox.advanceTo(sandbox.now() + DAY);
    say(`Second night: a day later (${formatInstant(sandbox.now())}), only what is new is read`);
    const second = await runOnce(simulated, configuration, []);
    printChanges(simulated, second);
  } finally {
    await sandbox.close();
  }
  const pointage = `npx pointage`;
  say('Try next');
  terminal.out(
    [
      `  ${pointage} findings list --data-directory ${dataDirectory}`,
      `  ${pointage} audit --data-directory ${dataDirectory} MARCHE_LAGUNE_FICTIF`,
      `  ${pointage} explain BALANCE_DRIFT`,
      `  ${pointage} sandbox --port 4010          (the simulated service, to keep)`,
      `  ${pointage} audit --help`,
      '',
    ].join('\n'),
  );
}

function configurationFor(stage: Stage, sandbox: Sandbox, dataDirectory: string): Configuration {
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [reference, { apiKey, apiSecret }]);
  const { DATABASE_URL: _a, POINTAGE_DATABASE_URL: _b, ...environment } = stage.environment;
  const base = loadConfiguration(
    { dataDirectory, source: sandbox.url },
    { ...environment, POINTAGE_CONFIG: undefined },
  );
  return { ...base, merchants: Object.fromEntries(merchants) };
}
