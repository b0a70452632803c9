// How the tokens of merchants are checked, out of the configuration.

import type { Configuration } from '../../config/check-configuration.ts';
import type { TokenSettings } from '../../http/port/tokens.ts';

/** Null: merchants are not served, operators are. */
export function tokensOf({ server: { tokens } }: Configuration): TokenSettings | null {
  return tokens === undefined ? null : { ...tokens, keys: tokens };
}
