// How the tokens of merchants are checked, out of the configuration. Refuses a configuration that lets no caller in.

import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { TokenSettings } from '../../http/port/tokens.ts';

/** Null: merchants are not served, operators are. */
export function tokensOf({ server }: Configuration): TokenSettings | null {
  const { tokens, operators } = server;
  if (tokens !== undefined) return { ...tokens, keys: tokens };
  if (operators.length > 0) return null;
  const how =
    'give server.tokens.secret, server.tokens.jwksUrl or server.tokens.jwks, or server.operators, in the configuration file';
  throw new ConfigurationInvalid(`There is no way to check the tokens of callers: ${how}.`);
}
