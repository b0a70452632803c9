// What a service publishes of payouts, and of payments by link as counts and failed deliveries
// (dashboard API): the requests, and the decoders of their answers. Figures that disagree with each
// other are read, because judging them is the task of the checks.

import type { Amount } from '../../../core/domain/amount.ts';
import { asDecimal, decimalText } from '../../../core/domain/decimal.ts';
import { DELIVERY_STATUSES } from '../../../core/domain/notification.ts';
import type { FailedDelivery } from '../../../core/domain/published/failed-delivery.ts';
import {
  COMPLIANCE_STATUSES,
  type ComplianceStatus,
  type DailyFlow,
  type DisbursementCounters,
  type LinkBalance,
  type MonthlyCounts,
  PAYOUT_STATUSES,
  type PaymentCounts,
  type Payout,
  type PayoutAccount,
  type PayoutLimits,
  SETTLEMENT_MODES,
  type SettlementSettings,
} from '../../../core/domain/published/payout.ts';
import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import {
  type Decoded,
  decoderOf,
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
} from '../../../core/domain/rows/decode-object.ts';
import { parseStrictJsonText } from './strict-json.ts';

type Decode<Value> = (value: unknown) => Decoded<Value>;

/**
 * How a source answers: `one` returns an object, `many` a list. `name` is the last part of the
 * endpoint's path.
 */
export interface PayoutAnswers {
  one<Value>(name: string, decode: Decode<Value>): Promise<Answered<Value>>;
  many<Row>(
    name: string,
    decode: Decode<Row>,
    query?: Readonly<Record<string, string>>,
  ): Promise<Answered<readonly Row[]>>;
}

/** More deliveries than a service is expected to list. If it returns fewer, the list is whole. */
const MOST_DELIVERIES = '500';

export function askPayouts({ one, many }: PayoutAnswers): PayoutPlace {
  return {
    limits: () => one('compliance', decodePayoutLimits),
    counters: () => one('refunds-stats', decodeDisbursements),
    balance: () => one('get-balance', decodeBalance),
    list: () => many('list-disbursements', decodePayout),
    accounts: () => many('payout-accounts', decodePayoutAccount),
    settlement: () => one('settlement-settings', decodeSettlement),
    statistics: async () => {
      const counts = await one('merchants-transactions-count', decodeCounts);
      const months = await many('merchants-monthly-transactions-count', decodeMonthlyCounts);
      const days = await many('merchants-transactions-flow', decodeDailyFlow);
      return {
        value: { counts: counts.value, months: months.value, days: days.value },
        rejected: [...counts.rejected, ...months.rejected, ...days.rejected],
        absent: counts.absent ?? months.absent ?? days.absent,
      };
    },
    deliveries: () => many('webhooks/failed', decodeDelivery, { limit: MOST_DELIVERIES }),
  };
}

/**
 * Decodes the answer of the compliance endpoint: a compliance file, what is still missing in it,
 * and `limits`.
 */
const decodePayoutLimits = decoderOf((fields): PayoutLimits => {
  const compliance = takeCompliance(fields);
  return takeObject(fields, 'limits', (limits) => ({
    ceiling: takeNatural(limits, 'plafond'),
    used: takeNatural(limits, 'consomme'),
    // Below zero when more was paid out than the ceiling allows.
    remaining: takeInteger(limits, 'restant'),
    compliance,
  }));
});

/**
 * Takes the status of the compliance file; `null` when none was deposited. Nothing else of the file
 * is read, because it holds identity papers.
 */
function takeCompliance(fields: Fields): ComplianceStatus | null {
  if (isNothing(own(fields.row, 'compliance'))) return null;
  return takeObject(fields, 'compliance', (file) =>
    isNothing(own(file.row, 'status')) ? null : takeOneOf(file, 'status', COMPLIANCE_STATUSES),
  );
}

const decodeDisbursements = decoderOf(
  (fields): DisbursementCounters => ({
    succeeded: takeNatural(fields, 'requestSuccess'),
    pending: takeNatural(fields, 'requestPending'),
    failed: takeNatural(fields, 'requestFailed'),
  }),
);

