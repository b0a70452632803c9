// Reads the rows of an operator's list as they are: from a select on a database, or from one JSON
// answer, which is an array or an object whose `items` is one. The caller must interpret the rows.

import { SourceFailed } from './port/source.ts';
import { failureOf } from './postgres/postgres-failure.ts';
import { type Dialect, type Found, isRecord, unknown } from './web/dialect.ts';
import { askWeb } from './web/transport.ts';
import { WEB_DEFAULTS, type WebSettings } from './web/web-settings.ts';

export interface ListPlace {
  readonly url: string;
  /** The select, when the list is in a database; else `null`. */
  readonly select: string | null;
  readonly token: string | null;
  /** The most rows that are allowed. One more is read, so that a longer list is noticed. */
  readonly most: number;
  /** Milliseconds for connecting and for the select, or for one request; no retry begins later. */
  readonly deadline: number;
}

/** Reads the rows. Throws `SourceFailed`. */
export async function readListRows(
  place: ListPlace,
  surroundings: Pick<WebSettings, 'clock' | 'random' | 'log' | 'tracing'>,
): Promise<readonly unknown[]> {
  if (place.select !== null) return readSelected(place, place.select);
  const url = URL.parse(place.url);
  if (url === null || url.username !== '' || url.hash !== '')
    throw new SourceFailed(
      'INVALID_SETTINGS',
      'The address of the list must hold no user name and no fragment.',
    );
  const { token, deadline } = place;
  const retries = { ...WEB_DEFAULTS.retries, within: deadline };
  const answer = await askWeb<readonly unknown[]>(
    { ...surroundings, retries, baseUrl: url.origin, deadline, maxResponseBytes: MOST_BYTES },
    {
      merchant: '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      request: REQUEST,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      dialect: LIST,
      stop: new AbortController().signal,
      read: readRows,
    },
  );
  if (answer.kind === 'answered') return answer.value;
  throw answer.failure;
}

/** Reads the rows of a select as objects, in a read-only transaction. */
async function readSelected(
  { url, most, deadline }: ListPlace,
  select: string,
): Promise<readonly unknown[]> {
  const { openSessionPool, withSession } = await import('./postgres/session.ts');
  const pool = openSessionPool({ connectionString: url, connectTimeout: deadline });
  try {
    return await withSession(pool, async ({ client }) => {
      await client.query(`set local statement_timeout = ${deadline}`);
      const { rows } = await client.query<{ row: unknown }>(
        `select to_json(listed) as row from (${select}\n) listed limit ${most + 1}`,
      );
      return rows.map(({ row }) => row);
    });
  } catch (error) {
    throw failureOf(error, 'reading the list of merchants');
  } finally {
    await pool.close();
  }
}

const REQUEST = 'GET of the list of merchants';
/** Room for 100,000 rows of some hundred bytes. */
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

function readRows(body: Uint8Array): Found<readonly unknown[]> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const rows = isRecord(value) ? value.items : value;
    return Array.isArray(rows)
      ? { ok: true, value: rows }
      : unknown('neither a list nor an object with items');
  } catch {
    return unknown('no JSON in UTF-8');
  }
}
