// `pointage token`: a token for one merchant, signed with the configured secret, to try the Report API with. Refuses a merchant that
// neither the configuration nor the mirror knows.

import { type Command, InvalidArgumentError } from 'commander';
import { HOUR } from '../../../core/domain/instant.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { requireMerchant } from '../../workflows/operators/manage-merchants.ts';
import { configurationOf, type Stage, withConfigurationOption } from '../command.ts';
import { tokensOf } from '../token-settings.ts';

const EXAMPLES = `
Examples:
  pointage token M001
  curl -H "authenticationtoken: $(npx pointage token M001)" http://127.0.0.1:8080/web-merchant/reports`;

interface TokenFlags extends Flags {
  readonly hours: number;
}

export function defineToken(command: Command, stage: Stage): void {
  withConfigurationOption(command)
    .argument('<merchant>', 'whose reports it opens')
    .option('--hours <count>', 'how long it is good for, 1 to 24', hoursOf, 1)
    .addHelpText('after', EXAMPLES)
    .action((merchant: string, flags: TokenFlags) => print(stage, merchant, flags));
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (/^\d{1,2}$/.test(text) && hours >= 1 && hours <= 24) return hours;
  throw new InvalidArgumentError('It must be a whole number from 1 to 24.');
}

async function print(stage: Stage, merchant: string, { hours, ...flags }: TokenFlags): Promise<void> {
  const configuration = await configurationOf(stage, flags);
  const tokens = tokensOf(configuration);
  if (tokens === null) throw new ConfigurationInvalid('Only operators have tokens here: give server.tokens.secret.');
  const { makeToken } = await import('../../http/make-token.ts');
  const token = await makeToken(tokens, { merchant, expiresAt: stage.clock() + hours * HOUR });
  if (token === null) {
    throw new ConfigurationInvalid('Only the signer can make a token here: pointage knows its public keys alone.');
  }
  if (!Object.hasOwn(configuration.merchants, merchant))
    await withStore(configuration, (store) => requireMerchant(store, merchant));
  stage.terminal.out(`${token}\n`);
}
