// Empties an embedded store. Refuses any other: what an operator keeps in its own PostgreSQL is not ours to drop.
// Its SQL is text: it drops and makes a schema.

import { invariant } from '../../../core/domain/invariant.ts';
import type { Store } from './store.ts';

/** Everything in the store is gone afterwards; migrate before it is used again. */
export async function eraseStore(store: Store): Promise<void> {
  invariant(store.description.startsWith('embedded PostgreSQL'), 'only an embedded store is ever erased');
  await store.pool.query('drop schema public cascade');
  await store.pool.query('create schema public');
}
