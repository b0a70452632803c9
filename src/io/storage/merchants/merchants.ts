// The merchants that the mirror holds, and the numbers that they go by there.

import { printable } from '../../../core/domain/printable.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addingTo, anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { type Store, StoreFailed } from '../server/store.ts';

/** References, sorted; those that are retired are left out. */
export async function loadMerchants(store: Store): Promise<readonly string[]> {
  const { rows } = await ask(
    store.pool,
    build.selectFrom('merchants').select('reference').where('retired_at', 'is', null).orderBy('reference'),
  );
  return rows.map((row) => row.reference);
}

/** True when the mirror has heard of the merchant, whether or not it has read anything of it. */
export async function knowsMerchant(store: Store, reference: string): Promise<boolean> {
  return (await findMerchantId(store.pool, reference)) !== null;
}

/** Throws `StoreFailed` (UNKNOWN_MERCHANT): a name that is mistyped must not read as one of which nothing is known. */
export async function requireMerchant(store: Store, reference: string): Promise<void> {
  if (await knowsMerchant(store, reference)) return;
  throw new StoreFailed('UNKNOWN_MERCHANT', `There is no merchant '${printable(reference)}' in the mirror.`);
}

/** The merchant's number, within a query. */
export function merchantIdOf(reference: string) {
  return build.selectFrom('merchants').select('merchant_id').where('reference', '=', reference);
}

/** Null when the mirror has not heard of the merchant. */
export async function findMerchantId(queries: Queries, reference: string): Promise<number | null> {
  return (await findMerchantIds(queries, [reference])).get(reference) ?? null;
}

/** By reference; who is not known is not there. */
async function findMerchantIds(queries: Queries, references: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await ask(queries, findMerchants({ references }));
  return new Map(rows.map((row) => [row.reference, row.merchant_id]));
}

const findMerchants = prepare('find merchants', (at: Slots<{ readonly references: readonly string[] }>) =>
  build
    .selectFrom('merchants')
    .select(['reference', 'merchant_id'])
    .where('reference', '=', anyOf('text', at('references'))),
);

/** Enters a merchant that is new; nothing is read of it by that. */
export const enterMerchant = askTogether<string, number, Store>(async ({ pool }, references) => {
  const known = await findMerchantIds(pool, references);
  const unknown = references.filter((reference) => !known.has(reference));
  if (unknown.length === 0) return references.map((reference) => known.get(reference)!);
  await addMerchants(pool, unknown);
  const entered = await findMerchantIds(pool, references);
  return references.map((reference) => entered.get(reference)!);
});

/** Leaves known merchants as they are. */
export async function addMerchants(queries: Queries, references: readonly string[]): Promise<void> {
  await ask(queries, addedMerchants(references.map((reference) => ({ reference }))));
}

const addedMerchants = addingTo('merchants', { reference: 'text' }, { name: null, key: ['reference'], taken: 'keep' });

/** Gives merchants a head each; one that has one keeps it. */
export async function addHeads(queries: Queries, merchantIds: readonly number[]): Promise<void> {
  await ask(queries, addedHeads(merchantIds.map((merchant_id) => ({ merchant_id }))));
}

const addedHeads = addingTo(
  'merchant_heads',
  { merchant_id: 'bigint' },
  { name: null, key: ['merchant_id'], taken: 'keep' },
);
