// The decisions of people for the log of evidence: about findings, held reports, closed months and
// rereads. Each merchant's day is one leaf. Leaves out decisions of the engine, and days that are
// not over.

import { sql } from 'kysely';
import { DAY, HOUR, type Instant } from '../../../core/domain/instant.ts';
import { type Decision, type DecisionDay, isLeafOf } from '../../evidence/leaf.ts';
import { leafHash } from '../../evidence/merkle.ts';
import { ask, build, type Queries } from '../server/ask.ts';
import type { Log } from './log.ts';

type Row = Decision & Pick<DecisionDay, 'merchant' | 'day'>;

/** The view's row type is stated here, because the schema's types have tables only. */
const DECISIONS = build
  .withTables<{ readonly people_decisions: Row }>()
  .selectFrom('people_decisions as d')
  .selectAll();

/** Lists the decisions of people about a merchant, in no order. */
export async function listDecisions(queries: Queries, merchant: string): Promise<readonly Row[]> {
  return (await ask(queries, DECISIONS.where('d.merchant', '=', merchant))).rows;
}

/**
 * A day is recorded only this long after its end, because a decision may be committed a little
 * after its own instant.
 */
const SETTLES_WITHIN = HOUR;

/**
 * Returns the days that ended at least an hour before `now` and whose decisions are not all in the
 * log. A decision that was committed after its day's leaf is not in that leaf, so the day gets
 * another leaf with all its decisions.
 */
export async function loadUnrecordedDays(
  queries: Queries,
  log: Log,
  now: Instant,
): Promise<readonly DecisionDay[]> {
  const until = Math.floor((now - SETTLES_WITHIN) / DAY) * DAY;
  const subject = sql<string>`'decisions ' || d.merchant || ' ' || d.day || ' ' || count(*) over (partition by d.merchant, d.day)`;
  const ended = DECISIONS.select(subject.as('subject')).where('d.at', '<', until);
  const load = build
    .selectFrom(ended.as('d'))
    .selectAll()
    .where(({ exists, not, selectFrom }) => {
      const leaf = selectFrom('log_leaves as l')
        .select('l.leaf_index')
        .where('l.log_number', '=', log.number);
      return not(exists(leaf.whereRef('l.subject', '=', 'd.subject')));
    });
  return daysOf((await ask(queries, load)).rows);
}

/**
 * Returns whether the stored decisions of a merchant contradict the newest log: one that the log
 * has is missing or different, or the text of a leaf was changed. A decision that the log does not
 * have yet is no contradiction, because it will get its leaf.
 */
export async function hasAlteredDecisions(queries: Queries, merchant: string): Promise<boolean> {
  const newest = build
    .selectFrom('evidence_logs')
    .select(({ fn }) => fn.max('log_number').as('newest'));
  const load = build
    .selectFrom('log_leaves as l')
    .innerJoin('log_nodes as n', (join) =>
      join
        .onRef('n.log_number', '=', 'l.log_number')
        .onRef('n.position', '=', 'l.leaf_index')
        .on('n.level', '=', 0),
    )
    .select(['l.subject', 'l.content', 'n.hash'])
    .where('l.merchant', '=', merchant)
    .where('l.subject', 'like', 'decisions %')
    .where('l.log_number', '=', newest);
  const leaves = (await ask(queries, load)).rows;
  if (leaves.length === 0) return false;
  const days = daysOf(await listDecisions(queries, merchant));
  const stored = new Map(days.map((one) => [one.day, one]));
  return leaves.some(({ subject, content, hash }) => {
    const day = stored.get(subject.split(' ').at(-2)!);
    return (
      day === undefined || !isLeafOf(content, day) || !leafHash(Buffer.from(content)).equals(hash)
    );
  });
}

export function subjectOf({ merchant, day, decisions }: DecisionDay): string {
  return `decisions ${merchant} ${day} ${decisions.length}`;
}

function daysOf(rows: readonly Row[]): readonly DecisionDay[] {
  const days = Map.groupBy(rows, ({ merchant, day }) => `${day} ${merchant}`);
  return [...days.values()].map((decisions) => ({ ...decisions[0]!, decisions }));
}
