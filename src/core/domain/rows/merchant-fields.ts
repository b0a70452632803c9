// The fields of an account profile (direct API, "Merchant") as a flat row, and the profile that is
// made of such a row. Contact details and free data are not read.

import type { Amount } from '../amount.ts';
import { MERCHANT_STATUSES, type Merchant } from '../merchant.ts';
import { createDecoder, type Decoded, fieldsOf, own } from './decode-object.ts';
import {
  type FieldsOf,
  id,
  instant,
  integer,
  namedFields,
  oneOf,
  remark,
  text,
  texts,
} from './field.ts';

export interface MerchantRow
  extends Readonly<Record<keyof Pricing, Amount>>,
    Readonly<Record<keyof Limits, Amount>>,
    Pick<
      Merchant,
      'reference' | 'name' | 'legalName' | 'country' | 'status' | 'allowedCountries' | 'createdAt'
    > {}

type Limits = Merchant['limits'];
type Pricing = Record<
  'cashinFeeBps' | 'cashinFeeFlat' | 'cashoutFeeBps' | 'cashoutFeeFlat',
  Amount
>;

const inside = (object: 'pricing' | 'limits', name: string) => ({
  ...integer(),
  path: [object, name],
});

const FIELDS: FieldsOf<MerchantRow> = {
  reference: id(),
  name: text(),
  country: text(),
  status: oneOf(MERCHANT_STATUSES),
  allowedCountries: texts(),
  cashinFeeBps: inside('pricing', 'cashinFeeBps'),
  cashinFeeFlat: inside('pricing', 'cashinFeeFlat'),
  cashoutFeeBps: inside('pricing', 'cashoutFeeBps'),
  cashoutFeeFlat: inside('pricing', 'cashoutFeeFlat'),
  minCashinAmount: inside('limits', 'minCashinAmount'),
  maxCashinAmount: inside('limits', 'maxCashinAmount'),
  minCashoutAmount: inside('limits', 'minCashoutAmount'),
  maxCashoutAmount: inside('limits', 'maxCashoutAmount'),
  dailyCashoutLimit: inside('limits', 'dailyCashoutLimit'),
  createdAt: instant(),
  legalName: remark(),
};

export const MERCHANT_FIELDS = namedFields(FIELDS);

const decodeRow = createDecoder<MerchantRow>({ fields: MERCHANT_FIELDS });

export function decodeMerchant(value: unknown): Decoded<Merchant> {
  const decoded = decodeRow(value);
  if (!decoded.ok) return decoded;
  const isUnnotified = own(fieldsOf(value).row, 'webhookUrl') === null;
  return {
    ok: true,
    value: { ...merchantOf(decoded.value), ...(isUnnotified ? { isNotified: false } : {}) },
  };
}

export function merchantOf(row: MerchantRow): Merchant {
  const { cashinFeeBps, cashinFeeFlat, cashoutFeeBps, cashoutFeeFlat, ...others } = row;
  const {
    minCashinAmount,
    maxCashinAmount,
    minCashoutAmount,
    maxCashoutAmount,
    dailyCashoutLimit,
    ...rest
  } = others;
  return {
    ...rest,
    pricing: {
      cashin: { bps: cashinFeeBps, flat: cashinFeeFlat },
      cashout: { bps: cashoutFeeBps, flat: cashoutFeeFlat },
    },
    limits: {
      minCashinAmount,
      maxCashinAmount,
      minCashoutAmount,
      maxCashoutAmount,
      dailyCashoutLimit,
    },
  };
}

export function rowOfMerchant({ pricing, limits, isNotified: _, ...rest }: Merchant): MerchantRow {
  return {
    ...rest,
    ...limits,
    cashinFeeBps: pricing.cashin.bps,
    cashinFeeFlat: pricing.cashin.flat,
    cashoutFeeBps: pricing.cashout.bps,
    cashoutFeeFlat: pricing.cashout.flat,
  };
}
