// Reads the bytes of one row: the row in the domain's words, or the record of its refusal with the bytes as they came.

import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import { rejectRow } from './reject-row.ts';
import { parseStrictJson } from './strict-json.ts';

export interface RowForm<Row> {
  readonly part: BookPart;
  /** Stable between readings: `GET /ledger offset 200`. */
  readonly place: string;
  readonly decode: (value: unknown) => Decoded<Row>;
}

export type DecodedRow<Row> =
  | { readonly row: Row; readonly refused: null }
  | { readonly row: null; readonly refused: RejectedRow };

export function decodeRow<Row>(raw: Uint8Array, { part, place, decode }: RowForm<Row>): DecodedRow<Row> {
  const parsed = parseStrictJson(raw);
  const decoded = parsed.ok ? decode(parsed.value) : parsed;
  if (decoded.ok) return { row: decoded.value as Row, refused: null };
  const value = parsed.ok ? { value: parsed.value } : {};
  return { row: null, refused: rejectRow({ part, place, refused: decoded, raw, ...value }) };
}
