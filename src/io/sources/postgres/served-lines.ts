// Lines of the operator's table as they are now, by position and by sequence, and digests of blocks
// of lines. The server computes the digests, so that unchanged lines need not be read. Makes no
// digests when a column's exact text is not known.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import {
  type Batch,
  LINE_BLOCK,
  type ServedBlocks,
  type ServedLines,
} from '../../../core/domain/snapshot.ts';
import { ofMerchant } from './book-queries.ts';
import type { BooksTables } from './books-tables.ts';
import { failureOf } from './postgres-failure.ts';
import { columnFor, type TableColumn } from './postgres-settings.ts';
import type { Session } from './session.ts';
import { streamTable } from './stream-rows.ts';

export interface LinesAsked {
  readonly tables: BooksTables;
  readonly merchant: string;
  /** Runs the work in a session of the reading. */
  readonly within: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
}

/** Opens the lines. Their text is digested in UTF-8, as it is sent. */
export function openServedLines(asked: LinesAsked): ServedLines {
  const { tables, merchant, within } = asked;
  const { table, decode } = tables.entries;
  const sequence = columnFor(table, 'sequence').value;
  const order = `${sequence}, ${columnFor(table, 'id').value}`;
  const mine = `from ${table.from} where ${ofMerchant(table, merchant)}`;
  const query = async <Row>(text: string): Promise<readonly Row[]> => {
    try {
      return (await within((session) => session.client.query(text))).rows as readonly Row[];
    } catch (error) {
      throw failureOf(error, 'comparing lines');
    }
  };
  const read = (where: string): Promise<readonly Batch<LedgerEntry>[]> =>
    within((session) =>
      Array.fromAsync(streamTable({ session, table, decode, tail: `${mine} and ${where}` })),
    );
  const lines = {
    async positionOf(wanted: number): Promise<number | null> {
      const there = `exists (select ${mine} and ${sequence} = ${wanted})`;
      const count = `select count(*) as below, ${there} as there ${mine} and ${sequence} < ${wanted}`;
      const [row] = await query<{ below: string; there: boolean }>(count);
      return row!.there ? Number(row!.below) : null;
    },
    async linesAt(from: number, count: number): Promise<readonly (LedgerEntry | null)[]> {
      const batches = await read(
        `${sequence} is not null order by ${order} offset ${from} limit ${count}`,
      );
      return batches.flatMap(({ rows, rejected }) => [...rows, ...rejected.map(() => null)]);
    },
    recount() {},
  };
  const digested = digestedOf(table.columns);
  if (digested === null) return lines;
  const isWhole = columnFor(table, 'sequence').form === 'int8';
  const block = isWhole ? `at::int8 >> ${LINE_BLOCK}` : `floor(at / ${2 ** LINE_BLOCK})`;
  const blocks: ServedBlocks = {
    async digests(first, last) {
      const each = `select ${sequence} as at, sha256(textsend(json_build_array(${digested.join(', ')})::text)) as line ${mine} and ${sequence} between ${first} and ${last}`;
      const all = `select ${block} as block, encode(sha256(string_agg(line, '' order by at, line)), 'hex') as digest from (${each}) as lines group by 1`;
      const rows = await query<{ block: string; digest: string }>(all);
      return new Map(rows.map(({ block, digest }) => [Number(block), digest]));
    },
    async between(first, last) {
      const bound = (order: string, beyond: string) =>
        `coalesce((select ${sequence} ${mine} and ${sequence} ${beyond} order by ${sequence} ${order} limit 1), ${order === 'desc' ? first : last})`;
      const range = `${sequence} >= ${bound('desc', `< ${first}`)} and ${sequence} <= ${bound('asc', `> ${last}`)}`;
      const batches = await read(`${range} order by ${order}`);
      return {
        rows: batches.flatMap(({ rows }) => rows),
        rejected: batches.flatMap(({ rejected }) => rejected),
      };
    },
  };
  return { ...lines, blocks };
}

/**
 * Returns SQL of each field's text, as the mirror's own columns would give it; `null` when it is
 * not known for some column.
 */
function digestedOf(columns: readonly TableColumn[]): readonly string[] | null {
  const texts = columns.map(({ form, field, selected, value }) => {
    if (field.form === 'instant') return form === 'microseconds' ? milliseconds(value) : null;
    if (field.form !== 'integer') return form === 'text' ? selected : null;
    return form === 'int8' || selected.startsWith('trim_scale') ? `(${selected})::text` : null;
  });
  return texts.some((text) => text === null) ? null : texts.map((text) => text!);
}

/**
 * SQL of the milliseconds since 1970 as text, exact in every version of PostgreSQL. An infinite
 * time, which the decoders refuse, yields its own text.
 */
function milliseconds(value: string): string {
  const exact = `floor(round(extract(epoch from ${value}) * 1000000) / 1000)`;
  return `case when isfinite(${value}) then ${exact}::numeric::text else ${value}::text end`;
}
