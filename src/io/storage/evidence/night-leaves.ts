// Loads the outcomes of runs for the log, merchant by merchant: only merchants for whom the run
// read, found or resolved something new. Refuses to hold all merchants of a run at once.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { ChainMark } from '../../../core/domain/snapshot.ts';
import type { NightLeaf } from '../../evidence/leaf.ts';
import { ask, build } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * The outcome of a run for a merchant with news. A report with very many findings (MOST_REPEATED)
 * is stored without any, and then `hasFindings` is false.
 */
export interface RunNews extends Pick<NightLeaf, 'report' | 'hasFindings' | 'chain'> {
  readonly watermark: Instant | null;
}

/** Loads the runs after `after`, up to and with `until`, that have ended, in their order. */
export async function loadEndedRuns(
  store: Store,
  { after, until }: { readonly after: number; readonly until: number },
): Promise<readonly number[]> {
  const load = build
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', '>', after)
    .where('run_id', '<=', until)
    .where('finished_at', 'is not', null)
    .orderBy('run_id');
  return (await ask(store.pool, load)).rows.map(({ run_id }) => run_id);
}

const MOST_TOGETHER = 500;

export async function* loadNews(store: Store, runId: number): AsyncGenerator<readonly RunNews[]> {
  for (let after = 0; ; ) {
    const rows = await loadPiece(store, runId, after);
    if (rows.length > 0) yield rows.map(newsOf);
    if (rows.length < MOST_TOGETHER) return;
    after = rows.at(-1)!.merchant_id;
  }
}

type Piece = Awaited<ReturnType<typeof loadPiece>>;

async function loadPiece(store: Store, runId: number, after: number) {
  const load = build
    .selectFrom('run_members as x')
    .innerJoin('run_merchants as s', (join) =>
      join.onRef('s.merchant_id', '=', 'x.merchant_id').onRef('s.run_id', '=', 'x.run_id'),
    )
    .select(({ ref }) => [
      's.merchant_id',
      's.report',
      's.findings',
      'x.watermark',
      ref('s.chain_lines').$notNull().as('lines'),
      ref('s.chain_head').$notNull().as('head'),
    ])
    .where('x.run_id', '=', runId)
    .where('x.merchant_id', '>', after)
    .where('x.state', '=', 'done')
    .where('s.chain_head', 'is not', null)
    .where(({ eb, or }) =>
      or([
        eb('x.entries_added', '>', 0),
        eb('x.operations_changed', '>', 0),
        eb('x.findings_added', '>', 0),
        eb('x.findings_resolved', '>', 0),
        eb('x.findings_reopened', '>', 0),
      ]),
    )
    .orderBy('x.merchant_id')
    .limit(MOST_TOGETHER);
  return (await ask(store.pool, load)).rows;
}

function newsOf({ report: stored, findings, watermark, lines, head }: Piece[number]): RunNews {
  const report = stored as AuditReport;
  return {
    report,
    hasFindings: report.findings.length === findings,
    chain: { lines, head },
    watermark,
  };
}

/**
 * Loads the report of a run about a merchant, with the merchant's chain at that time; `chain` is
 * `null` when there was none. Returns `null` when the run is not stored any more.
 */
export async function loadRunOutcome(
  store: Store,
  { merchant, runId }: { readonly merchant: string; readonly runId: number },
): Promise<{ readonly report: AuditReport; readonly chain: ChainMark | null } | null> {
  const load = build
    .selectFrom('merchants as m')
    .innerJoin('run_merchants as s', 's.merchant_id', 'm.merchant_id')
    .select(['s.report', 's.chain_lines as lines', 's.chain_head as head'])
    .where(({ and }) => and({ 'm.reference': merchant, 's.run_id': runId }));
  const row = (await ask(store.pool, load)).rows[0];
  if (row === undefined) return null;
  const { report, lines, head } = row;
  return {
    report: report as AuditReport,
    chain: lines === null || head === null ? null : { lines, head },
  };
}