const decodeNamedBalance = decoderOf(
  (fields): LinkBalance => ({ balance: takeDecimal(fields, 'balance') }),
);

/**
 * Decodes "a balance is returned as a decimal string", which may stand alone, or under `balance`.
 */
export const decodeBalance: Decode<LinkBalance> = (value) =>
  decodeNamedBalance(typeof value === 'string' ? { balance: value } : value);

export const decodeSettlement = decoderOf((fields): SettlementSettings => {
  const fees = isNothing(own(fields.row, 'fees'))
    ? { mobileMoneyRate: null, bankFixed: null }
    : takeObject(fields, 'fees', (inner) => ({
        mobileMoneyRate: takeOptionalDecimal(inner, 'mobileMoneyRate'),
        bankFixed: takeOptionalDecimal(inner, 'bankFixed'),
      }));
  return {
    mode: takeOneOf(fields, 'mode', SETTLEMENT_MODES),
    time: takeTime(fields),
    timezone: takeOptionalText(fields, 'timezone'),
    lastSettlementAt: takeOptionalInstant(fields, 'lastSettlementAt'),
    hasPrimaryAccount: takeFlag(fields, 'hasPrimaryAccount'),
    primaryAccountType: takeOptionalText(fields, 'primaryAccountType'),
    ...fees,
  };
});

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

function takeTime(fields: Fields): string | null {
  const time = takeOptionalText(fields, 'time');
  return time === null || TIME.test(time) ? time : refuse(fields, 'time', 'time_of_day', null);
}

const decodePayout = decoderOf(
  (fields): Payout => ({
    id: takeNamed(fields, ['id', 'reference'], takeId),
    reference: takeOptionalText(fields, 'reference'),
    amount: takeNamed(fields, ['amount', 'montant'], takeWhole),
    fees: takeNamed(fields, ['fees', 'fee', 'frais'], takeOptionalDecimal),
    status: takeOneOf(fields, 'status', PAYOUT_STATUSES),
    mode: takeOptionalText(fields, 'mode'),
    payoutAccountId: takeNamed(fields, ['payoutAccountId', 'payout_account_id'], takeOptionalText),
    accountType: takeNamed(fields, ['accountType', 'account_type'], takeOptionalText),
    createdAt: takeNamed(fields, ['createdAt', 'created_at', 'requestedAt'], takeInstant),
    completedAt: takeNamed(
      fields,
      ['completedAt', 'completed_at', 'processedAt'],
      takeOptionalInstant,
    ),
    failureReason: takeNamed(fields, ['failureReason', 'failure_reason'], takeOptionalText),
  }),
);

const decodePayoutAccount = decoderOf(
  (fields): PayoutAccount => ({
    id: takeId(fields, 'id'),
    type: takeId(fields, 'type'),
    isPrimary: takeNamed(fields, ['isPrimary', 'is_primary', 'primary'], takeFlag),
    createdAt: takeNamed(fields, ['createdAt', 'created_at'], takeOptionalInstant),
  }),
);

const decodeCounts = decoderOf(takeCounts);

function takeCounts(fields: Fields): PaymentCounts {
  return {
    total: takeNatural(fields, 'total'),
    succeeded: takeNamed(fields, ['success', 'succeeded'], takeNatural),
    pending: takeNatural(fields, 'pending'),
    failed: takeNatural(fields, 'failed'),
  };
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
/** Matches a day, and a date-time at the beginning of a day, which is read as that day. */
const DAY = /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:T00:00:00(?:\.0+)?Z)?$/;

const decodeMonthlyCounts = decoderOf((fields): MonthlyCounts => {
  const name = nameIn(fields, ['month', 'period']);
  const month = takeId(fields, name);
  if (!MONTH.test(month)) refuse(fields, name, 'month', '');
  const amount = isNothing(own(fields.row, 'amount')) ? null : takeWhole(fields, 'amount');
  return { month, ...takeCounts(fields), amount };
});

