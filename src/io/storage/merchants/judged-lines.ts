// Several contents may be stored under one sequence; this file says which of them is judged. It is
// the content that was read first, until a person has the lines read anew (ledger_rereads); from
// then on the content that this reading served. All others stay stored beside it.

import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * `reread` counts how often a merchant's lines were read anew. `rereadFrom` is the first sequence
 * of the last such reading; `null` when there was none.
 */
export interface RereadState {
  readonly reread: number;
  readonly rereadFrom: number | null;
}

/**
 * The most contents of one sequence that one reading anew may store. The contents of reading n have
 * the variants from n × ROOM on.
 */
const ROOM = 1_000_000;

/**
 * Returns the variant of the first judged content of a sequence: 0, or `reread` × ROOM where the
 * sequence was read anew.
 */
export function firstVariantAt({ reread, rereadFrom }: RereadState, sequence: number): number {
  return rereadFrom !== null && sequence >= rereadFrom ? reread * ROOM : 0;
}

/**
 * Describes the variants under a sequence. Judged contents have the variants from `first` on.
 * Contents that later readings served instead have variants below `altered`, which is −`first`.
 */
export function variantsAt(state: RereadState, sequence: number) {
  const first = firstVariantAt(state, sequence);
  const isWithin = (variant: number): boolean => variant >= first && variant < first + ROOM;
  const isAltered = (variant: number): boolean => variant < -first && variant >= -first - ROOM;
  return { first, altered: -first, isJudged: isWithin, isAltered };
}

/**
 * Returns the condition, as SQL, that a row of the relation `alias` is judged. It contains only
 * integers of our own making and no parameters, so that it fits a COPY.
 */
export function judgedCondition({ reread, rereadFrom }: RereadState, alias = 'entries'): string {
  const within = (first: number): string =>
    `${alias}.variant between ${first} and ${first + ROOM - 1}`;
  if (rereadFrom === null) return within(0);
  const [from, first] = [Number(rereadFrom), reread * ROOM];
  return `(${alias}.sequence < ${from} and ${within(0)} or ${alias}.sequence >= ${from} and ${within(first)})`;
}

/**
 * A condition that a content is not from before the lines were last read anew. `heads` is the
 * relation of the merchant's head, `entries` that of the line.
 */
export function isCurrent(heads: string, entries: string): RawBuilder<SqlBool> {
  const [head, entry] = [sql.raw(heads), sql.raw(entries)];
  return sql<SqlBool>`(${head}.reread_from is null or ${entry}.sequence < ${head}.reread_from
    or ${entry}.variant >= ${head}.reread * ${sql.lit(ROOM)} or ${entry}.variant < ${head}.reread * ${sql.lit(-ROOM)})`;
}

export function isJudged(state: RereadState, alias = 'entries'): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.raw(judgedCondition(state, alias))}`;
}
