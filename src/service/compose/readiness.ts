// What keeps a process from working: its database, or a schema that is not the one it needs. Asked by probes, so it never
// takes long, and says nothing that an outsider could use.

import { describeMigrations } from '../../io/storage/server/migrate.ts';
import type { Store } from '../../io/storage/server/store.ts';

/** Milliseconds; a probe that is not answered by then counts as failed anyway. */
const PATIENCE = 3_000;

/** Each obstacle in a few words; empty: nothing is in the way. Never fails. */
export async function obstaclesIn(store: Store, patience = PATIENCE): Promise<readonly string[]> {
  let alarm: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    alarm = setTimeout(() => resolve(['the database does not answer in time']), patience);
  });
  const asked = describeMigrations(store).then(
    ({ pending }) => (pending.length === 0 ? [] : ['the schema of the database is not up to date']),
    () => ['the database does not answer'],
  );
  const obstacles = await Promise.race([asked, late]);
  clearTimeout(alarm);
  return obstacles;
}
