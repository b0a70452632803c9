// Totals of a run: coverage, verdicts and changes, counted over its merchants. Kept with the run at its end, for they no longer
// change, and a night may have thousands of merchants.

import type { Compilable } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Verdict } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { anyOf, ask, build, type Queries } from '../server/ask.ts';

export interface RunTotals {
  readonly coverage: {
    /** Read to the end and judged. */
    readonly judged: number;
    /** Could not be read to the end. */
    readonly unread: number;
    /** Could not be judged, by our fault. */
    readonly failed: number;
    /** Not settled yet. */
    readonly waiting: number;
  };
  readonly verdicts: { readonly clean: number; readonly broken: number; readonly incomplete: number };
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findings: { readonly added: number; readonly resolved: number; readonly reopened: number };
  /** The oldest instant up to which the books of a judged merchant were known; null when none was judged. */
  readonly watermark: Instant | null;
}

export const NO_MEMBERS: RunTotals = {
  coverage: { judged: 0, unread: 0, failed: 0, waiting: 0 },
  verdicts: { clean: 0, broken: 0, incomplete: 0 },
  entriesAdded: 0,
  operationsChanged: 0,
  findings: { added: 0, resolved: 0, reopened: 0 },
  watermark: null,
};

/** By run; leaves out runs without merchants. */
export async function countMembers(
  queries: Queries,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, RunTotals>> {
  if (runIds.length === 0) return new Map();
  const counted = await ask(queries, membersOf(runIds));
  return new Map(counted.rows.map(({ runId, ...totals }) => [runId, totals]));
}

/** Call in the transaction that ends the run, when all its merchants are settled. */
export async function keepTotals(queries: Queries, runId: number): Promise<RunTotals> {
  const totals = await countRun(queries, runId);
  const keep = build
    .updateTable('runs')
    .set({ totals: JSON.stringify(totals) })
    .where('run_id', '=', runId);
  await ask(queries, keep);
  return totals;
}

export async function countRun(queries: Queries, runId: number): Promise<RunTotals> {
  return (await countMembers(queries, [runId])).get(runId) ?? NO_MEMBERS;
}

function membersOf(runIds: readonly number[]): Compilable<RunTotals & { readonly runId: number }> {
  return build
    .selectFrom('run_members')
    .select(({ and, cast, eb, fn }) => {
      const all = fn.countAll<number>();
      const sum = (column: 'entries_added' | 'operations_changed' | Changed) => cast<number>(fn.sum(column), 'bigint');
      const judged = and([eb('state', '=', 'done'), eb('reason', 'is', null)]);
      const withVerdict = (verdict: Verdict) => all.filterWhere('verdict', '=', verdict);
      return [
        'run_id as runId',
        jsonBuildObject({
          judged: all.filterWhere(judged),
          unread: all.filterWhere('state', '=', 'done').filterWhere('reason', 'is not', null),
          failed: all.filterWhere('state', '=', 'failed'),
          waiting: all.filterWhere('state', '=', 'expected'),
        }).as('coverage'),
        jsonBuildObject({
          clean: withVerdict('clean'),
          broken: withVerdict('broken'),
          incomplete: withVerdict('incomplete'),
        }).as('verdicts'),
        sum('entries_added').as('entriesAdded'),
        sum('operations_changed').as('operationsChanged'),
        jsonBuildObject({
          added: sum('findings_added'),
          resolved: sum('findings_resolved'),
          reopened: sum('findings_reopened'),
        }).as('findings'),
        fn.min<number | null>('watermark').filterWhere(judged).as('watermark'),
      ];
    })
    .where('run_id', '=', anyOf('bigint', runIds))
    .groupBy('run_id');
}

type Changed = 'findings_added' | 'findings_resolved' | 'findings_reopened';
