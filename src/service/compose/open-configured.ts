// Opens sources, stores and tracing as the configuration says; each must be declared with `await
// using`. This is the one place that knows all concrete parts. A part is loaded only when it is
// opened: no tracing where the configuration names no collector.

import { existsSync } from 'node:fs';
import type { Instant } from '../../core/domain/instant.ts';
import { NO_TRACING, type Tracing } from '../../core/domain/measures.ts';
import type { Dashboard } from '../../core/domain/published/dashboard-snapshot.ts';
import type { DashboardSettings } from '../../io/sources/dashboard/dashboard-settings.ts';
import {
  HTTP_DEFAULTS,
  type HttpCredentials,
  type HttpSettings,
} from '../../io/sources/http/http-settings.ts';
import type { Source } from '../../io/sources/port/source.ts';
import { openDashboardBeside, openSource } from '../../io/sources/register.ts';
import { routeSources } from '../../io/sources/routed-source.ts';
import type { Store } from '../../io/storage/server/store.ts';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import { pinnedFor, toleranceOf } from '../config/for-merchant.ts';
import { VERSION } from '../engine.ts';
import type { TracingOptions } from '../telemetry/open-tracing.ts';
import type { AuditOptions } from '../workflows/audit/audit-snapshot.ts';
import type { Published } from '../workflows/audit/compare-published.ts';
import { closable, closedBy } from '../workflows/closable.ts';

/** Where this process takes time, chance, logs and traces from. */
export interface Runtime {
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** Logs an event, such as a retry or a smaller page. No event holds a secret. */
  readonly log: (event: object) => void;
  /** Seconds between two looks into a service's queue. See `QueueTask`. */
  readonly pollSeconds?: number;
  /** Absent: the work is not traced. */
  readonly tracing?: Tracing;
}

export async function openConfiguredSource(
  configuration: Configuration,
  uri: string,
  runtime: Runtime,
): Promise<Source & AsyncDisposable> {
  const isApi = /^https?:/.test(uri);
  const settings = isApi
    ? { http: httpSettingsOf(configuration, uri, runtime) }
    : { postgres: given(configuration.postgres) };
  return closable(await openSource(uri, settings));
}

/**
 * Returns the settings of the direct API at `uri`. Throws ConfigurationInvalid without credentials
 * for any merchant.
 */
export function httpSettingsOf(
  configuration: Configuration,
  uri: string,
  runtime: Runtime,
): Omit<HttpSettings, 'baseUrl'> {
  const { http } = configuration;
  return {
    ...HTTP_DEFAULTS,
    ...given(http),
    paths: { ...HTTP_DEFAULTS.paths, ...given(http.paths ?? {}) },
    retries: { ...HTTP_DEFAULTS.retries, ...given(http.retries ?? {}) },
    merchants: credentialsIn(configuration, uri),
    ...runtime,
  };
}

/**
 * Opens the place of the payment service's reports and payments by link: beside books in files,
 * else the configured dashboard. Returns `null` where there is neither. `uri` is the source's
 * address, or `undefined` for the mirror.
 */
export async function openConfiguredDashboard(
  configuration: Configuration,
  uri: string | undefined,
  runtime: Runtime,
): Promise<(Published & AsyncDisposable) | null> {
  const { dashboard: settings, summaryKeys } = configuration;
  const publishedAt = (dashboard: Dashboard, months: number | null) =>
    closedBy({ dashboard, months, summaryKeys }, () => dashboard.close());
  const beside = uri === undefined ? null : await openDashboardBeside(uri);
  if (beside !== null) return publishedAt(beside, null);
  if (settings === undefined) return null;
  const { openDashboard } = await import('../../io/sources/dashboard/open-dashboard.ts');
  return publishedAt(
    openDashboard(await dashboardSettingsOf(configuration, settings, runtime)),
    settings.months,
  );
}

/**
 * Returns the settings of the dashboard, with the merchants that have credentials for it. The
 * defaults are loaded here, when they are needed.
 */
export async function dashboardSettingsOf(
  { merchants }: Pick<Configuration, 'merchants'>,
  { months, baseUrl, ...dashboard }: NonNullable<Configuration['dashboard']>,
  runtime: Runtime,
): Promise<DashboardSettings> {
  const { DASHBOARD_DEFAULTS } = await import('../../io/sources/dashboard/dashboard-settings.ts');
  const credentials = Object.entries(merchants).flatMap(([reference, one]) =>
    one.dashboard === undefined ? [] : [[reference, one.dashboard] as const],
  );
  return {
    ...DASHBOARD_DEFAULTS,
    ...given(dashboard),
    baseUrl,
    parameters: { ...DASHBOARD_DEFAULTS.parameters, ...given(dashboard.parameters ?? {}) },
    retries: { ...DASHBOARD_DEFAULTS.retries, ...given(dashboard.retries ?? {}) },
    merchants: Object.fromEntries(credentials),
    ...runtime,
  };
}

/** Returns `values` without the keys that are `undefined`, because these would hide a default. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as never;
}

function credentialsIn(
  configuration: Configuration,
  uri: string,
): Readonly<Record<string, HttpCredentials>> {
  const credentials = Object.entries(configuration.merchants).flatMap(
    ([reference, { apiKey, apiSecret }]) =>
      apiKey === undefined || apiSecret === undefined
        ? []
        : [[reference, { apiKey, apiSecret }] as const],
  );
  if (credentials.length > 0) return Object.fromEntries(credentials);
  const shown = URL.canParse(uri) ? new URL(uri).origin : 'The direct API';
  throw new ConfigurationInvalid(
    `${shown} needs credentials: give merchants.REFERENCE.apiKey and apiSecret in the configuration file.`,
  );
}

/** Empties the embedded store of a data directory: for the demonstration, which keeps its own. */
export async function eraseEmbeddedStore(dataDirectory: string): Promise<void> {
  const { openStore } = await import('../../io/storage/server/open-store.ts');
  const { eraseStore } = await import('../../io/storage/server/migrate.ts');
  await using store = closable(await openStore({ databaseUrl: null, dataDirectory }));
  await eraseStore(store);
}

