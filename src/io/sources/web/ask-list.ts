// A list as one JSON answer: an array, or an object whose `items` is one. Asked again as every API is, but not after its deadline.

import { SourceFailed } from '../port/source.ts';
import { type Dialect, type Found, isRecord, unknown } from './dialect.ts';
import { askWeb } from './transport.ts';
import type { WebSettings } from './web-settings.ts';

export interface AskedList {
  readonly url: string;
  readonly token: string | null;
  /** Milliseconds. */
  readonly deadline: number;
}

const REQUEST = 'GET of the list of merchants';
/** 100,000 rows of some hundred bytes. */
const MOST_BYTES = 64 * 1024 * 1024;

const LIST: Dialect = {
  readError: () => null,
  failureOf: ({ status, requestId }) =>
    new SourceFailed(
      status === 401 || status === 403 ? 'INVALID_CREDENTIALS' : 'REFUSED',
      `${REQUEST} was answered with status ${status} (request ${requestId}): check merchants.from.url and token.`,
    ),
  address: 'merchants.from.url',
  settings: 'merchants.from',
  shape: [],
};

/** Throws `SourceFailed`. */
export async function askList(
  { url, token, deadline }: AskedList,
  settings: Omit<WebSettings, 'baseUrl'>,
): Promise<readonly unknown[]> {
  const { origin, pathname, searchParams } = new URL(url);
  const answer = await askWeb<readonly unknown[]>(
    {
      ...settings,
      retries: { ...settings.retries, within: deadline },
      baseUrl: origin,
      deadline,
      maxResponseBytes: MOST_BYTES,
    },
    {
      merchant: '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      request: REQUEST,
      method: 'GET',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: null,
      expects: 200,
      dialect: LIST,
      stop: new AbortController().signal,
      read: readRows,
    },
  );
  if (answer.kind === 'answered') return answer.value;
  throw answer.failure;
}

function readRows(body: Uint8Array): Found<readonly unknown[]> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const rows = isRecord(value) ? value.items : value;
    return Array.isArray(rows) ? { ok: true, value: rows } : unknown('neither a list nor an object with items');
  } catch {
    return unknown('no JSON in UTF-8');
  }
}
