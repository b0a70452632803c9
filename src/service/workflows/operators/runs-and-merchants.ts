// What people see of runs, and what they do with the merchants of the mirror: list them, retire
// one, restore one.

import { formatKnown } from '../../../core/domain/instant.ts';
import { type Column, columnsOf } from '../../../core/statements/tables/table.ts';
import {
  loadRetired,
  type Retirement,
  requireMerchant,
  restoreMerchant,
  retireMerchant,
} from '../../../io/storage/merchants/merchants.ts';
import {
  listMerchantRecords,
  type MerchantQuery,
  type MerchantRecord,
} from '../../../io/storage/operators/merchant-records.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export { loadOpenNights } from '../../../io/storage/nights/nights.ts';
export {
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
  loadRunReports,
  type RunRecord,
} from '../../../io/storage/operators/run-records.ts';
export { requireMerchant, restoreMerchant, retireMerchant };

export interface ListedMerchant extends MerchantRecord {
  readonly retired: Retirement | null;
}

/** Lists merchants by reference, including retired ones. `total` counts all of them. */
export async function listMerchants(store: Store, query: MerchantQuery) {
  const { total, items } = await listMerchantRecords(store, query);
  const retired = await loadRetired(store);
  return {
    total,
    items: items.map(
      (one): ListedMerchant => ({ ...one, retired: retired.get(one.reference) ?? null }),
    ),
  };
}

/**
 * The columns of the list for programs, in this order. New ones may be added at the end; none is
 * ever renamed.
 */
export const MERCHANT_COLUMNS: readonly Column<ListedMerchant>[] = [
  { key: 'merchant', form: 'text', pick: ({ reference }) => reference },
  ...columnsOf<ListedMerchant>([
    'name',
    'country',
    'status',
    'verdict',
    'openFindings',
    'lastRun',
    'lastRunAt',
  ]),
  ...columnsOf<ListedMerchant>(['lastVerdict', 'judged']),
  { key: 'watermark', form: 'text', pick: ({ watermark }) => formatKnown(watermark) },
  { key: 'retiredAt', form: 'text', pick: ({ retired }) => formatKnown(retired?.at ?? null) },
  { key: 'retiredBy', form: 'text', pick: ({ retired }) => retired?.by ?? null },
  { key: 'retiredReason', form: 'text', pick: ({ retired }) => retired?.reason ?? null },
];
