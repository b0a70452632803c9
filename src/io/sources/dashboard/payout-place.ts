// Payouts as the dashboard API answers them: each question by itself, so that one which a service does not answer, or answers in
// a form that is not known, leaves the others to be used.

import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { NotChecked, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import { decodeDelivery } from '../decode/decode-delivery.ts';
import {
  decodeBalance,
  decodeDisbursements,
  decodePayout,
  decodePayoutAccount,
  decodePayoutLimits,
  decodeSettlement,
} from '../decode/decode-payouts.ts';
import { decodeCounts, decodeDailyFlow, decodeMonthlyCounts } from '../decode/decode-statistics.ts';
import { SourceFailed } from '../port/source.ts';
import { askRows, askSingle } from './ask-rows.ts';
import type { Session } from './session.ts';

const BASE = '/web-merchant';
/** More than the service may list; what it lists of fewer is all. */
const MOST_DELIVERIES = '500';

/** Codes of a question that is refused by itself: the place may answer the others. */
const REFUSED_ALONE: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'FORBIDDEN',
  'UNREADABLE_ANSWER',
  'ANSWER_TOO_LARGE',
  'REFUSED',
]);

export function payoutPlace(session: Session): PayoutPlace {
  const one = <Value>(path: string, decode: (value: unknown) => Decoded<Value>) =>
    answered(path, async () => {
      const { value, rejected } = await askSingle(session, { path: `${BASE}${path}`, decode });
      return { value, rejected: rejected === null ? [] : [rejected] };
    });
  const many = <Row>(path: string, decode: (value: unknown) => Decoded<Row>, query = {}) =>
    answered(path, async () => {
      const place = `GET ${BASE}${path}`;
      const answer = await askRows(session, { path: `${BASE}${path}`, query, part: 'payouts', place, decode });
      if (answer.kind === 'too-large') throw answer.failure;
      // A list that lacks a row is no list to hold figures against.
      return { value: answer.rejected.length > 0 ? null : answer.rows, rejected: answer.rejected };
    });
  return {
    limits: () => one('/compliance', decodePayoutLimits),
    counters: () => one('/refunds-stats', decodeDisbursements),
    balance: () => one('/get-balance', decodeBalance),
    list: () => many('/list-disbursements', decodePayout),
    accounts: () => many('/payout-accounts', decodePayoutAccount),
    settlement: () => one('/settlement-settings', decodeSettlement),
    statistics: async () => {
      const counts = await one('/merchants-transactions-count', decodeCounts);
      const months = await many('/merchants-monthly-transactions-count', decodeMonthlyCounts);
      const days = await many('/merchants-transactions-flow', decodeDailyFlow);
      return {
        value: { counts: counts.value, months: months.value, days: days.value },
        rejected: [...counts.rejected, ...months.rejected, ...days.rejected],
        absent: counts.absent ?? months.absent ?? days.absent,
      };
    },
    deliveries: () => many('/webhooks/failed', decodeDelivery, { limit: MOST_DELIVERIES }),
  };
}

async function answered<Value>(
  path: string,
  asked: () => Promise<{ readonly value: Value | null; readonly rejected: readonly RejectedRow[] }>,
): Promise<Answered<Value>> {
  try {
    return { ...(await asked()), absent: null };
  } catch (failure) {
    if (!(failure instanceof SourceFailed) || !REFUSED_ALONE.has(failure.code)) throw failure;
    return { value: null, rejected: [], absent: notAnswered(path, failure) };
  }
}

function notAnswered(path: string, { code, message }: SourceFailed): NotChecked {
  const reason = `${code}: ${message}`;
  return {
    what: `payouts ${path.slice(1)}`,
    why: reason,
    incomplete: false,
    code: 'PAYOUTS_NOT_ANSWERED',
    figures: { reason },
  };
}
