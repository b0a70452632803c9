// The findings of a kind as a store knows them, and a person's decision about one.

import { ask, build } from '../../src/io/storage/server/ask.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { decideAbout, findOne } from '../../src/service/workflows/operators/decide-findings.ts';

/** Returns the state of each finding of a kind. */
export async function statesOf(store: Store, kind: string): Promise<readonly string[]> {
  return (await known(store, kind)).map(({ state }) => state);
}

/** Accepts the first finding of a kind in a person's name, without an end. */
export async function acceptFinding(store: Store, kind: string): Promise<void> {
  const [first] = await known(store, kind);
  const found = await findOne(store, first!.fingerprint);
  const wish = {
    action: 'accept',
    reason: 'known',
    by: 'amina',
    at: Date.now(),
    announce: () => [],
  } as const;
  await decideAbout(store, {}, { found, wish });
}

async function known(store: Store, kind: string) {
  const load = build
    .selectFrom('findings')
    .select(['fingerprint', 'state'])
    .where('kind', '=', kind);
  return (await ask(store.pool, load)).rows;
}
