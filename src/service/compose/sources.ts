// The books of all merchants as one source: those at the configured address, and those that have an address of their own.

import type { Source } from '../../io/sources/port/source.ts';
import { routeSources } from '../../io/sources/routed-source.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import { closable } from '../workflows/closable.ts';
import { openConfiguredSource, type Runtime } from './open-configured.ts';

/** Null where the configuration names no source at all. */
async function openConfiguredSources(
  configuration: Configuration,
  runtime: Runtime,
): Promise<(Source & AsyncDisposable) | null> {
  const own = Object.entries(configuration.merchants).flatMap(([reference, { source }]) =>
    source === undefined ? [] : [[reference, source] as const],
  );
  const addresses = new Map(own);
  const { source: uri } = configuration;
  const open = (address: string) => openConfiguredSource(seenAt(configuration, address), address, runtime);
  const elsewhere = uri === undefined ? null : await open(uri);
  if (addresses.size === 0) return elsewhere;
  return closable(routeSources({ elsewhere, addresses, open }));
}

/** With the merchants whose books are there: a source does not see the credentials of those who are elsewhere. */
export function seenAt(configuration: Configuration, address: string): Configuration {
  const { source, merchants } = configuration;
  const there = Object.entries(merchants).filter(([, one]) => (one.source ?? source) === address);
  return { ...configuration, merchants: Object.fromEntries(there) };
}

/** As `openConfiguredSources`, for a command that needs one. Throws `ConfigurationInvalid` where none is named. */
export async function requireConfiguredSources(
  configuration: Configuration,
  runtime: Runtime,
): Promise<Source & AsyncDisposable> {
  const source = await openConfiguredSources(configuration, runtime);
  if (source !== null) return source;
  throw new ConfigurationInvalid(
    'There is nothing to run: give --source, for example --source https://api.example/v1.',
  );
}
