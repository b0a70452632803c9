// The figures of the morning's screen: the last night and its coverage, findings that are new, back
// or gone, what is open, held statements, stuck deliveries, and sources out of reach. It computes
// nothing: every figure comes from the store.

import { STUCK_STATES } from '../../../core/domain/delivery/delivery.ts';
import type { Verdict } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { exposureByState } from '../../../core/domain/measures.ts';
import { loadExposure, loadOpen } from '../../../io/storage/conclusions/exposure.ts';
import { countStanding } from '../../../io/storage/conclusions/run-members.ts';
import { examineLog } from '../../../io/storage/evidence/log.ts';
import { listHeldMonths, loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { loadCoverage } from '../../../io/storage/nights/nights.ts';
import { listRunChanges, listRuns } from '../../../io/storage/operators/run-records.ts';
import { loadDeliveryFigures } from '../../../io/storage/operators/service-figures.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** Most months and roots that are named; counts are not limited. */
const MOST_NAMED = 5;
const MOST_CHANGES = 60;
/** The newest night is looked for among this many runs. */
const MOST_RUNS = 50;

export type Tonight = Awaited<ReturnType<typeof loadTonight>>;

/** Loads the figures as of `at`. */
export async function loadTonight(store: Store, at: Instant) {
  const { items: runs } = await listRuns(store, { limit: MOST_RUNS });
  const run = runs.find(({ kind }) => kind === 'night') ?? runs[0] ?? null;
  const [changes, coverage, months, deliveries, exposure, standing, log] = await Promise.all([
    run === null ? [] : listRunChanges(store, run.runId, { limit: MOST_CHANGES }),
    run === null ? null : loadCoverage(store.pool, run.runId),
    listHeldMonths(store),
    loadDeliveryFigures(store.pool),
    loadExposure(store.pool, { at }),
    countStanding(store.pool),
    examineLog(store.pool),
  ]);
  const merchants = standing.reduce((sum, one) => sum + one.merchants, 0);
  const held = await Promise.all(
    months.slice(0, MOST_NAMED).map(async ({ merchant, period }) => {
      const report = await loadIssuedReport(store, { merchant, period });
      return { merchant, period, issuedAt: report?.generatedAt ?? null };
    }),
  );
  return {
    /** The newest night, otherwise the newest run; `null` when there is none. */
    run,
    /** The number of merchants that the run was not meant to cover. */
    others: Math.max(0, merchants - (run?.coverage.expected ?? 0)),
    /** How many merchants have each verdict now, over all merchants. */
    verdicts: countsByVerdict(standing),
    /** The first changes of the run, added findings first. */
    changes,
    /** The first roots among `changes`. */
    roots: changes.filter(({ causedBy }) => causedBy === null).slice(0, MOST_NAMED),
    open: await loadOpen(store.pool, exposure),
    /** What is at stake, by currency and state. */
    exposure: exposureByState(exposure),
    /** The number of months whose statement waits for a person. */
    heldMonths: months.length,
    /** The first held months, with the instant at which each was issued. */
    held,
    /** Deliveries that wait for a person or have failed. */
    stuck: deliveries.filter(({ state }) => STUCK_STATES.some((stuck) => stuck === state)),
    /** Sources out of reach, with their merchants. */
    down: coverage?.down ?? [],
    /** What is wrong with the log of evidence; `null` when it goes on. */
    logFault: log === 'continued' ? null : log,
  };
}

function countsByVerdict(
  standing: Awaited<ReturnType<typeof countStanding>>,
): Readonly<Record<Verdict, number>> {
  const count = (verdict: Verdict) =>
    standing.find((one) => one.verdict === verdict)?.merchants ?? 0;
  return { clean: count('clean'), broken: count('broken'), incomplete: count('incomplete') };
}
