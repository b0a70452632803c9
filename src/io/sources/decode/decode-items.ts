// Decodes the items of a JSON list one by one, so that a bad one is refused with its own bytes and its neighbours are read.

import type { Refused } from '../../../core/domain/refusal.ts';
import type { Batch, BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import { isArray, itemsOf, wholeValue } from './json-spans.ts';
import { rejectRow } from './reject-row.ts';
import { parseStrictJson } from './strict-json.ts';

export interface ItemPlan<Row> {
  readonly part: BookPart;
  /** Begins the place of a refused row: `GET /web-merchant/reports`. */
  readonly place: string;
  readonly decode: (value: unknown) => Decoded<Row>;
}

export type Items =
  | { readonly ok: true; readonly items: readonly Uint8Array[] }
  /** `isCut`: the text ended or broke off. */
  | ({ readonly ok: false; readonly isCut: boolean } & Refused);

/** The items of a text that is one bare list; nothing else is taken for one. */
export function splitItems(bytes: Uint8Array): Items {
  const whole = wholeValue(bytes);
  if (whole === null) {
    const reason = 'it is not one whole JSON value';
    return { ok: false, isCut: true, reason, refusal: { code: 'NOT_ONE_VALUE' } };
  }
  if (!isArray(bytes, whole)) {
    return { ok: false, isCut: false, reason: 'it is not a JSON array', refusal: { code: 'NOT_A_LIST' } };
  }
  const items = itemsOf(bytes, whole);
  if (items === null) {
    return { ok: false, isCut: true, reason: 'its list is not well formed', refusal: { code: 'LIST_BROKEN' } };
  }
  return { ok: true, items: items.map(({ start, end }) => bytes.subarray(start, end)) };
}

/** In the order of the list. */
export function decodeItems<Row>(items: readonly Uint8Array[], plan: ItemPlan<Row>): Batch<Row> {
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  items.forEach((raw, index) => {
    const parsed = parseStrictJson(raw);
    const decoded = parsed.ok ? plan.decode(parsed.value) : parsed;
    if (decoded.ok) {
      rows.push(decoded.value as Row);
      return;
    }
    const place = `${plan.place} item ${index + 1}`;
    const value = parsed.ok ? { value: parsed.value } : {};
    rejected.push(rejectRow({ part: plan.part, place, refused: decoded, raw, ...value }));
  });
  return { rows, rejected };
}
