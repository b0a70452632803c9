// payouts.json: what the dashboard answers of payouts and counts, each answer under the last words of its endpoint, as it was
// served. A name that the file does not have has no answer; an answer that cannot be read is refused by its name.

import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { type Decoded, fieldsOf, own } from '../../../core/rows/decode-object.ts';
import { askPayouts } from '../decode/decode-payouts.ts';
import { rejectRow } from '../decode/decode-row.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { readWholeFile } from './book-file.ts';

export const PAYOUTS = 'payouts.json';

interface Answers {
  readonly row: Readonly<Record<string, unknown>>;
  readonly rejected: readonly RejectedRow[];
}

/** The first question reads the file, once. */
export function filedPayouts(folder: string): PayoutPlace {
  let reading: Promise<Answers> | null = null;
  const one = async <Value>(name: string, decode: (value: unknown) => Decoded<Value>): Promise<Answered<Value>> => {
    reading ??= readAnswers(folder);
    const { row, rejected } = await reading;
    const value = own(row, name);
    if (value === undefined) return { value: null, rejected, absent: null };
    const decoded = decode(value);
    if (decoded.ok) return { value: decoded.value as Value, rejected, absent: null };
    return { value: null, rejected: [...rejected, refused(name, decoded)], absent: null };
  };
  return {
    isCopy: true,
    ...askPayouts({ one, many: (name, decode) => one(name, (value) => decodeList(value, decode)) }),
  };
}

/** The first row that cannot be read refuses the list: no figures are held against half of one. */
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

async function readAnswers(folder: string): Promise<Answers> {
  const file = await readWholeFile(folder, PAYOUTS);
  if (file.state === 'absent') return { row: {}, rejected: [] };
  if (file.state === 'unreadable') return { row: {}, rejected: [refused(null, file)] };
  const parsed = parseStrictJson(file.bytes);
  const fields = parsed.ok ? fieldsOf(parsed.value) : null;
  const fault = parsed.ok ? fields!.fault : parsed;
  return { row: fields?.row ?? {}, rejected: fault === null ? [] : [refused(null, fault)] };
}

/** No bytes are kept: the compliance file holds identity papers. */
function refused(name: string | null, { reason, refusal }: Refused): RejectedRow {
  const place = name === null ? PAYOUTS : `${PAYOUTS} ${name}`;
  return rejectRow({ part: 'payouts', place, refused: { reason, refusal }, raw: '' });
}
