// One screen for the morning: the last night and what it covered, what is new, back or gone, what
// is open, which statements are held, which deliveries are stuck, and which places are down.
// Computes nothing: every figure is the store's.

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

/** Named at most; the counts are of all. */
const MOST_NAMED = 5;
const MOST_CHANGES = 60;
/** Runs among which the newest night is looked for. */
const MOST_RUNS = 50;

export type Tonight = Awaited<ReturnType<typeof loadTonight>>;

/**
 * `verdicts`: standing ones, of every merchant. `exposure`: by currency and state. `run`: the
 * newest night, else the newest run; null: there is none. `others`: merchants that it was not to
 * cover. `changes`: its first ones, added ones first; `roots`: the roots among them. `held`: months
 * whose statement waits for a person, with when it was issued. `stuck`: deliveries that wait for a
 * person, or failed. `down`: places out of reach, with their merchants. `logFault`: null where
 * evidence goes on.
 */
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
    run,
    others: Math.max(0, merchants - (run?.coverage.expected ?? 0)),
    verdicts: countsByVerdict(standing),
    changes,
    roots: changes.filter(({ causedBy }) => causedBy === null).slice(0, MOST_NAMED),
    open: await loadOpen(store.pool, exposure),
    exposure: exposureByState(exposure),
    heldMonths: months.length,
    held,
    stuck: deliveries.filter(({ state }) => STUCK_STATES.some((stuck) => stuck === state)),
    down: coverage?.down ?? [],
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
