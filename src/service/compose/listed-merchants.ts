// Adds the merchants of an outside list (`merchantsFrom`) to the configuration. The list is fetched
// again at every call.

import { readListRows } from '../../io/sources/list-rows.ts';
import type { Configuration } from '../config/check-configuration.ts';
import type { Merchant } from '../config/check-merchant.ts';
import type { Environment } from '../config/given-secrets.ts';
import { merchantsOf } from '../config/merchant-list.ts';
import type { Runtime } from './open-configured.ts';

/**
 * Returns `configuration` unchanged where it names no list. Throws `ConfigurationInvalid` or
 * `SourceFailed`.
 */
export async function withListedMerchants(
  configuration: Configuration,
  environment: Environment,
  runtime: Runtime,
): Promise<Configuration> {
  const { merchantsFrom: list, merchants: own } = configuration;
  if (list === undefined) return configuration;
  const { url, select = null, token = null, most, deadline } = list;
  const rows = await readListRows({ url, select, token, most, deadline }, runtime);
  const listed = merchantsOf(rows, list, environment);
  const both = Object.entries(own).map(([reference, merchant]) => [
    reference,
    Object.hasOwn(listed, reference) ? { ...listed[reference]!, ...givenIn(merchant) } : merchant,
  ]);
  return { ...configuration, merchants: { ...listed, ...Object.fromEntries(both) } };
}

/**
 * Returns what the configuration file says of a merchant. This wins over the list; what the file
 * leaves out is taken from the list.
 */
function givenIn(merchant: Merchant): Partial<Merchant> {
  return Object.fromEntries(
    Object.entries(merchant).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
