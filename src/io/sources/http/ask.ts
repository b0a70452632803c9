// Sends requests to the direct API, each with the merchant's two credentials in its headers. It
// sends only GETs, so that a retry is always safe.

import { createHash } from 'node:crypto';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation, OperationStatus } from '../../../core/domain/operation.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../../core/domain/rows/entry-fields.ts';
import { decodeDescribed } from '../../../core/domain/rows/operation-fields.ts';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodeRow } from '../decode/decode-row.ts';
import { SourceFailed } from '../port/source.ts';
import {
  type Dialect,
  type Found,
  isRecord,
  parseErrorBody,
  type RefusedAnswer,
  readRequestId,
  type ServiceError,
} from '../web/dialect.ts';
import { type Answer, askWeb, isTooLarge, type WebQuestion } from '../web/transport.ts';
import { findItems, findObject } from './envelope.ts';
import type { HttpSettings } from './http-settings.ts';
import type { ListKind, PagedList, ServedRow } from './served-page.ts';

/** The merchant whose books are requested, and the signal that ends it. */
export interface Asker {
  readonly settings: HttpSettings;
  readonly merchant: string;
  /** Aborts all requests under way when the reading is closed. */
  readonly stop: AbortSignal;
}

type Question<Value> = Pick<WebQuestion<Value>, 'path' | 'query' | 'read'>;

/**
 * Sends a request. Throws `SourceFailed` when every attempt failed, or at the first failure that a
 * retry cannot mend.
 */
function ask<Value>(
  { settings, merchant, stop }: Asker,
  question: Question<Value>,
): Promise<Answer<Value>> {
  const { apiKey, apiSecret } = settings.merchants[merchant]!;
  return askWeb(settings, {
    ...question,
    merchant,
    stop,
    request: `GET ${question.path} of ${merchant}`,
    headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
    dialect: DIRECT_API,
  });
}

// Turns an answer that is not 200 into a named failure: by the stable `error.code` of the
// documented error shape (direct API, "Errors"), never by its message. Of the service's own words
// it repeats only the code and the request id.

/** What the operator can do, by the service's error code. */
const ADVICE: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS:
    "check this merchant's apiKey and apiSecret, a new secret invalidates the old one",
  ACCOUNT_SUSPENDED: 'the account is not activated or is suspended, ask the service to open it',
  IP_NOT_ALLOWED: "declare this machine's address in the account's allowed addresses",
  WALLET_FROZEN: 'the wallet is frozen, ask the service',
  VALIDATION_ERROR:
    'the service does not accept these parameters, check http.paths and http.pageSize',
};

/** What the operator can do, by the status, when the error code is not in ADVICE. */
const ADVICE_BY_STATUS: Readonly<
  Record<number, { readonly code: string; readonly advice: string }>
> = {
  401: { code: 'INVALID_CREDENTIALS', advice: ADVICE.INVALID_CREDENTIALS! },
  403: { code: 'FORBIDDEN', advice: "check the account's status and its allowed addresses" },
  404: { code: 'NOT_FOUND', advice: 'check source and http.paths' },
  429: { code: 'RATE_LIMITED', advice: 'wait, or read fewer merchants at once' },
};

const DIRECT_API: Dialect = {
  readError: readServiceError,
  failureOf,
  address: 'source',
  settings: 'http',
  shape: ['http.paths', 'http.envelope'],
};

function readServiceError(body: Uint8Array): ServiceError | null {
  const value = parseErrorBody(body);
  if (value === null || value.success !== false || !isRecord(value.error)) return null;
  const { code } = value.error;
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) return null;
  return { code, requestId: readRequestId(value.requestId) };
}

function failureOf(answer: RefusedAnswer): SourceFailed {
  const byStatus = ADVICE_BY_STATUS[answer.status];
  const serverSide = answer.status >= 500;
  const known =
    answer.error !== null && ADVICE[answer.error.code] !== undefined ? answer.error.code : null;
  const code =
    known ??
    byStatus?.code ??
    (serverSide ? 'SERVICE_UNAVAILABLE' : (answer.error?.code ?? 'REFUSED'));
  const advice =
    ADVICE[code] ?? byStatus?.advice ?? (serverSide ? 'run again later' : 'ask the service why');
  const said =
    answer.error === null ? 'without the documented error body' : `code ${answer.error.code}`;
  const requestId = answer.error?.requestId ?? answer.requestId;
  return new SourceFailed(
    code,
    `${answer.request} was answered with status ${answer.status} (${said}, request ${requestId}): ${advice}.`,
  );
}