/** Opens the store and brings its schema up to date. */
export async function openConfiguredStore({
  databaseUrl,
  dataDirectory,
}: Configuration): Promise<Store & AsyncDisposable> {
  const { openStore } = await import('../../io/storage/server/open-store.ts');
  const { migrate } = await import('../../io/storage/server/migrate.ts');
  const store = await openStore({ databaseUrl: databaseUrl ?? null, dataDirectory });
  try {
    await migrate(store);
    return closable(store);
  } catch (failure) {
    await store.close();
    throw failure;
  }
}

/** Whether there is a database that books may have been read into before. */
async function hasMirror({ databaseUrl, dataDirectory }: Configuration): Promise<boolean> {
  if (databaseUrl === undefined && !existsSync(dataDirectory)) return false;
  const { hasCluster } = await import('../../io/storage/server/embedded-cluster.ts');
  return databaseUrl !== undefined || hasCluster(dataDirectory);
}

/**
 * Opens the store for a command that only looks at books which were read before: makes no store.
 * Throws ConfigurationInvalid where there is none yet.
 */
export async function openFilledStore(
  configuration: Configuration,
): Promise<Store & AsyncDisposable> {
  const { dataDirectory } = configuration;
  if (!(await hasMirror(configuration))) {
    const how =
      "read books with 'npx pointage run' first, or say where the mirror is (--data-directory, --database-url)";
    throw new ConfigurationInvalid(
      `Nothing was read yet: there is no mirror in ${dataDirectory}; ${how}.`,
    );
  }
  return openConfiguredStore(configuration);
}

/**
 * Opens the mirror. Returns `null` where nothing was read before or, with a note, where the mirror
 * cannot be opened.
 */
export async function openMirrorAtHand(configuration: Configuration, note: (line: string) => void) {
  if (!(await hasMirror(configuration))) return null;
  const { StoreFailed } = await import('../../io/storage/server/store.ts');
  try {
    return await openConfiguredStore(configuration);
  } catch (failure) {
    if (!(failure instanceof StoreFailed)) throw failure;
    note(`Lines are not compared with the mirror: ${failure.message}\n`);
    return null;
  }
}

/**
 * Opens the store of books that were read before, and closes it when `work` has ended. Throws
 * ConfigurationInvalid where nothing was read yet.
 */
export async function withStore<T>(
  configuration: Configuration,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await openFilledStore(configuration);
  return await work(store);
}

/**
 * Returns the options by which a merchant's books are judged: as of an instant, with the
 * interpretations pinned and the opening declared for the merchant.
 */
export function judgingOf(
  configuration: Configuration,
  merchant: string,
  judged: { readonly asOf: Instant; readonly stateless: boolean },
): Omit<AuditOptions, 'onProgress'> {
  const { grace, clockTolerance } = toleranceOf(configuration);
  const opening = configuration.merchants[merchant]?.opening ?? null;
  return {
    asOf: judged.asOf,
    // Files are read once: everything older than the instant of judgement is confirmed.
    grace: judged.stateless ? 0 : grace,
    clockTolerance,
    pinned: pinnedFor(configuration, merchant),
    opening,
  };
}

/**
 * Opens tracing, which does nothing where no collector is configured. Closing it sends the spans
 * that are left, for a few seconds at most.
 */
export async function openConfiguredTracing(
  { telemetry: { tracesUrl: url } }: Configuration,
  runtime: Omit<TracingOptions, 'url' | 'version'>,
): Promise<Tracing & AsyncDisposable> {
  if (url === undefined) return closable({ ...NO_TRACING, close: async () => {} });
  const { openTracing } = await import('../telemetry/open-tracing.ts');
  return closable(openTracing({ ...runtime, url, version: VERSION }));
}

/**
 * Opens the books of all merchants as one source: those at the configured address, and those that
 * have an address of their own. Throws `ConfigurationInvalid` where no source is named.
 */
export async function openConfiguredSources(
  configuration: Configuration,
  runtime: Runtime,
): Promise<Source & AsyncDisposable> {
  const { source: uri, merchants } = configuration;
  const addresses = new Map(
    Object.entries(merchants).flatMap(([reference, { source }]) =>
      source === undefined ? [] : [[reference, source]],
    ),
  );
  const open = (address: string) =>
    openConfiguredSource(seenAt(configuration, address), address, runtime);
  const elsewhere = uri === undefined ? null : await open(uri);
  if (addresses.size > 0) return closable(routeSources({ elsewhere, addresses, open }));
  if (elsewhere !== null) return elsewhere;
  throw new ConfigurationInvalid(
    'There is nothing to run: give --source, for example --source https://api.example/v1.',
  );
}

export function isSourceConfigured({ source, merchants }: Configuration): boolean {
  return source !== undefined || Object.values(merchants).some((one) => one.source !== undefined);
}

/**
 * Returns the configuration with only the merchants whose books are at `address`, so that a source
 * does not see the credentials of merchants elsewhere.
 */
export function seenAt(configuration: Configuration, address: string): Configuration {
  const { source, merchants } = configuration;
  const there = Object.entries(merchants).filter(([, one]) => (one.source ?? source) === address);
  return { ...configuration, merchants: Object.fromEntries(there) };
}
