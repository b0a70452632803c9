// The mirror's lines as they were known after some page, by their position, 0 for the oldest, and
// by their sequence. They are compared with the lines that are served now. Lines that the service
// no longer served by then are left out.

import { sql } from 'kysely';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import type { Bounds } from '../../../../core/domain/period.ts';
import { ENTRY_TABLE, sameEntry } from '../../../../core/domain/rows/entry-fields.ts';
import { type BlockDigests, LINE_BLOCK } from '../../../../core/domain/snapshot.ts';
import { ask, build, by, columnsOf } from '../../server/ask.ts';
import type { Store } from '../../server/store.ts';
import { entryOf } from '../copy/rows.ts';

/** The mirror of a merchant as it was known after the page `intake`. */
export interface KnownAfter {
  readonly merchantId: number;
  readonly intake: number;
}

export interface StoredLines {
  /**
   * Loads every content known under the sequences from `first` to `last`, both included, in the
   * order of the sequences.
   */
  between(first: number, last: number): Promise<ReadonlyMap<number, readonly LedgerEntry[]>>;
  /** Loads every content of the line at this position; empty when there are fewer lines. */
  at(position: number): Promise<readonly LedgerEntry[]>;
  /** Returns whether the line at this position is known with exactly this content. */
  isAt(position: number, line: LedgerEntry): Promise<boolean>;
  /** Returns whether a line with its sequence is known with exactly this content. */
  knows(line: LedgerEntry): Promise<boolean>;
  /** Counts the lines with a lower sequence. */
  countBelow(sequence: number): Promise<number>;
  /**
   * Returns the position of the first line that is dated within the bounds, and the position after
   * the last such line; `null` when there is no such line.
   */
  positionsIn(bounds: Bounds): Promise<{ readonly from: number; readonly until: number } | null>;
  /** Returns the highest sequence; `null` when there is no line. */
  head(): Promise<number | null>;
  /** Digests blocks of lines in the same way as `ServedBlocks.digests`. */
  digests(first: number, last: number): Promise<BlockDigests>;
}

export function storedLinesOf({ pool }: Store, known: KnownAfter): StoredLines {
  const lines = present(known);
  const between = async (first: number, last: number) => {
    const query = lines
      .select(columnsOf(ENTRY_TABLE, 'e'))
      .where('e.sequence', '>=', first)
      .where('e.sequence', '<=', last)
      .$call(by('e.sequence', 'e.variant'));
    return Map.groupBy(
      (await ask(pool, query)).rows.map((row) => entryOf(row)),
      ({ sequence }) => sequence,
    );
  };
  const under = async (sequence: number) =>
    [...(await between(sequence, sequence)).values()].flat();
  const at = async (position: number) => {
    const query = lines
      .select('e.sequence')
      .groupBy('e.sequence')
      .orderBy('e.sequence')
      .offset(position)
      .limit(1);
    const sequence = (await ask(pool, query)).rows[0]?.sequence;
    return sequence === undefined ? [] : under(sequence);
  };
  const isAmong = (contents: readonly LedgerEntry[], line: LedgerEntry) =>
    contents.some((one) => sameEntry(one, line));
  const countBelow = async (sequence: number) => {
    const query = lines
      .select(({ fn }) => fn.count<number>('e.sequence').distinct().as('lines'))
      .where('e.sequence', '<', sequence);
    return (await ask(pool, query)).rows[0]!.lines;
  };
  return {
    between,
    at,
    isAt: async (position, line) => isAmong(await at(position), line),
    knows: async (line) => isAmong(await under(line.sequence), line),
    countBelow,
    async positionsIn({ start, end }) {
      const query = lines
        .select(({ fn }) => [fn.min('e.sequence').as('first'), fn.max('e.sequence').as('last')])
        .where('e.created_at', '>=', start)
        .where('e.created_at', '<', end);
      const { first, last } = (await ask(pool, query)).rows[0]!;
      if (first === null || last === null) return null;
      return { from: await countBelow(first), until: (await countBelow(last)) + 1 };
    },
    async head() {
      const query = lines.select('e.sequence').orderBy('e.sequence', 'desc').limit(1);
      return (await ask(pool, query)).rows[0]?.sequence ?? null;
    },
    async digests(first, last) {
      const { rows } = await ask(pool, digestsQuery(lines, first, last));
      return new Map(rows.map(({ block, digest }) => [block, digest]));
    },
  };
}

function digestsQuery(lines: ReturnType<typeof present>, first: number, last: number) {
  const texts = sql.join(
    ENTRY_TABLE.fields.map(({ column }) => sql`${sql.ref(`e.${column}`)}::text`),
  );
  const line = sql<Uint8Array>`sha256(convert_to(json_build_array(${texts})::text, 'UTF8'))`;
  const within = lines.where('e.sequence', '>=', first).where('e.sequence', '<=', last);
  return build
    .selectFrom(within.select(['e.sequence', line.as('line')]).as('l'))
    .select([
      sql<number>`l.sequence >> ${sql.lit(LINE_BLOCK)}`.as('block'),
      sql<string>`encode(sha256(string_agg(l.line, '' order by l.sequence, l.line)), 'hex')`.as(
        'digest',
      ),
    ])
    .groupBy('block');
}

function present({ merchantId, intake }: KnownAfter) {
  return build
    .selectFrom('entries as e')
    .where('e.merchant_id', '=', merchantId)
    .where('e.intake', '<=', intake)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('entry_alterations as g')
            .select('g.intake')
            .where('g.merchant_id', '=', merchantId)
            .where('g.change', 'in', ['deleted', 'reset', 'fallen'])
            .where('g.intake', '<=', intake)
            .whereRef('g.sequence', '<=', 'e.sequence')
            .whereRef('g.last_sequence', '>=', 'e.sequence')
            .whereRef('g.intake', '>', 'e.intake'),
        ),
      ),
    );
}
