// Which of the contents stored under a sequence is judged: the one that was read first, until a
// person has the lines read anew (ledger_rereads); from then on the one that this reading served.
// Every other content stays beside it.

import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** How often a merchant's lines were read anew, and from which one on; null: never. */
export interface RereadState {
  readonly reread: number;
  readonly rereadFrom: number | null;
}

/** Contents of one sequence that one reading anew may hold. */
const ROOM = 1_000_000;

/** The variant of the first judged content of a sequence. */
export function firstVariantAt({ reread, rereadFrom }: RereadState, sequence: number): number {
  return rereadFrom !== null && sequence >= rereadFrom ? reread * ROOM : 0;
}

/**
 * The variants that hold what is judged at a sequence begin here; those of what was served instead
 * lie below `altered`.
 */
export function variantsAt(state: RereadState, sequence: number) {
  const first = firstVariantAt(state, sequence);
  const isWithin = (variant: number): boolean => variant >= first && variant < first + ROOM;
  const isAltered = (variant: number): boolean => variant < -first && variant >= -first - ROOM;
  return { first, altered: -first, isJudged: isWithin, isAltered };
}

/** As SQL, of the relation `alias`; integers of our own making alone, so that it fits a COPY. */
export function judgedCondition({ reread, rereadFrom }: RereadState, alias = 'entries'): string {
  const within = (first: number): string =>
    `${alias}.variant between ${first} and ${first + ROOM - 1}`;
  if (rereadFrom === null) return within(0);
  const [from, first] = [Number(rereadFrom), reread * ROOM];
  return `(${alias}.sequence < ${from} and ${within(0)} or ${alias}.sequence >= ${from} and ${within(first)})`;
}

/**
 * Without the contents from before the lines were last read anew. `heads`: the relation of the
 * merchant's head.
 */
export function isCurrent(heads: string, entries: string): RawBuilder<SqlBool> {
  const [head, entry] = [sql.raw(heads), sql.raw(entries)];
  return sql<SqlBool>`(${head}.reread_from is null or ${entry}.sequence < ${head}.reread_from
    or ${entry}.variant >= ${head}.reread * ${sql.lit(ROOM)} or ${entry}.variant < ${head}.reread * ${sql.lit(-ROOM)})`;
}

export function isJudged(state: RereadState, alias = 'entries'): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.raw(judgedCondition(state, alias))}`;
}
