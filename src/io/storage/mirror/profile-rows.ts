// The profile as a row, in both directions. The one place that knows which column is which field.

import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Merchant, MerchantStatus } from '../../../core/domain/merchant.ts';

export const PROFILE_COLUMNS = [
  'name',
  'legal_name',
  'country',
  'status',
  'allowed_countries',
  'cashin_fee_bps',
  'cashin_fee_flat',
  'cashout_fee_bps',
  'cashout_fee_flat',
  'min_cashin_amount',
  'max_cashin_amount',
  'min_cashout_amount',
  'max_cashout_amount',
  'daily_cashout_limit',
  'created_at',
] as const;

type ProfileTable = Pick<Database['profile_versions'], (typeof PROFILE_COLUMNS)[number]>;

/** In the order of `PROFILE_COLUMNS`. */
export function profileRow(profile: Merchant): Insertable<ProfileTable> {
  const { pricing, limits } = profile;
  return {
    name: profile.name,
    legal_name: profile.legalName,
    country: profile.country,
    status: profile.status,
    allowed_countries: profile.allowedCountries,
    cashin_fee_bps: pricing.cashin.bps,
    cashin_fee_flat: pricing.cashin.flat,
    cashout_fee_bps: pricing.cashout.bps,
    cashout_fee_flat: pricing.cashout.flat,
    min_cashin_amount: limits.minCashinAmount,
    max_cashin_amount: limits.maxCashinAmount,
    min_cashout_amount: limits.minCashoutAmount,
    max_cashout_amount: limits.maxCashoutAmount,
    daily_cashout_limit: limits.dailyCashoutLimit,
    created_at: profile.createdAt,
  };
}

/** `merchant` is the reference under which the books are kept. */
export function profileOf({
  merchant,
  record,
}: {
  readonly merchant: string;
  readonly record: Selectable<ProfileTable>;
}): Merchant {
  return {
    reference: merchant,
    name: record.name,
    legalName: record.legal_name,
    country: record.country,
    status: record.status as MerchantStatus,
    allowedCountries: record.allowed_countries,
    pricing: {
      cashin: { bps: record.cashin_fee_bps, flat: record.cashin_fee_flat },
      cashout: { bps: record.cashout_fee_bps, flat: record.cashout_fee_flat },
    },
    limits: {
      minCashinAmount: record.min_cashin_amount,
      maxCashinAmount: record.max_cashin_amount,
      minCashoutAmount: record.min_cashout_amount,
      maxCashoutAmount: record.max_cashout_amount,
      dailyCashoutLimit: record.daily_cashout_limit,
    },
    createdAt: record.created_at,
  };
}
