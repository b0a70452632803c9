// The findings that a store knows of, as they stand.

import { ask, build } from '../../src/io/storage/server/ask.ts';
import type { Store } from '../../src/io/storage/server/store.ts';

/** The states of all findings of the kind. */
export async function findFindings(store: Store, kind: string): Promise<readonly string[]> {
  const load = build.selectFrom('findings').select('state').where('kind', '=', kind);
  return (await ask(store.pool, load)).rows.map(({ state }) => state);
}
