// Digests the books of several merchants in one query, at one instant: the server reads every row, and sends none.

import { askTogether } from '../../together/ask-together.ts';
import type { DigestedBooks } from '../port/source.ts';
import type { BooksTables } from './books-tables.ts';
import type { TableOfPart } from './postgres-settings.ts';
import { type Session, type SessionPool, withSession } from './session.ts';
import { literal } from './table-part.ts';

interface DigestedFrom {
  readonly pool: SessionPool;
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
}

/** Null where none can be given: a reading says why. */
export const digestTogether = askTogether<string, DigestedBooks | null, DigestedFrom>(async (from, merchants) => {
  const digested = withSession(from.pool, async (session) => {
    const { client, beganAt: at } = session;
    const tables = await from.tablesFor(session);
    // Else a server whose tables are not large yet reads them whole for each hundred merchants.
    await client.query('set local random_page_cost = 1.1');
    const { rows } = await client.query<{ merchant: string; digest: string }>(selectOf(tables, merchants));
    return new Map(rows.map(({ merchant, digest }) => [merchant, { digest, at }]));
  });
  const found = await digested.catch(() => null);
  return merchants.map((merchant) => found?.get(merchant) ?? null);
});

/** Of all values that are read, in the server's binary form: a row that differs by any of them gives another. */
function selectOf(tables: BooksTables, merchants: readonly string[]): string {
  const all = [tables.merchants, tables.wallets, tables.entries, tables.operations.described];
  const lines = all.flatMap((one) => (one === null ? [] : rowsOf(one.table, merchants)));
  return `select merchant, encode(sha256(string_agg(line, '' order by line)), 'hex') as digest from (${lines.join(' union all ')}) as lines group by 1`;
}

function rowsOf({ part, from, merchant, columns }: TableOfPart, merchants: readonly string[]): string {
  const line = `sha256(record_send(row('${part}'::text, ${columns.map(({ value }) => value).join(', ')})))`;
  return `select ${merchant}::text as merchant, ${line} as line from ${from} where ${merchant} in (${merchants.map(literal).join(', ')})`;
}
