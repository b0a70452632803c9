// Digests the books of several merchants at one instant, in one query: the server reads every row,
// and sends none.

import { askTogether } from '../../together/ask-together.ts';
import type { DigestedBooks, Marks } from '../port/source.ts';
import { isAsked, servedAfter } from './book-queries.ts';
import type { BooksTables } from './books-tables.ts';
import type { TableOfPart } from './postgres-settings.ts';
import { type Session, type SessionPool, withSession } from './session.ts';
import { literal } from './table-part.ts';

interface DigestedFrom {
  readonly pool: SessionPool;
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
}

type ToDigest = readonly [merchant: string, marks: Marks];

/**
 * Digests a merchant's books together with other merchants; `null` when they cannot be digested.
 * The next reading will say why.
 */
export const digestTogether = askTogether<ToDigest, DigestedBooks | null, DigestedFrom>(
  async (from, asked) => {
    const digested = withSession(from.pool, async (session) => {
      const { client, beganAt: at } = session;
      const tables = await from.tablesFor(session);
      // Without this, a server whose tables are small would scan them whole for each hundred
      // merchants.
      await client.query('set local random_page_cost = 1.1');
      const { rows } = await client.query<DigestedBooks & { merchant: string }>(
        selectOf(tables, asked),
      );
      return new Map(rows.map(({ merchant, ...digests }) => [merchant, { ...digests, at }]));
    });
    const found = await digested.catch(() => null);
    return asked.map(([merchant]) => found?.get(merchant) ?? null);
  },
);

/**
 * Selects the digests over the server's binary form of all values that are read: a row that differs
 * in any of them changes the digest.
 */
function selectOf(
  { merchants, wallets, entries, operations }: BooksTables,
  asked: readonly ToDigest[],
): string {
  const names = asked.map(([merchant]) => literal(merchant)).join(', ');
  const rowsOf = ({ part, from, merchant, columns }: TableOfPart, isAskedFor: string): string => {
    const line = `sha256(record_send(row('${part}'::text, ${columns.map(({ value }) => value).join(', ')})))`;
    return `select ${merchant}::text as merchant, ${isAskedFor} as is_asked, ${line} as line from ${from} where ${merchant} in (${names})`;
  };
  const whole = [merchants, wallets, entries].flatMap((one) =>
    one === null ? [] : [rowsOf(one.table, 'true')],
  );
  const { table } = operations.described;
  const lines = [...whole, rowsOf(table, askedOf(table, asked))].join(' union all ');
  const digestOf = (what: string) =>
    `encode(sha256(string_agg(line, '' order by line)${what}), 'hex')`;
  return `select merchant, ${digestOf('')} as digest, ${digestOf(' filter (where not is_asked)')} as unasked from (${lines}) as lines group by 1`;
}

/**
 * SQL condition of the operations that a later reading would select. Each merchant has marks of its
 * own.
 */
function askedOf(table: TableOfPart, asked: readonly ToDigest[]): string {
  if (servedAfter(table, asked[0]![1]) === Number.NEGATIVE_INFINITY) return 'true';
  const all = asked.map(([merchant, one]) => [
    merchant,
    [one.newestOperationCreatedAt, one.newestOperationUpdatedAt],
  ]);
  const marksOf = `${literal(JSON.stringify(Object.fromEntries(all)))}::jsonb -> ${table.merchant}::text`;
  const [created, updated] = [`(${marksOf} ->> 0)::float8`, `(${marksOf} ->> 1)::float8`];
  return isAsked(table, { newestOperationCreatedAt: created, newestOperationUpdatedAt: updated });
}
