// `pointage run`: one pass as every night. Pulls what is new, replays it, saves findings, and says what changed.

import type { Command } from 'commander';
import { openConfiguredTracing } from '../compose/configured-tracing.ts';
import { announcementsOf } from '../compose/delivering.ts';
import {
  judgingOf,
  openConfiguredDashboard,
  openConfiguredSource,
  openConfiguredStore,
} from '../compose/open-configured.ts';
import { requireConfiguredSources } from '../compose/sources.ts';
import type { Configuration } from '../config/check-configuration.ts';
import type { Flags } from '../config/load-configuration.ts';
import { ENGINE } from '../engine.ts';
import { auditDocument, exitStatusOf } from '../reconcile/audit-document.ts';
import { money } from '../words/english.ts';
import { merchantsAsked } from '../workflows/audit/merchants-asked.ts';
import { type RunOutcome, runMerchants } from '../workflows/nightly/run-merchants.ts';
import { configurationOf, oneOf, type Stage, withCommonOptions } from './command.ts';
import { printReports } from './print/report.ts';
import { barsOf, paint } from './terminal.ts';

const EXAMPLES = `
Examples:
  pointage run --source https://api.example/v1      (credentials in pointage.config.json)
  pointage run M001 M002
  pointage run --source file:./books                (keep a mirror of books in files)

Exit status: 0 all clean · 1 some broken · 2 none broken but some incomplete · 3 the command failed`;

interface RunFlags extends Flags {
  readonly source?: string;
  readonly format: string;
}

export function defineRun(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant...]', 'references of the merchants to run (default: all)')
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', EXAMPLES)
    .action(async (merchants: string[], flags: RunFlags) => {
      const format = oneOf('--format', flags.format, ['text', 'json']);
      const configuration = await configurationOf(stage, flags);
      const outcome = await runOnce(stage, configuration, { merchants, source: flags.source ?? null });
      const reports = outcome.merchants.map((merchant) => merchant.report);
      const document = auditDocument({
        engine: ENGINE,
        asOf: outcome.startedAt,
        source: outcome.source,
        merchants: reports,
      });
      stage.status = exitStatusOf(document);
      if (format === 'json') stage.terminal.out(`${JSON.stringify(document, null, 2)}\n`);
      else {
        printReports(stage.terminal, reports, { most: 20 });
        printChanges(stage, outcome);
      }
    });
}

/** `source`: an address that stands for every merchant; null: where the configuration says that each is. */
export async function runOnce(
  stage: Stage,
  configuration: Configuration,
  wanted: { readonly merchants: readonly string[]; readonly source: string | null },
): Promise<RunOutcome> {
  const announcements = announcementsOf(configuration);
  const spans = await openConfiguredTracing(configuration, { ...stage, role: 'run' });
  const surroundings = { ...stage, tracing: spans.tracing };
  const source =
    wanted.source === null
      ? await requireConfiguredSources(configuration, surroundings)
      : await openConfiguredSource(configuration, wanted.source, surroundings);
  const published = await openConfiguredDashboard(configuration, wanted.source ?? configuration.source, surroundings);
  const bars = barsOf(stage.terminal);
  try {
    const merchants = await merchantsAsked(source, wanted.merchants);
    const store = await openConfiguredStore(configuration);
    try {
      return await runMerchants({
        store,
        source,
        engine: ENGINE,
        clock: stage.clock,
        merchants,
        published,
        tracing: spans.tracing,
        announcements,
        optionsFor: (merchant, asOf) =>
          judgingOf(configuration, merchant, { asOf, stateless: source.isStateless(merchant) }),
        onMerchant: (merchant) => bars.next(merchant, null, merchants.length),
      });
    } finally {
      bars.stop();
      await store.close();
    }
  } finally {
    await published?.dashboard.close();
    await source.close();
    await spans.close();
  }
}

/** Of a fingerprint: enough for `findings show`. */
const SHOWN = 8;

/** What this run added to the mirror, and which findings are new, gone or back. */
export function printChanges(stage: Stage, outcome: RunOutcome): void {
  const { terminal } = stage;
  const sum = (pick: (one: RunOutcome['merchants'][number]) => number): number =>
    outcome.merchants.reduce((total, one) => total + pick(one), 0);
  const entries = sum((one) => one.entriesAdded);
  const operations = sum((one) => one.operationsChanged);
  terminal.out(
    `\n${paint(terminal, 'bold', `Run ${outcome.runId}`)}: ${money(entries)} new lines and ${money(operations)} new or changed operations were read.\n`,
  );
  for (const { report, changes } of outcome.merchants) {
    const news = report.findings.filter(
      (finding) =>
        changes.added.includes(finding.fingerprint) && finding.causedBy === null && finding.severity !== 'info',
    );
    for (const { kind, fingerprint, message } of news)
      terminal.out(`  + new       ${report.merchant} ${kind} ${fingerprint.slice(0, SHOWN)}: ${message}\n`);
    if (changes.resolved.length > 0)
      terminal.out(`  − resolved  ${report.merchant}: ${changes.resolved.length} finding(s) are no longer found\n`);
    if (changes.settled.length > 0)
      terminal.out(`  = settled   ${report.merchant}: ${changes.settled.length} finding(s) were put right\n`);
    if (changes.reopened.length > 0)
      terminal.out(`  ! back      ${report.merchant}: ${changes.reopened.length} finding(s) came back\n`);
  }
  const quiet = outcome.merchants.every(
    ({ changes: { added, resolved, settled, reopened } }) =>
      added.length + resolved.length + settled.length + reopened.length === 0,
  );
  if (quiet) terminal.out('  Nothing changed since the last run.\n');
}
