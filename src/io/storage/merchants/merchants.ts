// The merchants of the mirror: their numbers, their names, and which of them are retired. The books
// of a retired merchant stay; the list of merchants leaves it out.

import { sql, type Updateable } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addingTo, anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';

/** References of the merchants that are not retired, sorted. */
export async function loadMerchants(store: Store): Promise<readonly string[]> {
  const load = build
    .selectFrom('merchants')
    .select('reference')
    .where('retired_at', 'is', null)
    .orderBy('reference');
  return (await ask(store.pool, load)).rows.map(({ reference }) => reference);
}

/** True when the merchant has a number, even before its first line. */
export async function knowsMerchant(store: Store, reference: string): Promise<boolean> {
  return (await findMerchantId(store.pool, reference)) !== null;
}

/**
 * The merchant's number. Throws `StoreFailed` (UNKNOWN_MERCHANT): a mistyped name must not pass for
 * a merchant without books.
 */
export async function requireMerchant(store: Store, reference: string): Promise<number> {
  const merchantId = await findMerchantId(store.pool, reference);
  if (merchantId !== null) return merchantId;
  throw new StoreFailed(
    'UNKNOWN_MERCHANT',
    `There is no merchant '${printable(reference)}' in the mirror.`,
  );
}

/** Selects the merchant's number, as a subquery. */
export function merchantIdOf(reference: string) {
  return build.selectFrom('merchants').select('merchant_id').where('reference', '=', reference);
}

export async function findMerchantId(queries: Queries, reference: string): Promise<number | null> {
  return (await findMerchantIds(queries, [reference])).get(reference) ?? null;
}

/** Returns the merchants' numbers by reference, without unknown merchants. */
async function findMerchantIds(
  queries: Queries,
  references: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await ask(queries, findMerchants({ references }));
  return new Map(rows.map((row) => [row.reference, row.merchant_id]));
}

const findMerchants = prepare(
  'find merchants',
  (at: Slots<{ readonly references: readonly string[] }>) =>
    build
      .selectFrom('merchants')
      .select(['reference', 'merchant_id'])
      .where('reference', '=', anyOf('text', at('references'))),
);

/** Returns the merchant's number. A merchant that has none gets one. */
export const enterMerchant = askTogether<string, number, Store>(async ({ pool }, references) => {
  const known = await findMerchantIds(pool, references);
  const unknown = references.filter((reference) => !known.has(reference));
  if (unknown.length === 0) return references.map((reference) => known.get(reference)!);
  await addMerchants(pool, unknown);
  const entered = await findMerchantIds(pool, references);
  return references.map((reference) => entered.get(reference)!);
});

/** Adds merchants. Known ones stay as they are. */
export async function addMerchants(queries: Queries, references: readonly string[]): Promise<void> {
  await ask(queries, addedMerchants(references.map((reference) => ({ reference }))));
}

const addedMerchants = addingTo(
  'merchants',
  { text: ['reference'] },
  { name: null, key: ['reference'], taken: 'keep' },
);

/** Adds a head for each merchant that has none. */
export async function addHeads(queries: Queries, merchantIds: readonly number[]): Promise<void> {
  await ask(queries, addedHeads(merchantIds.map((merchant_id) => ({ merchant_id }))));
}

const addedHeads = addingTo(
  'merchant_heads',
  { bigint: ['merchant_id'] },
  { name: null, key: ['merchant_id'], taken: 'keep' },
);

/** Selects a field of the newest profile of the merchant of the query's row `of`. */
export function profiled(field: 'name' | 'country' | 'status', of: 'f' | 'h') {
  return build
    .selectFrom('profile_versions as p')
    .select(sql.ref<string | null>(`p.${field}`).as(field))
    .where('p.merchant_id', '=', sql.ref<number>(`${of}.merchant_id`))
    .orderBy('p.version', 'desc')
    .limit(sql.lit(1));
}

/** Returns the name in the merchant's newest profile; `null` when no profile was read. */
export async function loadMerchantName(store: Store, merchant: string): Promise<string | null> {
  const load = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .select(profiled('name', 'h').as('name'))
    .where('m.reference', '=', merchant);
  return (await ask(store.pool, load)).rows[0]?.name ?? null;
}

export interface Retirement {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string;
}

/** Loads the retired merchants, by reference. */
export async function loadRetired(store: Store): Promise<ReadonlyMap<string, Retirement>> {
  const load = build
    .selectFrom('merchants')
    .select(({ ref }) => [
      'reference',
      ref('retired_at').$notNull().as('at'),
      ref('retired_by').$notNull().as('by'),
      ref('retired_reason').$notNull().as('reason'),
    ])
    .where('retired_at', 'is not', null);
  return new Map(
    (await ask(store.pool, load)).rows.map(({ reference, ...retirement }) => [
      reference,
      retirement,
    ]),
  );
}

/** Retires a merchant. Throws `StoreFailed` (UNKNOWN_MERCHANT, DECISION_REFUSED). */
export async function retireMerchant(
  store: Store,
  merchant: string,
  { at, by, reason }: Retirement,
): Promise<void> {
  if (reason.trim() === '')
    throw new StoreFailed('DECISION_REFUSED', 'To retire a merchant needs a reason.');
  if (by.trim() === '')
    throw new StoreFailed('DECISION_REFUSED', 'To retire a merchant needs the name of who does.');
  const words = {
    retired_by: storableText(by.trim()),
    retired_reason: storableText(reason.trim()),
  };
  await changeRetirement(store, merchant, { retired_at: at, ...words });
}

/** Ends the retirement of a merchant. Throws `StoreFailed` (UNKNOWN_MERCHANT, DECISION_REFUSED). */
export async function restoreMerchant(store: Store, merchant: string): Promise<void> {
  await changeRetirement(store, merchant, {
    retired_at: null,
    retired_by: null,
    retired_reason: null,
  });
}

type Retired = Pick<
  Updateable<Database['merchants']>,
  'retired_at' | 'retired_by' | 'retired_reason'
>;

async function changeRetirement(store: Store, merchant: string, retired: Retired): Promise<void> {
  const [before, why] =
    retired.retired_at === null
      ? (['is not', 'is not retired'] as const)
      : (['is', 'is retired already'] as const);
  const change = build
    .updateTable('merchants')
    .set(retired)
    .where('reference', '=', merchant)
    .where('retired_at', before, null);
  if ((await ask(store.pool, change)).count > 0) return;
  if (await knowsMerchant(store, merchant))
    throw new StoreFailed('DECISION_REFUSED', `${merchant} ${why}.`);
  throw new StoreFailed('UNKNOWN_MERCHANT', `The mirror has no merchant '${merchant}'.`);
}
