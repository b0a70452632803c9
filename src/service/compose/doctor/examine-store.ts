// The store, looked at: it is reached and new enough, its schema is the one that is needed, its clock agrees, and the queue
// is there. Changes nothing in it.

import { askDatabase } from '../../../io/storage/server/database-facts.ts';
import { describeMigrations } from '../../../io/storage/server/migrate.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Clock } from '../../clock.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { toleranceOf } from '../../config/for-merchant.ts';
import { broken, type Examination, good, idle, judgeSkew, type Seen, warning } from './examination.ts';

/** `store` is opened once for all of them: it rejects for each when the database cannot be reached. Null: it is not made yet. */
export function examineStore(
  configuration: Configuration,
  { store, clock }: { readonly store: Promise<Store> | null; readonly clock: Clock },
): readonly Examination[] {
  const { databaseUrl, dataDirectory } = configuration;
  if (store === null) {
    const says = `none yet: the first run makes an embedded PostgreSQL in ${dataDirectory}`;
    return [{ what: 'database', todo: '', examine: async () => idle(says) }];
  }
  const todo =
    databaseUrl === undefined
      ? `see that ${dataDirectory} can be written, or give databaseUrl`
      : 'see that the server runs, and that databaseUrl names it, its user and its password rightly';
  const { clockTolerance: tolerance } = toleranceOf(configuration);
  const withStore = (examine: (store: Store) => Promise<Seen>) => async () => {
    const opened = await store.catch(() => null);
    return opened === null ? idle('not known without the database') : examine(opened);
  };
  return [
    {
      what: 'database',
      todo,
      examine: async () => {
        const opened = await store;
        const { version } = await askDatabase(opened);
        return good(`${opened.description}, PostgreSQL ${version}`);
      },
    },
    { what: 'schema', todo, examine: withStore(examineSchema) },
    { what: 'queue', todo, examine: withStore(examineQueue) },
    {
      what: 'clock of the database',
      todo,
      examine: withStore(async (opened) => {
        const before = clock();
        const { now } = await askDatabase(opened);
        return judgeSkew('it', { skew: now - (before + clock()) / 2, tolerance });
      }),
    },
  ];
}

async function examineSchema(store: Store): Promise<Seen> {
  const { pending, unknown } = await describeMigrations(store);
  if (unknown.length > 0) {
    return broken(
      `made by a newer pointage (${unknown.join(', ')})`,
      'run that version, or restore a backup of before',
    );
  }
  if (pending.length === 0) return good('up to date');
  return warning(`${pending.length} migration(s) to come: ${pending.join(', ')}`, 'npx pointage migrate');
}

async function examineQueue(store: Store): Promise<Seen> {
  const { queueVersion } = await askDatabase(store);
  if (queueVersion === null) return idle('not there yet: the first worker makes it');
  return good(`there, schema ${queueVersion}`);
}
