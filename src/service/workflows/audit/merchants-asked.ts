// Which merchants of a source somebody asks for. Refuses a name that the source does not have, before anything is kept of it.

import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';

const MOST_NAMED = 5;

/** `wanted` as it is; empty: every merchant of the source. Throws `SourceFailed` where the source has not all of them. */
export async function merchantsAsked(
  source: Pick<Source, 'name' | 'merchants'>,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const known = await source.merchants();
  const unknown = wanted.find((merchant) => !known.includes(merchant));
  if (unknown === undefined) return wanted.length > 0 ? wanted : known;
  const some = known.slice(0, MOST_NAMED).join(', ');
  throw new SourceFailed(
    'UNKNOWN_MERCHANT',
    `${source.name} has no merchant '${unknown}'; it has ${known.length}: ${some}${known.length > MOST_NAMED ? ', …' : ''}`,
  );
}
