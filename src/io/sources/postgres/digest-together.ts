// Digests the books of several merchants in one query, at one instant: the server reads every row, and sends none.

import { askTogether } from '../../together/ask-together.ts';
import type { Source } from '../port/source.ts';
import type { BooksTables } from './books-tables.ts';
import type { TableOfPart } from './postgres-settings.ts';
import { type Session, type SessionPool, withSession } from './session.ts';
import { literal } from './table-part.ts';

interface DigestedFrom {
  readonly pool: SessionPool;
  readonly tablesFor: (session: Session) => Promise<BooksTables>;
}

type Digested = Awaited<ReturnType<NonNullable<Source['digestTogether']>>>;

/** Null where none can be given: a reading says why. */
export const digestTogether = askTogether<string, Digested, DigestedFrom>(async (from, merchants) => {
  const digested = withSession(from.pool, async (session) => {
    const digests = await digestsOf(session, await from.tablesFor(session), merchants);
    return { digests, at: session.beganAt };
  });
  const found = await digested.catch(() => null);
  return merchants.map((merchant) => {
    const digest = found?.digests.get(merchant);
    return digest === undefined ? null : { digest, at: found!.at };
  });
});

/** Lines of a merchant, and operations: of more, to digest the whole books each night costs more than to read what is new. */
export const MOST_DIGESTED = 1_000;

/**
 * By merchant, the SHA-256 of all their rows: of the texts of what is selected, so that a row that differs by anything that is read
 * gives another.
 */
export async function digestsOf(
  session: Session,
  tables: BooksTables,
  merchants: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const all = [tables.merchants, tables.wallets, tables.entries, tables.operations.described];
  const lines = all.flatMap((one) => (one === null ? [] : rowsOf(one.table, merchants)));
  const select = `select merchant, encode(sha256(string_agg(line, '' order by line)), 'hex') as digest from (${lines.join(' union all ')}) as lines group by 1`;
  const { rows } = await session.client.query<{ merchant: string; digest: string }>(select);
  return new Map(rows.map(({ merchant, digest }) => [merchant, digest]));
}

function rowsOf({ part, from, merchant, columns }: TableOfPart, merchants: readonly string[]): string {
  const fields = columns.map(({ selected }) => selected).join(', ');
  const line = `sha256(textsend(row('${part}', ${fields})::text))`;
  return `select ${merchant}::text as merchant, ${line} as line from ${from} where ${merchant} in (${merchants.map(literal).join(', ')})`;
}
