// `pointage run`: one pass as every night. Pulls what is new, replays it, saves findings, and says what changed.

import type { Command } from 'commander';
import { auditDocument, exitStatusOf } from '../../../core/reconcile/audit-document.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { type Stage, wholeConfigurationOf, withCommonOptions } from '../command.ts';
import { checkListingFlags, type ListingFlags, withListingOptions } from '../print/listing.ts';
import { putReports } from '../print/put-reports.ts';
import { printChanges, runOnce } from '../run-once.ts';

const EXAMPLES = `
Examples:
  pointage run --source https://api.example/v1      (credentials in pointage.config.json)
  pointage run M001 M002
  pointage run --source file:./books                (keep a mirror of books in files)

Exit status: 0 all clean · 1 some broken · 2 none broken but some incomplete · 3 the command failed
Ctrl-C or SIGTERM: says how far it came; what was read is kept, and the next run goes on (130, 143)`;

interface RunFlags extends Flags, ListingFlags {
  readonly source?: string;
}

export function defineRun(command: Command, stage: Stage): void {
  withListingOptions(withCommonOptions(command))
    .argument('[merchant...]', 'references of the merchants to run (default: all)')
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .addHelpText('after', EXAMPLES)
    .action(async (merchants: string[], flags: RunFlags) => {
      checkListingFlags(flags);
      const configuration = await wholeConfigurationOf(stage, flags);
      const outcome = await runOnce(stage, configuration, { merchants, source: flags.source ?? null });
      const reports = outcome.merchants.map((merchant) => merchant.report);
      const document = auditDocument({
        engine: ENGINE,
        asOf: outcome.startedAt,
        source: outcome.source,
        merchants: reports,
      });
      stage.status = exitStatusOf(document);
      await putReports(stage, flags, document);
      if (flags.format === 'text') printChanges(stage, outcome);
    });
}
