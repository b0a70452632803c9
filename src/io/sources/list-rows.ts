// Rows of a list that stands outside, as they come: from a select on a database, or as one JSON answer. What they mean is for the
// caller.

import { SourceFailed } from './port/source.ts';
import { WEB_DEFAULTS, type WebSettings } from './web/web-settings.ts';

export interface ListPlace {
  readonly url: string;
  /** Of a database. */
  readonly select: string | null;
  readonly token: string | null;
  /** One more than the most that is wanted is read, so that too long a list is seen. */
  readonly most: number;
  /** Milliseconds. */
  readonly deadline: number;
}

/** Throws `SourceFailed`. */
export async function readListRows(
  place: ListPlace,
  surroundings: Pick<WebSettings, 'clock' | 'random' | 'log' | 'tracing'>,
): Promise<readonly unknown[]> {
  if (place.select !== null) {
    const { readSelected } = await import('./postgres/read-selected.ts');
    return readSelected({ ...place, select: place.select });
  }
  const url = URL.parse(place.url);
  if (url === null || url.username !== '' || url.hash !== '')
    throw new SourceFailed('INVALID_SETTINGS', 'The address of the list must hold no user name and no fragment.');
  const { askList } = await import('./web/ask-list.ts');
  return askList(place, { ...WEB_DEFAULTS, ...surroundings });
}
