// One list of the direct API, page by page: each item is cut out of the body, parsed strictly by itself and decoded, so
// that a bad one is refused by its place and costs none of its neighbours. It fetches only; what a page proves is
// decided by the walks.

import { createHash } from 'node:crypto';
import { invariant } from '../../../core/domain/invariant.ts';
import { rejectRow } from '../decode/reject-row.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import type { Found } from '../web/found.ts';
import { findItems } from './envelope.ts';
import type { HttpSettings } from './http-settings.ts';
import type { ListKind, PagedList, ServedRow } from './served-page.ts';
import { ask } from './transport.ts';

/** Pages are not made smaller than this: below it, an overlap would be most of the page. */
const SMALLEST_PAGE = 8;

export interface ListOpening<Row> {
  readonly settings: HttpSettings;
  readonly merchant: string;
  readonly kind: ListKind<Row>;
  readonly stop: AbortSignal;
}

export function openList<Row>(opening: ListOpening<Row>): PagedList<Row> {
  const { settings, merchant, kind, stop } = opening;
  const query = new URLSearchParams(kind.query).toString();
  const request = `GET ${kind.path}${query === '' ? '' : `?${query}`}`;
  let pageSize = settings.pageSize;
  return {
    kind,
    merchant,
    request,
    pageSize: () => pageSize,
    shrinkTo(smaller) {
      pageSize = Math.max(1, Math.min(pageSize, smaller));
    },
    async fetch(fromOffset, limit) {
      for (;;) {
        const asked = pageSize;
        const from = fromOffset(asked);
        invariant(Number.isSafeInteger(from) && from >= 0, 'an offset is a whole number and not below 0');
        const answer = await ask(settings, {
          merchant,
          path: kind.path,
          query: { ...kind.query, limit: Math.min(limit ?? asked, asked), offset: from },
          read: (body) => readRows({ body, envelope: settings.envelope, kind, request, from }),
          stop,
        });
        if (answer.kind === 'answered') return { from, rows: answer.value, date: answer.date };
        if (answer.kind === 'missing' || limit !== undefined || asked / 2 < SMALLEST_PAGE) throw answer.failure;
        // Pages asked for at the same time are too large together, and make the next ones smaller once.
        pageSize = Math.min(pageSize, Math.floor(asked / 2));
        settings.log({ what: 'smaller-pages', merchant, request, why: answer.failure.message, wait: 0 });
      }
    },
  };
}

function readRows<Row>(page: {
  readonly body: Uint8Array;
  readonly envelope: string;
  readonly kind: ListKind<Row>;
  readonly request: string;
  readonly from: number;
}): Found<readonly ServedRow<Row>[]> {
  const items = findItems(page.body, page.envelope);
  if (!items.ok) return items;
  const rows = items.value.map((item, index) =>
    readRow(page.kind, {
      raw: page.body.subarray(item.start, item.end),
      place: `${page.request} offset ${page.from + index}`,
    }),
  );
  return { ok: true, value: rows };
}

function readRow<Row>(kind: ListKind<Row>, item: { readonly raw: Uint8Array; readonly place: string }): ServedRow<Row> {
  const json = parseStrictJson(item.raw);
  const decoded = json.ok ? kind.decode(json.value) : json;
  if (decoded.ok) {
    const row = decoded.value as Row;
    return { key: kind.keyOf(row), rank: kind.rankOf(row), at: kind.createdAt(row), row, refused: null };
  }
  const refused = rejectRow({
    part: kind.part,
    place: item.place,
    refused: decoded,
    raw: item.raw,
    ...(json.ok ? { value: json.value } : {}),
  });
  // Two bad rows are one and the same only when their bytes are equal throughout.
  const key = `refused ${createHash('sha256').update(item.raw).digest('base64')}`;
  return { key, rank: null, at: null, row: null, refused };
}
