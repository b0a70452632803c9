// `pointage worker`: the service of the nights, until a signal stops it; with --once it begins a
// night now, and ends with it.

import { type Command, Option } from 'commander';
import type { Flags } from '../../config/load-configuration.ts';
import { PURPOSES, type Purpose } from '../../workflows/jobs.ts';
import { type Stage, wholeConfigurationOf, withCommonOptions } from '../stage/stage.ts';

const EXAMPLES = `
Examples:
  pointage worker                                   (until SIGTERM; when and what: worker in pointage.config.json)
  pointage worker --once --source file:./books      (a night now, and end with it)
  pointage worker --for months                      (statements alone: they never hold up a night that others work on)

Any number of workers may share one database, on any number of machines: each takes what no other has.
SIGTERM or SIGINT: each merchant is left at its next page, and goes on with another worker.
SIGHUP: the configuration is read again; one that cannot be used is logged, and nothing changes.
Logs: JSON lines on standard error; POINTAGE_LOG sets their level (with --once: silent).

Exit status with --once: 0 all clean · 1 some broken · 2 none broken but some not judged · 3 the command failed`;

export function defineWorker(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .option('--once', 'begin a night now, work until it has ended, and say how it went')
    .addOption(
      new Option('--for <purpose>', 'what to work on; all there is, unless it is given')
        .choices(PURPOSES)
        .conflicts('once'),
    )
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Flags & { readonly once?: true; readonly for?: Purpose }) => {
      if (flags.once !== true) stage.logFrom('info');
      // Loaded when it is needed: no other command should wait for a queue and all that is done by
      // it.
      const { workOn, workOnce } = await import('./work.ts');
      if (flags.once === true) await workOnce(stage, await wholeConfigurationOf(stage, flags));
      else await workOn(stage, flags, flags.for ?? null);
    });
}
