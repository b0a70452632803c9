// `pointage migrate`: the store's schema, brought up to date.

import type { Command } from 'commander';
import { openConfiguredStore } from '../../compose/open-configured.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { configurationOf, type Stage, withCommonOptions } from '../command.ts';

export function defineMigrate(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  pointage migrate\n  pointage migrate --database-url postgres://pointage@127.0.0.1:5432/pointage',
    )
    .action(async (flags: Flags) => {
      const store = await openConfiguredStore(await configurationOf(stage, flags));
      stage.terminal.out(`The schema of ${store.description} is up to date.\n`);
      await store.close();
    });
}
