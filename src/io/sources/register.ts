// The register of sources, one line for each scheme. The scheme of an address decides which source
// opens it, and no other source is loaded.

import { fileURLToPath } from 'node:url';
import type { Dashboard } from '../../core/domain/published/dashboard-snapshot.ts';
import type { HttpSettings } from './http/http-settings.ts';
import { type Source, SourceFailed } from './port/source.ts';
import type { PartMapping, PostgresSettings, TablePart } from './postgres/postgres-settings.ts';

/** Settings of sources beside their address. Secrets belong here, never in an address. */
export interface SourceSettings {
  /** Required for the direct API, which opens no books without credentials. */
  readonly http?: Omit<HttpSettings, 'baseUrl'>;
  /**
   * How the operator's tables differ from the usual form. A password may be left to the environment
   * of the process.
   */
  readonly postgres?: Partial<Pick<PostgresSettings, 'timeZone' | 'connectTimeout'>> & {
    readonly [Part in TablePart]?:
      | { readonly [Name in keyof PartMapping]?: PartMapping[Name] | undefined }
      | null;
  };
}

type OpenSource = (uri: string, settings: SourceSettings) => Promise<Source>;

interface Scheme {
  /** The form of the scheme's addresses, shown when an address has no known form. */
  readonly form: string;
  readonly open: OpenSource;
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  file: { form: 'file:DIR', open: openFiles },
  http: { form: 'http://HOST/v1', open: openDirectApi },
  https: { form: 'https://HOST/v1', open: openDirectApi },
  postgres: { form: 'postgres://HOST/DATABASE', open: openTables },
  postgresql: { form: 'postgresql://HOST/DATABASE', open: openTables },
};

/**
 * Opens the source of an address. Throws `SourceFailed` `UNKNOWN_SOURCE` when the address has no
 * known form.
 */
export async function openSource(uri: string, settings: SourceSettings): Promise<Source> {
  const colon = uri.indexOf(':');
  const scheme = uri.slice(0, Math.max(colon, 0));
  if (Object.hasOwn(SCHEMES, scheme) && uri.length > colon + 1)
    return SCHEMES[scheme]!.open(uri, settings);
  const forms = Object.values(SCHEMES).map(({ form }) => form);
  // The rest of the address may hold a password, and is not repeated.
  const shown = colon < 0 ? uri : `${scheme}:…`;
  throw new SourceFailed(
    'UNKNOWN_SOURCE',
    `'${shown}' is not a source; a source is one of: ${forms.join(', ')}`,
  );
}

/**
 * Opens the published data at the same address as the books; `null` when addresses of this form
 * cannot have any.
 */
export async function openDashboardBeside(uri: string): Promise<Dashboard | null> {
  if (!uri.startsWith('file:')) return null;
  const { openFileDashboard } = await import('./file/open-file-dashboard.ts');
  return openFileDashboard(folderOf(uri));
}

/**
 * Returns the folder of an address: `file:books`, `file:/books` and `file:///books` all name a
 * folder.
 */
function folderOf(uri: string): string {
  return uri.startsWith('file://') ? fileURLToPath(uri) : uri.slice('file:'.length);
}

async function openFiles(uri: string): Promise<Source> {
  const { openFileSource } = await import('./file/open-file-source.ts');
  return openFileSource(folderOf(uri));
}

async function openDirectApi(baseUrl: string, { http }: SourceSettings): Promise<Source> {
  if (http === undefined) {
    const how = 'The direct API opens no books without credentials: configure merchants.';
    throw new SourceFailed('INVALID_SETTINGS', how);
  }
  const { openHttpSource } = await import('./http/http-source.ts');
  return openHttpSource({ ...http, baseUrl });
}

async function openTables(connectionString: string, { postgres }: SourceSettings): Promise<Source> {
  const { POSTGRES_DEFAULTS } = await import('./postgres/postgres-settings.ts');
  const { openPostgresSource } = await import('./postgres/open-postgres-source.ts');
  const partOf = <Part extends TablePart>(part: Part) =>
    postgres?.[part] === null
      ? null
      : ({ ...POSTGRES_DEFAULTS[part], ...postgres?.[part] } as PartMapping);
  const parts = { merchants: partOf('merchants'), wallets: partOf('wallets') };
  const lists = { entries: partOf('entries')!, operations: partOf('operations')! };
  return openPostgresSource({
    ...POSTGRES_DEFAULTS,
    ...postgres,
    ...parts,
    ...lists,
    connectionString,
  });
}
