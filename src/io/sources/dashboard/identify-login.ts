// Identifies a login, for a check of the settings: the merchant that the login names, and that
// merchant's own record. One attempt each; reads nothing else.

import { decoderOf, takeRemark } from '../../../core/domain/rows/decode-object.ts';
import { SourceFailed } from '../port/source.ts';
import { checkDashboardSettings, type DashboardSettings } from './dashboard-settings.ts';
import { askSingle, loginOf, type Session } from './session.ts';

/** The fields of the record are not shown: each is null where it has none of that name. */
export interface MerchantRecord {
  readonly id: string | null;
  readonly reference: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

export interface LoginIdentity {
  /** `user.merchant_id`; null where the login does not give it. */
  readonly merchantId: string | null;
  /** Null where the service does not give it. */
  readonly record: MerchantRecord | null;
}

/** Throws `SourceFailed` when the login fails. */
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
