// Decodes what the dashboard says of payouts: the monthly ceiling (dashboard API, "Compliance file", `limits`), the counters of
// requests, the settlement settings, and the balance and lists that it does not show. Figures that disagree with each other pass.

import {
  COMPLIANCE_STATUSES,
  type ComplianceStatus,
  type DisbursementCounters,
  type LinkBalance,
  PAYOUT_STATUSES,
  type Payout,
  type PayoutAccount,
  type PayoutLimits,
  SETTLEMENT_MODES,
  type SettlementSettings,
} from '../../../core/domain/published/payout.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  refuse,
  takeFlag,
  takeId,
  takeInstant,
  takeInteger,
  takeNatural,
  takeObject,
  takeOneOf,
  takeOptionalInstant,
  takeOptionalText,
} from '../../../core/rows/decode-object.ts';
import { takeDecimal, takeNamed, takeOptionalDecimal, takeWhole } from './take-named.ts';

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** `value` is the answer of the compliance endpoint: a compliance file, what it still wants, and `limits`. */
export function decodePayoutLimits(value: unknown): Decoded<PayoutLimits> {
  const fields = fieldsOf(value);
  const compliance = takeCompliance(fields);
  return decodedFrom(
    fields,
    takeObject(fields, 'limits', (limits) => ({
      ceiling: takeNatural(limits, 'plafond'),
      used: takeNatural(limits, 'consomme'),
      // Below zero where more was paid out than the ceiling allows: to judge that is not the decoder's business.
      remaining: takeInteger(limits, 'restant'),
      compliance,
    })),
  );
}

/** Null where no file was deposited yet. Nothing else of it is read: it holds identity papers. */
function takeCompliance(fields: Fields): ComplianceStatus | null {
  if (isNothing(own(fields.row, 'compliance'))) return null;
  return takeObject(fields, 'compliance', (file) =>
    isNothing(own(file.row, 'status')) ? null : takeOneOf(file, 'status', COMPLIANCE_STATUSES),
  );
}

export function decodeDisbursements(value: unknown): Decoded<DisbursementCounters> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    succeeded: takeNatural(fields, 'requestSuccess'),
    pending: takeNatural(fields, 'requestPending'),
    failed: takeNatural(fields, 'requestFailed'),
  });
}

/** "A balance is returned as a decimal string": bare, or under `balance`. */
export function decodeBalance(value: unknown): Decoded<LinkBalance> {
  const fields = fieldsOf(typeof value === 'string' ? { balance: value } : value);
  return decodedFrom(fields, { balance: takeDecimal(fields, 'balance') });
}

export function decodeSettlement(value: unknown): Decoded<SettlementSettings> {
  const fields = fieldsOf(value);
  const fees = isNothing(own(fields.row, 'fees'))
    ? { mobileMoneyRate: null, bankFixed: null }
    : takeObject(fields, 'fees', (inner) => ({
        mobileMoneyRate: takeOptionalDecimal(inner, 'mobileMoneyRate'),
        bankFixed: takeOptionalDecimal(inner, 'bankFixed'),
      }));
  return decodedFrom(fields, {
    mode: takeOneOf(fields, 'mode', SETTLEMENT_MODES),
    time: takeTime(fields),
    timezone: takeOptionalText(fields, 'timezone'),
    lastSettlementAt: takeOptionalInstant(fields, 'lastSettlementAt'),
    hasPrimaryAccount: takeFlag(fields, 'hasPrimaryAccount'),
    primaryAccountType: takeOptionalText(fields, 'primaryAccountType'),
    ...fees,
  });
}

function takeTime(fields: Fields): string | null {
  const time = takeOptionalText(fields, 'time');
  return time === null || TIME.test(time) ? time : refuse(fields, 'time', 'time_of_day', null);
}

export function decodePayout(value: unknown): Decoded<Payout> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    id: takeNamed(fields, ['id', 'reference'], takeId),
    reference: takeOptionalText(fields, 'reference'),
    amount: takeNamed(fields, ['amount', 'montant'], takeWhole),
    fees: takeNamed(fields, ['fees', 'fee', 'frais'], takeOptionalDecimal),
    status: takeOneOf(fields, 'status', PAYOUT_STATUSES),
    mode: takeOptionalText(fields, 'mode'),
    payoutAccountId: takeNamed(fields, ['payoutAccountId', 'payout_account_id'], takeOptionalText),
    accountType: takeNamed(fields, ['accountType', 'account_type'], takeOptionalText),
    createdAt: takeNamed(fields, ['createdAt', 'created_at', 'requestedAt'], takeInstant),
    completedAt: takeNamed(fields, ['completedAt', 'completed_at', 'processedAt'], takeOptionalInstant),
    failureReason: takeNamed(fields, ['failureReason', 'failure_reason'], takeOptionalText),
  });
}

export function decodePayoutAccount(value: unknown): Decoded<PayoutAccount> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    id: takeId(fields, 'id'),
    type: takeId(fields, 'type'),
    isPrimary: takeNamed(fields, ['isPrimary', 'is_primary', 'primary'], takeFlag),
    createdAt: takeNamed(fields, ['createdAt', 'created_at'], takeOptionalInstant),
  });
}