export const decodeDailyFlow = decoderOf((fields): DailyFlow => {
  const name = Object.hasOwn(fields.row, 'date') ? 'date' : 'day';
  const date = DAY.exec(takeId(fields, name))?.[1] ?? refuse(fields, name, 'day', '');
  return {
    date,
    count: takeNamed(fields, ['count', 'total'], takeNatural),
    amount: takeWhole(fields, 'amount'),
  };
});

/**
 * Decodes a delivery that a service lists as failed or given up. Of its payload, only the
 * reference, the state and the amount are read.
 */
export const decodeDelivery = decoderOf((fields): FailedDelivery => {
  const claim = claimIn(own(fields.row, 'payload'));
  return {
    id: takeId(fields, 'id'),
    status: takeNamed(fields, ['status', 'state'], (row, name) =>
      takeOneOf(row, name, DELIVERY_STATUSES),
    ),
    // The payload comes first, because the row itself may have a reference of its own.
    reference:
      claim.reference ?? takeNamed(fields, ['reference', 'operationReference'], takeOptionalText),
    outcome: claim.outcome,
    amount: claim.amount,
    attempts: takeNamed(fields, ['attempts', 'attemptCount'], takeOptionalNatural),
    lastStatus: takeNamed(
      fields,
      ['lastStatusCode', 'lastStatus', 'statusCode'],
      takeOptionalNatural,
    ),
    nextRetryAt: takeOptionalInstant(fields, 'nextRetryAt'),
    createdAt: takeOptionalInstant(fields, 'createdAt'),
  };
});

function takeOptionalNatural(fields: Fields, name: string): number | null {
  return isNothing(own(fields.row, name)) ? null : takeNatural(fields, name);
}

/** Reads the body of a notification of either API, which is an object or the text that was sent. */
function claimIn(payload: unknown): Pick<FailedDelivery, 'reference' | 'outcome' | 'amount'> {
  const parsed = typeof payload === 'string' ? parseStrictJsonText(payload) : null;
  const body = fieldsOf(parsed === null ? payload : parsed.ok ? parsed.value : null).row;
  const about = fieldsOf(own(fieldsOf(own(body, 'data')).row, 'operation') ?? body).row;
  const [reference, outcome, amount] = ['reference', 'status', 'amount'].map((name) =>
    own(about, name),
  );
  return {
    reference: typeof reference === 'string' ? reference.slice(0, 200) : null,
    outcome: typeof outcome === 'string' ? outcome.slice(0, 80) : null,
    amount: typeof amount === 'number' && Number.isSafeInteger(amount) ? amount : null,
  };
}

// Fields of records that the document does not show: each is taken under the first name of a closed
// list that the row has. A row that has none of the names is refused under the first.

/** The names of one field, the likeliest first. */
type Names = readonly [string, ...string[]];

function nameIn(fields: Fields, names: Names): string {
  return names.find((name) => Object.hasOwn(fields.row, name)) ?? names[0];
}

function takeNamed<Value>(
  fields: Fields,
  names: Names,
  take: (fields: Fields, name: string) => Value,
): Value {
  return take(fields, nameIn(fields, names));
}

/** Takes a number or a text as decimal text without trailing zeros; nothing is rounded. */
function takeDecimal(fields: Fields, name: string): string {
  const decimal = asDecimal(own(fields.row, name));
  return decimal === null ? refuse(fields, name, 'decimal', '0') : decimalText(decimal);
}

function takeOptionalDecimal(fields: Fields, name: string): string | null {
  return isNothing(own(fields.row, name)) ? null : takeDecimal(fields, name);
}

/** Takes a whole amount, which may be written as a decimal text: `"125000.00"`. */
function takeWhole(fields: Fields, name: string): Amount {
  const decimal = asDecimal(own(fields.row, name));
  if (decimal === null || !decimal.isInteger()) return refuse(fields, name, 'integer', 0);
  const amount = decimal.toNumber();
  return Number.isSafeInteger(amount) ? amount + 0 : refuse(fields, name, 'safe_integer', 0);
}
