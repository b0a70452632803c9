// Decodes the account profile (direct API, "Merchant"): prices and bounds, nested as the document nests them; by itself, how it
// is notified. Contact details and free data are left where they are.

import { MERCHANT_STATUSES, type Merchant, type Price } from '../../../core/domain/merchant.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  own,
  takeId,
  takeInstant,
  takeInteger,
  takeObject,
  takeOneOf,
  takeOptionalText,
  takeRemark,
  takeText,
  takeTexts,
} from '../../../core/rows/decode-object.ts';

export function decodeMerchant(value: unknown): Decoded<Merchant> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    reference: takeId(fields, 'reference'),
    name: takeText(fields, 'name'),
    legalName: takeRemark(fields, ['legalName']),
    country: takeText(fields, 'country'),
    status: takeOneOf(fields, 'status', MERCHANT_STATUSES),
    allowedCountries: takeTexts(fields, 'allowedCountries'),
    pricing: takeObject(fields, 'pricing', (pricing) => ({
      cashin: takePrice(pricing, 'cashin'),
      cashout: takePrice(pricing, 'cashout'),
    })),
    limits: takeObject(fields, 'limits', (limits) => ({
      minCashinAmount: takeInteger(limits, 'minCashinAmount'),
      maxCashinAmount: takeInteger(limits, 'maxCashinAmount'),
      minCashoutAmount: takeInteger(limits, 'minCashoutAmount'),
      maxCashoutAmount: takeInteger(limits, 'maxCashoutAmount'),
      dailyCashoutLimit: takeInteger(limits, 'dailyCashoutLimit'),
    })),
    createdAt: takeInstant(fields, 'createdAt'),
    ...(own(fields.row, 'webhookUrl') === null ? { isNotified: false } : {}),
  });
}

/** Where an account's notifications go, and which secret signs them: not part of any book. */
export interface Notifying {
  readonly webhookUrl: string | null;
  /** "Last eight characters of the current signing secret"; null where it is not said. */
  readonly secretHint: string | null;
}

export function decodeNotifying(value: unknown): Decoded<Notifying & Pick<Merchant, 'reference'>> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    reference: takeId(fields, 'reference'),
    webhookUrl: takeOptionalText(fields, 'webhookUrl'),
    secretHint: takeOptionalText(fields, 'webhookSecretHint'),
  });
}

function takePrice(pricing: Fields, way: 'cashin' | 'cashout'): Price {
  return { bps: takeInteger(pricing, `${way}FeeBps`), flat: takeInteger(pricing, `${way}FeeFlat`) };
}
