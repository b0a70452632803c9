// `pointage config`: what a configuration may hold, for editors.

import type { Command } from 'commander';
import type { Stage } from '../command.ts';

const EXAMPLE = `
Example:
  pointage config schema > pointage.schema.json

In pointage.config.json, "$schema": "./pointage.schema.json" lets an editor complete its keys and mark what is wrong.`;

export function defineConfig(command: Command, stage: Stage): void {
  command
    .command('schema')
    .description('the JSON Schema of the configuration')
    .addHelpText('after', EXAMPLE)
    .action(async () => {
      const { configurationJsonSchema } = await import('../../config/json-schema.ts');
      stage.terminal.out(`${JSON.stringify(configurationJsonSchema(), null, 2)}\n`);
    });
}