/**
 * An object that was requested: read, refused, or `missing`, when the service says in its
 * documented error shape that there is no such object.
 */
export type Asked<Value> =
  | { readonly kind: 'read'; readonly value: Value; readonly date: Instant | null }
  | { readonly kind: 'refused'; readonly row: RejectedRow; readonly date: Instant | null }
  | { readonly kind: 'missing'; readonly failure: SourceFailed };

/** Requests one object, in whatever envelope it comes. */
export async function askObject<Value>(
  asker: Asker,
  wanted: {
    readonly path: string;
    readonly part: BookPart;
    readonly names: readonly string[];
    readonly decode: (value: unknown) => Decoded<Value>;
  },
): Promise<Asked<Value>> {
  const { path, names } = wanted;
  const read = (body: Uint8Array): Found<Uint8Array> => {
    const found = findObject(body, names);
    return found.ok
      ? { ok: true, value: body.subarray(found.value.start, found.value.end) }
      : found;
  };
  const answer = await ask(asker, { path, query: {}, read });
  if (answer.kind === 'missing') return answer;
  const { date } = answer;
  const { row: value, refused } = decodeRow(answer.value, { ...wanted, place: `GET ${path}` });
  return refused === null ? { kind: 'read', value, date } : { kind: 'refused', row: refused, date };
}

// Reads one list of the direct API, page by page. Each item is cut out of the body, parsed strictly
// by itself and decoded, so that a bad item is refused by its place and does not affect its
// neighbours. It only fetches; the walks decide what a page proves.

/**
 * Fewest rows of a page that was made smaller: with fewer, the overlap would be most of the page.
 */
const SMALLEST_PAGE = 8;

export function openList<Row>(asker: Asker, kind: ListKind<Row>): PagedList<Row> {
  const { settings, merchant } = asker;
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
        invariant(
          Number.isSafeInteger(from) && from >= 0,
          'an offset is a whole number and not below 0',
        );
        const question: Question<readonly ServedRow<Row>[]> = {
          path: kind.path,
          query: { ...kind.query, limit: Math.min(limit ?? asked, asked), offset: from },
          read: (body) => readRows({ body, envelope: settings.envelope, kind, request, from }),
        };
        try {
          const answer = await ask(asker, question);
          if (answer.kind === 'missing') throw answer.failure;
          return { from, rows: answer.value, date: answer.date };
        } catch (failure) {
          if (!isTooLarge(failure) || limit !== undefined || asked / 2 < SMALLEST_PAGE)
            throw failure;
          // Several pages that were requested at once may all be too large: this halves the page
          // size only once.
          pageSize = Math.min(pageSize, Math.floor(asked / 2));
          settings.log({ what: 'smaller-pages', merchant, request, why: failure.message, wait: 0 });
        }
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
  const rows = items.value.map(({ start, end }, index) =>
    readRow(
      page.kind,
      page.body.subarray(start, end),
      `${page.request} offset ${page.from + index}`,
    ),
  );
  return { ok: true, value: rows };
}

function readRow<Row>(kind: ListKind<Row>, raw: Uint8Array, place: string): ServedRow<Row> {
  const { row, refused } = decodeRow(raw, { ...kind, place });
  if (refused === null)
    return { key: kind.keyOf(row), rank: kind.rankOf(row), at: kind.createdAt(row), row, refused };
  // Refused rows count as the same row only when all their bytes are equal.
  const key = `refused ${createHash('sha256').update(raw).digest('base64')}`;
  return { key, rank: null, at: null, row, refused };
}

// The two lists of the direct API that are read page by page: the ledger, sorted by sequence (the
// document's sort key), and the operations, sorted by creation.

export function listEntries(settings: HttpSettings): ListKind<LedgerEntry> {
  return {
    part: 'ledger',
    path: settings.paths.ledger,
    query: {},
    decode: decodeEntry,
    // Two lines of one sequence are the same line only when all their fields are equal. The decoder
    // gives the fields a fixed order.
    keyOf: (entry) => JSON.stringify(entry),
    rankOf: (entry) => entry.sequence,
    createdAt: (entry) => entry.createdAt,
    nameRank: (sequence) => `sequence ${sequence}`,
  };
}

export function listOperations(
  settings: HttpSettings,
  filter: { readonly status?: OperationStatus },
): ListKind<Operation> {
  return {
    part: 'operations',
    path: settings.paths.operations,
    query: { ...filter },
    decode: decodeDescribed,
    keyOf: (operation) => operation.reference,
    rankOf: (operation) => operation.createdAt,
    createdAt: (operation) => operation.createdAt,
    nameRank: (createdAt) => formatInstant(createdAt),
  };
}
