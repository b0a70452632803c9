// `pointage lab demo`: the main job on a simulated service. Starts the service and a database of
// its own, runs two nights with a simulated day between them, writes the statements of the last
// month, and says what to try next.

import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { DAY, formatInstant } from '../../../core/domain/instant.ts';
import { formatPeriod, type Period, periodBefore, periodOf } from '../../../core/domain/period.ts';
import { shellWord } from '../../../core/domain/printable.ts';
import { openZone } from '../../../core/domain/zone.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { money } from '../../../core/words/finding.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import { eraseEmbeddedStore } from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { loadConfiguration } from '../../config/load-configuration.ts';
import { closable } from '../../workflows/closable.ts';
import type { StatementOutcome } from '../../workflows/month/write-statements.ts';
import { printReports } from '../print/report.ts';
import { type Stage, wholeNumber } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';

/** A run over all merchants at the configured address, which is the simulated service's. */
const EVERYONE = { merchants: [], source: null };
const COMPARED = 'LIBRAIRIE_KORAFICTIVE';

export function defineDemo(command: Command, stage: Stage): void {
  command
    .option(
      '--data-directory <dir>',
      'where the demonstration keeps its database',
      join('.pointage', 'demo'),
    )
    .option('--out <dir>', 'where it writes the statements', 'out')
    .option('--keep', 'then serve the console over it until interrupted')
    .option(
      '--port <number>',
      'port of the console, 0 for a free one',
      wholeNumber(0, 65_535),
      8080,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  pointage lab demo\n  pointage lab demo --keep\n  pointage lab demo --data-directory /tmp/pointage-demo --out /tmp/releves',
    )
    .action((flags: DemoFlags) => demonstrate(stage, flags));
}

interface DemoFlags {
  readonly dataDirectory: string;
  readonly out: string;
  readonly keep?: true;
  readonly port: number;
}

async function demonstrate(
  stage: Stage,
  { dataDirectory, out, keep, port }: DemoFlags,
): Promise<void> {
  const { terminal } = stage;
  const say = (text: string): void => terminal.out(`\n${paint(terminal, 'bold', text)}\n`);
  await eraseEmbeddedStore(dataDirectory);
  // Loaded when they are needed: no other command should wait for a server.
  const { printChanges, runOnce } = await import('../commands/run-command.ts');
  const { DEMO_SEED, DEMO_START, demoPlans } = await import('../../../sandbox/plans/demo-plans.ts');
  const { startSandbox } = await import('../../../sandbox/service/start-sandbox.ts');
  await using sandbox = closable(
    await startSandbox({
      seed: DEMO_SEED,
      merchants: demoPlans(),
      start: DEMO_START,
      port: 0,
      control: keep === true,
    }),
  );
  const simulated: Stage = { ...stage, clock: () => sandbox.now() };
  const configuration = await configurationOfSandbox(stage, sandbox, dataDirectory);
  say(
    `First night: ${sandbox.merchants.length} merchants at ${sandbox.url}, as of ${formatInstant(sandbox.now())}`,
  );
  const first = await runOnce(simulated, configuration, EVERYONE);
  const found = first.merchants.map((one) => one.report);
  printReports(terminal, found, { most: 3 });
  printChanges(simulated, first);
  await sandbox.advanceTo(sandbox.now() + DAY);
  say(`Second night: a day later (${formatInstant(sandbox.now())}), only what is new is read`);
  const second = await runOnce(simulated, configuration, EVERYONE);
  printChanges(simulated, second);
  // The month ended in UTC, which is the zone of months unless another is configured.
  const period = periodBefore(periodOf(sandbox.now(), openZone('UTC')!));
  say(`Statements of ${formatPeriod(period)}: a PDF and a workbook for each merchant, in ${out}`);
  await printStatements(simulated, configuration, { period, out });
  if (keep === true) {
    const { keepDemonstration } = await import('./keep-demo.ts');
    const reports = second.merchants.map((one) => one.report);
    return await keepDemonstration(simulated, configuration, { sandbox, port, reports });
  }
  say('Try next');
  terminal.out(`  npx pointage lab demo --keep                  (the console, at http://127.0.0.1:8080/)
  npx pointage findings list --data-directory ${shellWord(dataDirectory)}
  npx pointage audit --data-directory ${shellWord(dataDirectory)} MARCHE_LAGUNE_FICTIF
  npx pointage explain BALANCE_DRIFT
  npx pointage lab sandbox --port 4010          (the simulated service, to keep)
  npx pointage audit --help
`);
}

async function printStatements(
  stage: Stage,
  configuration: Configuration,
  { period, out }: { readonly period: Period; readonly out: string },
): Promise<void> {
  const { formatsOf, withRepository, writeAll } = await import('../commands/statement-command.ts');
  const flags = { lang: 'fr', out, phoneNumbers: 'masked' };
  await withRepository(stage, configuration, undefined, async (repository, isStateless) => {
    const merchants = await repository.merchants();
    const task = { repository, flags, isStateless };
    // With the month before in the folder, the first page of the statement has a column for it.
    const before = {
      formats: formatsOf('json'),
      period: periodBefore(period),
      merchants: [COMPARED],
    };
    await writeAll(stage, configuration, { ...task, ...before });
    const outcomes = await writeAll(stage, configuration, {
      ...task,
      formats: formatsOf('pdf,xlsx'),
      period,
      merchants,
    });
    for (const outcome of outcomes) {
      if ('refused' in outcome) throw new Error(`${outcome.merchant}: ${outcome.refused}`);
      stage.terminal.out(`  ${describe(outcome)}\n`);
    }
  });
}

function describe(outcome: Extract<StatementOutcome, { readonly statement: Statement }>): string {
  const { merchant, statement, files } = outcome;
  const { currency, openingBalance, closingBalance, recorded, entryCount, verdict } =
    statement.summary;
  const { opening } = statement.journal.wallet;
  const movement = `${money(openingBalance)} → ${money(closingBalance)}`;
  const stated = `${money(opening)} → ${money(recorded.balance)}`;
  const both = stated === movement ? '' : ` (recorded: ${stated})`;
  const pdf = files.find(({ file }) => file.endsWith('.pdf'));
  return `${merchant}: ${movement} ${currency}${both}, ${entryCount} lines, ${verdict.state}: ${basename(pdf?.file ?? '')}`;
}

async function configurationOfSandbox(
  stage: Stage,
  sandbox: Sandbox,
  dataDirectory: string,
): Promise<Configuration> {
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [
    reference,
    { apiKey, apiSecret, accountants: [] },
  ]);
  const { DATABASE_URL: _a, POINTAGE_DATABASE_URL: _b, ...environment } = stage.environment;
  const base = await loadConfiguration(
    { dataDirectory, source: sandbox.url },
    { ...environment, POINTAGE_CONFIG: undefined },
  );
  return { ...base, merchants: Object.fromEntries(merchants) };
}
