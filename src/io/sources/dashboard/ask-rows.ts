// One answer of the dashboard API: a list, each item decoded or refused with its own bytes, a single object, or a file.

import type { Answered } from '../../../core/domain/published/payout-place.ts';
import type { Batch } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import { decodeItems, type RowForm, rejectRow, splitItems } from '../decode/decode-row.ts';
import { wholeValue } from '../decode/json-spans.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { cut, type Found, unknown } from '../web/dialect.ts';
import { askWithToken, type Session } from './session.ts';

export interface WantedRows<Row> extends RowForm<Row> {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The rows in served order. Throws `SourceFailed`. */
export async function askRows<Row>(session: Session, wanted: WantedRows<Row>): Promise<Batch<Row>> {
  const items = await askWithToken(session, { path: wanted.path, query: wanted.query, read: readItems });
  return decodeItems(items, wanted);
}

/** "Array of Reports", "array of Payments": the document shows lists bare. */
function readItems(body: Uint8Array): Found<readonly Uint8Array[]> {
  const split = splitItems(body);
  if (split.ok) return { ok: true, value: split.items };
  return split.isCut ? cut(split.reason) : unknown(split.reason);
}

/** The object's bytes are not kept when it is refused: a compliance file holds identity papers. */
export async function askSingle<Value>(
  session: Session,
  wanted: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly decode: (value: unknown) => Decoded<Value>;
  },
): Promise<Omit<Answered<Value>, 'absent'>> {
  const read = (body: Uint8Array): Found<Decoded<Value>> => {
    const parsed = parseStrictJson(body);
    if (!parsed.ok && wholeValue(body) === null) return cut('the body is not one whole JSON value');
    return { ok: true, value: parsed.ok ? wanted.decode(parsed.value) : parsed };
  };
  const decoded = await askWithToken(session, { path: wanted.path, query: wanted.query ?? {}, read });
  if (decoded.ok) return { value: decoded.value, rejected: [] };
  const place = `GET ${wanted.path}`;
  return { value: null, rejected: [rejectRow({ part: 'payouts', place, refused: decoded, raw: '' })] };
}

/** The bytes as they are served; a file that is empty is none. Throws `SourceFailed`, also where it is larger than the cap. */
export function askFile(session: Session, path: string): Promise<Uint8Array> {
  const read = (body: Uint8Array): Found<Uint8Array> =>
    body.length === 0 ? cut('the file is empty') : { ok: true, value: body };
  return askWithToken(session, { path, query: {}, read });
}
