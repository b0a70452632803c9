// Decodes the items of a JSON list one by one, so that a bad one is refused with its own bytes and its neighbours are read.

import type { Refused } from '../../../core/domain/refusal.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodeRow, type RowForm } from './decode-row.ts';
import { isArray, itemsOf, wholeValue } from './json-spans.ts';

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

/** In the order of the list. `plan.place` begins the place of each refused row. */
export function decodeItems<Row>(items: readonly Uint8Array[], plan: RowForm<Row>): Batch<Row> {
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  items.forEach((raw, index) => {
    const { row, refused } = decodeRow(raw, { ...plan, place: `${plan.place} item ${index + 1}` });
    if (refused === null) rows.push(row);
    else rejected.push(refused);
  });
  return { rows, rejected };
}
