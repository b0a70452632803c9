// The profile as a row of our table, in both directions.

import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Merchant } from '../../../core/domain/merchant.ts';
import { MERCHANT_FIELDS, type MerchantRow, merchantOf, rowOfMerchant } from '../../../core/rows/merchant-fields.ts';

type Column = Exclude<keyof Database['profile_versions'], 'merchant_id' | 'version' | 'intake'>;
type ProfileTable = Pick<Database['profile_versions'], Column>;

const FIELDS = MERCHANT_FIELDS.filter(({ name }) => name !== 'reference');

export const PROFILE_COLUMNS = FIELDS.map(({ column }) => column as Column);

/** In the order of `PROFILE_COLUMNS`. */
export function profileRow(profile: Merchant): Insertable<ProfileTable> {
  const row = rowOfMerchant(profile);
  const values = FIELDS.map(({ name, column }) => [column, row[name as keyof MerchantRow]]);
  return Object.fromEntries(values) as Insertable<ProfileTable>;
}

/** `merchant` is the reference under which the books are kept. */
export function profileOf({
  merchant,
  record,
}: {
  readonly merchant: string;
  readonly record: Selectable<ProfileTable>;
}): Merchant {
  const values = FIELDS.map(({ name, column }) => [name, record[column as Column]]);
  return merchantOf({ ...Object.fromEntries(values), reference: merchant } as MerchantRow);
}
