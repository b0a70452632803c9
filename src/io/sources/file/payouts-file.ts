// payouts.json: what the dashboard answers of payouts and counts, each answer under a name of its own, as it was served. What the
// file does not have is not there; what it has and cannot be read is refused by its name.

import type { FailedDelivery } from '../../../core/domain/published/failed-delivery.ts';
import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { type Decoded, fieldsOf, own } from '../../../core/rows/decode-object.ts';
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
import { rejectRow } from '../decode/reject-row.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { readWholeFile } from './whole-file.ts';

export const PAYOUTS = 'payouts.json';

/** The names of the answers: those of the endpoints' last words. */
const NAMES = {
  limits: 'compliance',
  counters: 'refunds-stats',
  balance: 'get-balance',
  list: 'list-disbursements',
  accounts: 'payout-accounts',
  settlement: 'settlement-settings',
  counts: 'merchants-transactions-count',
  months: 'merchants-monthly-transactions-count',
  days: 'merchants-transactions-flow',
  deliveries: 'webhooks/failed',
} as const;

type Read = Omit<Answered<never>, 'value'> & { readonly row: Readonly<Record<string, unknown>> };

/** The file is read once, when the first answer is asked for. */
export function filedPayouts(folder: string): PayoutPlace {
  let opened: Promise<Read> | null = null;
  const open = (): Promise<Read> => {
    opened ??= readFile(folder);
    return opened;
  };
  const one = async <Value>(name: string, decode: (value: unknown) => Decoded<Value>): Promise<Answered<Value>> => {
    const { row, rejected } = await open();
    const value = own(row, name);
    if (value === undefined) return { value: null, rejected, absent: null };
    const decoded = decode(value);
    if (decoded.ok) return { value: decoded.value as Value, rejected, absent: null };
    return { value: null, rejected: [...rejected, refused(name, decoded)], absent: null };
  };
  const many = <Row>(name: string, decode: (value: unknown) => Decoded<Row>): Promise<Answered<readonly Row[]>> =>
    one(name, (value) => decodeList(value, decode));
  return {
    isCopy: true,
    limits: () => one(NAMES.limits, decodePayoutLimits),
    counters: () => one(NAMES.counters, decodeDisbursements),
    balance: () => one(NAMES.balance, decodeBalance),
    list: () => many(NAMES.list, decodePayout),
    accounts: () => many(NAMES.accounts, decodePayoutAccount),
    settlement: () => one(NAMES.settlement, decodeSettlement),
    statistics: async () => {
      const counts = await one(NAMES.counts, decodeCounts);
      const months = await many(NAMES.months, decodeMonthlyCounts);
      const days = await many(NAMES.days, decodeDailyFlow);
      return {
        value: { counts: counts.value, months: months.value, days: days.value },
        rejected: [...counts.rejected, ...months.rejected, ...days.rejected],
        absent: null,
      };
    },
    deliveries: () => many<FailedDelivery>(NAMES.deliveries, decodeDelivery),
  };
}

/** The first row that cannot be read refuses the list: half of one is nothing to hold figures against. */
function decodeList<Row>(value: unknown, decode: (row: unknown) => Decoded<Row>): Decoded<readonly Row[]> {
  if (!Array.isArray(value)) {
    return { ok: false, reason: 'it is not a JSON array', refusal: { code: 'NOT_A_LIST' } };
  }
  const rows: Row[] = [];
  for (const one of value) {
    const decoded = decode(one);
    if (!decoded.ok) return decoded;
    rows.push(decoded.value as Row);
  }
  return { ok: true, value: rows };
}

async function readFile(folder: string): Promise<Read> {
  const file = await readWholeFile(folder, PAYOUTS);
  if (file.state === 'absent') return { row: {}, rejected: [], absent: null };
  if (file.state === 'unreadable') return { row: {}, rejected: [refused(null, file)], absent: null };
  const parsed = parseStrictJson(file.bytes);
  const fields = parsed.ok ? fieldsOf(parsed.value) : null;
  const fault = parsed.ok ? fields!.fault : parsed;
  return { row: fields?.row ?? {}, rejected: fault === null ? [] : [refused(null, fault)], absent: null };
}

/** No bytes are kept: the compliance file holds identity papers. */
function refused(name: string | null, why: Refused): RejectedRow {
  const place = name === null ? PAYOUTS : `${PAYOUTS} ${name}`;
  const { reason, refusal } = why;
  return rejectRow({ part: 'payouts', place, refused: { reason, refusal }, raw: '' });
}
