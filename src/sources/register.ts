// The register of sources: one line a scheme. What stands before the colon of an address decides who opens it.

import { fileURLToPath } from 'node:url';
import { openFileSource } from './file/open-file-source.ts';
import { type Source, SourceFailed } from './source.ts';

/** What sources may need beside their address; secrets stand here and never in an address. */
export type SourceSettings = Readonly<Record<string, string | undefined>>;

type OpenSource = (uri: string, settings: SourceSettings) => Source | Promise<Source>;

interface Scheme {
  /** Shown to whoever gives an address that nobody knows. */
  readonly form: string;
  readonly open: OpenSource;
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  file: { form: 'file:DIR', open: (uri) => openFileSource(folderOf(uri)) },
};

/** Throws `SourceFailed` (`UNKNOWN_SOURCE`) for an address of no known form. */
export async function openSource(uri: string, settings: SourceSettings): Promise<Source> {
  const colon = uri.indexOf(':');
  const scheme = uri.slice(0, Math.max(colon, 0));
  if (Object.hasOwn(SCHEMES, scheme) && uri.length > colon + 1) return SCHEMES[scheme]!.open(uri, settings);
  const forms = Object.values(SCHEMES).map(({ form }) => form);
  // What follows the colon may hold a password, and is not repeated.
  const shown = colon < 0 ? uri : `${scheme}:…`;
  throw new SourceFailed('UNKNOWN_SOURCE', `'${shown}' is not a source; a source is one of: ${forms.join(', ')}`);
}

/** `file:books`, `file:/books` and `file:///books` all name a folder. */
function folderOf(uri: string): string {
  return uri.startsWith('file://') ? fileURLToPath(uri) : uri.slice('file:'.length);
}
