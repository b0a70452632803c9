// The profile as a row, in both directions. The one place that knows which column is which field.

import type { Merchant } from '../../domain/merchant.ts';

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

/** Values in the order of `PROFILE_COLUMNS`. */
export function profileValues(profile: Merchant): readonly unknown[] {
  const { pricing, limits } = profile;
  return [
    profile.name,
    profile.legalName,
    profile.country,
    profile.status,
    profile.allowedCountries,
    pricing.cashin.bps,
    pricing.cashin.flat,
    pricing.cashout.bps,
    pricing.cashout.flat,
    limits.minCashinAmount,
    limits.maxCashinAmount,
    limits.minCashoutAmount,
    limits.maxCashoutAmount,
    limits.dailyCashoutLimit,
    profile.createdAt,
  ];
}

/** `merchant` is the reference under which the books are kept. */
export function profileOf(row: {
  readonly merchant: string;
  readonly record: Readonly<Record<string, unknown>>;
}): Merchant {
  const field = <T>(column: (typeof PROFILE_COLUMNS)[number]) => row.record[column] as T;
  return {
    reference: row.merchant,
    name: field('name'),
    legalName: field('legal_name'),
    country: field('country'),
    status: field('status'),
    allowedCountries: field('allowed_countries'),
    pricing: {
      cashin: { bps: field('cashin_fee_bps'), flat: field('cashin_fee_flat') },
      cashout: { bps: field('cashout_fee_bps'), flat: field('cashout_fee_flat') },
    },
    limits: {
      minCashinAmount: field('min_cashin_amount'),
      maxCashinAmount: field('max_cashin_amount'),
      minCashoutAmount: field('min_cashout_amount'),
      maxCashoutAmount: field('max_cashout_amount'),
      dailyCashoutLimit: field('daily_cashout_limit'),
    },
    createdAt: field('created_at'),
  };
}
