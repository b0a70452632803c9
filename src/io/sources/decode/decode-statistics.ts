// Decodes the counts of payments by link that the dashboard states, whose forms its document does not show.

import type { DailyFlow, MonthlyCounts, PaymentCounts } from '../../../core/domain/published/payout.ts';
import {
  type Decoded,
  decodedFrom,
  type Fields,
  fieldsOf,
  isNothing,
  own,
  refuse,
  takeId,
  takeNatural,
} from '../../../core/rows/decode-object.ts';
import { takeNamed, takeWhole } from './take-named.ts';

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;
/** A date-time at the beginning of its day is that day. */
const DAY = /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?:T00:00:00(?:\.0+)?Z)?$/;

export function decodeCounts(value: unknown): Decoded<PaymentCounts> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, takeCounts(fields));
}

export function decodeMonthlyCounts(value: unknown): Decoded<MonthlyCounts> {
  const fields = fieldsOf(value);
  const month = takeNamed(fields, ['month', 'period'], takeId);
  if (!MONTH.test(month)) refuse(fields, Object.hasOwn(fields.row, 'month') ? 'month' : 'period', 'month', '');
  return decodedFrom(fields, {
    month,
    ...takeCounts(fields),
    amount: isNothing(own(fields.row, 'amount')) ? null : takeWhole(fields, 'amount'),
  });
}

export function decodeDailyFlow(value: unknown): Decoded<DailyFlow> {
  const fields = fieldsOf(value);
  const name = Object.hasOwn(fields.row, 'date') ? 'date' : 'day';
  const date = DAY.exec(takeId(fields, name))?.[1] ?? refuse(fields, name, 'day', '');
  return decodedFrom(fields, {
    date,
    count: takeNamed(fields, ['count', 'total'], takeNatural),
    amount: takeWhole(fields, 'amount'),
  });
}

function takeCounts(fields: Fields): PaymentCounts {
  return {
    total: takeNatural(fields, 'total'),
    succeeded: takeNamed(fields, ['success', 'succeeded'], takeNatural),
    pending: takeNatural(fields, 'pending'),
    failed: takeNatural(fields, 'failed'),
  };
}
