// One answer of the dashboard API as rows: a list, each item decoded or refused with its own bytes, or a single object.

import type { Single } from '../../domain/dashboard-reading.ts';
import type { Batch, BookPart, RejectedRow } from '../../domain/reading.ts';
import type { Decoded } from '../decode/decoded.ts';
import { rejectRow } from '../decode/reject-row.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import type { SourceFailed } from '../source.ts';
import { cut, type Found, unknown } from '../web/found.ts';
import { isArray, itemsOf, wholeValue } from '../web/json-spans.ts';
import { askWithToken, type Session } from './session.ts';

export interface WantedRows<Row> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly part: BookPart;
  /** Begins the place of a refused row: `GET /web-merchant/reports`. */
  readonly place: string;
  readonly decode: (value: unknown) => Decoded<Row>;
}

/** The rows in served order, or the failure of an answer that passed the size cap. */
export async function askRows<Row>(
  session: Session,
  wanted: WantedRows<Row>,
): Promise<({ readonly kind: 'read' } & Batch<Row>) | { readonly kind: 'too-large'; readonly failure: SourceFailed }> {
  const answer = await askWithToken(session, { path: wanted.path, query: wanted.query, read: readItems });
  if (answer.kind === 'too-large') return answer;
  const rows: Row[] = [];
  const rejected: RejectedRow[] = [];
  answer.value.forEach((raw, index) => {
    const parsed = parseStrictJson(raw);
    const decoded = parsed.ok ? wanted.decode(parsed.value) : parsed;
    if (decoded.ok) {
      rows.push(decoded.value as Row);
      return;
    }
    const place = `${wanted.place} item ${index + 1}`;
    const value = parsed.ok ? { value: parsed.value } : {};
    rejected.push(rejectRow({ part: wanted.part, place, reason: decoded.reason, raw, ...value }));
  });
  return { kind: 'read', rows, rejected };
}

/** "Array of Reports", "array of Payments": the document shows lists bare, so nothing else is taken for one. */
function readItems(body: Uint8Array): Found<readonly Uint8Array[]> {
  const whole = wholeValue(body);
  if (whole === null) return cut('the body is not one whole JSON value');
  if (!isArray(body, whole)) return unknown('the body is not a JSON array');
  const items = itemsOf(body, whole);
  if (items === null) return cut('its list is not well formed');
  return { ok: true, value: items.map(({ start, end }) => body.subarray(start, end)) };
}

/** The object's bytes are not kept when it is refused: a compliance file holds identity papers. */
export async function askSingle<Value>(
  session: Session,
  wanted: { readonly path: string; readonly decode: (value: unknown) => Decoded<Value> },
): Promise<Single<Value>> {
  const read = (body: Uint8Array): Found<Decoded<Value>> => {
    const parsed = parseStrictJson(body);
    if (!parsed.ok && wholeValue(body) === null) return cut('the body is not one whole JSON value');
    return { ok: true, value: parsed.ok ? wanted.decode(parsed.value) : parsed };
  };
  const answer = await askWithToken(session, { path: wanted.path, query: {}, read });
  if (answer.kind === 'too-large') throw answer.failure;
  if (answer.value.ok) return { value: answer.value.value, rejected: null };
  const { reason } = answer.value;
  return { value: null, rejected: rejectRow({ part: 'payouts', place: `GET ${wanted.path}`, reason, raw: '' }) };
}
