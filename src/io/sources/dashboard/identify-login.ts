// Identifies a login, for a check of the settings: the merchant that the login names, and that
// merchant's own record. Makes one attempt at each, and reads nothing else.

import { decoderOf, takeRemark } from '../../../core/domain/rows/decode-object.ts';
import { SourceFailed } from '../port/source.ts';
import { checkDashboardSettings, type DashboardSettings } from './dashboard-settings.ts';
import { askSingle, loginOf, type Session } from './session.ts';

/**
 * A merchant's own record. The document does not show its fields: each is `null` when the record
 * has no field of that name.
 */
export interface MerchantRecord {
  readonly id: string | null;
  readonly reference: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

export interface LoginIdentity {
  /** `user.merchant_id`; `null` when the login does not return it. */
  readonly merchantId: string | null;
  /** `null` when the service does not return the record. */
  readonly record: MerchantRecord | null;
}

/** Logs in, and reads the merchant's record. Throws `SourceFailed` when the login fails. */
export async function identifyLogin(
  settings: DashboardSettings,
  { merchant, stop }: { readonly merchant: string; readonly stop: AbortSignal },
): Promise<LoginIdentity> {
  checkDashboardSettings(settings);
  const once = { ...settings, retries: { ...settings.retries, attempts: 1 } };
  const session: Session = { settings: once, merchant, stop, login: null, owners: new Map() };
  const { merchantId } = await loginOf(session);
  return { merchantId, record: await askRecord(session, merchantId) };
}

async function askRecord(
  session: Session,
  merchantId: string | null,
): Promise<MerchantRecord | null> {
  const path = '/web-merchant/get-merchant-by-id';
  const query = merchantId === null ? {} : { id: merchantId };
  try {
    return (await askSingle(session, { path, query, decode: decodeRecord })).value;
  } catch (failure) {
    if (failure instanceof SourceFailed) return null;
    throw failure;
  }
}

const decodeRecord = decoderOf(
  (fields): MerchantRecord => ({
    id: takeRemark(fields, ['id']),
    reference: takeRemark(fields, ['reference']),
    name: takeRemark(fields, ['name']),
    country: takeRemark(fields, ['country']),
  }),
);
