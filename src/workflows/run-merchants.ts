// One pass over merchants, as every night: pull what is new, replay it, check, look twice at what contradicts, save. A
// merchant that fails or is being worked on elsewhere does not hold up the others.

import type { MerchantReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { type ComparedReports, soughtReports } from '../reconcile/compare-reports.ts';
import { type Source, SourceFailed } from '../sources/source.ts';
import { type Lease, LeaseLost, withMerchantLock } from '../storage/merchant-lock.ts';
import type { Store } from '../storage/open-store.ts';
import { finishRun, startRun } from '../storage/runs.ts';
import { type FindingChanges, saveConclusion } from '../storage/save-conclusion.ts';
import type { AuditOptions } from './audit-reading.ts';
import { unreachable } from './audit-source.ts';
import { comparePublished, type Published } from './compare-published.ts';
import { lookAgain } from './look-again.ts';
import { type Mirrored, mirrorMerchant } from './mirror-merchant.ts';
import { planReading } from './plan-reading.ts';
import { type Replayed, replayMirror } from './replay-mirror.ts';

export interface RunTask {
  readonly store: Store;
  readonly source: Source;
  readonly engine: string;
  readonly clock: () => Instant;
  /** References to run; empty: every merchant of the source. */
  readonly merchants: readonly string[];
  readonly optionsFor: (merchant: string, asOf: Instant) => Omit<AuditOptions, 'onProgress'>;
  readonly onMerchant: (merchant: string) => (entries: number) => void;
  /** Where reports and payments by link are; absent or null: nowhere. */
  readonly published?: Published | null;
}

export interface MerchantOutcome {
  readonly report: MerchantReport;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly changes: FindingChanges;
}

export interface RunOutcome {
  readonly runId: number;
  readonly startedAt: Instant;
  /** As the source names itself: without a password that its address may hold. */
  readonly source: string;
  readonly merchants: readonly MerchantOutcome[];
}

const NO_CHANGES: FindingChanges = { added: [], resolved: [], reopened: [] };

const ELSEWHERE = 'another process is working on this merchant; it reports for itself';
const LOCK_LOST = 'the connection to our database that held the lock of this merchant was lost';

export async function runMerchants(task: RunTask): Promise<RunOutcome> {
  const startedAt = task.clock();
  const runId = await startRun(task.store, { startedAt, source: task.source.name, engine: task.engine });
  const merchants: MerchantOutcome[] = [];
  for (const merchant of task.merchants.length > 0 ? task.merchants : await task.source.merchants()) {
    merchants.push(await runMerchant(task, runId, merchant));
  }
  await finishRun(task.store, { runId, finishedAt: task.clock() });
  return { runId, startedAt, source: task.source.name, merchants };
}

async function runMerchant(task: RunTask, runId: number, merchant: string): Promise<MerchantOutcome> {
  try {
    const outcome = await withMerchantLock(task.store, merchant, (lease) => runUnderLock(task, runId, lease));
    if (outcome.held) return outcome.value;
    return skipped(merchant, ELSEWHERE);
  } catch (failure) {
    if (failure instanceof LeaseLost) return skipped(merchant, failure.isTakenOver ? ELSEWHERE : LOCK_LOST);
    if (!(failure instanceof SourceFailed)) throw failure;
    return skipped(merchant, `${failure.code}: ${failure.message}`);
  }
}

function skipped(merchant: string, why: string): MerchantOutcome {
  return { report: unreachable(merchant, why), entriesAdded: 0, operationsChanged: 0, changes: NO_CHANGES };
}

async function runUnderLock(task: RunTask, runId: number, lease: Lease): Promise<MerchantOutcome> {
  const { store, source, engine } = task;
  const mirrored = await mirrorMerchant({
    store,
    source,
    lease,
    since: await planReading(store, lease.merchant, engine),
    now: task.clock(),
    onProgress: task.onMerchant(lease.merchant),
  });
  const { merchant } = lease;
  const compared = task.published
    ? await comparePublished(task.published, { merchant, asOf: mirrored.watermark })
    : null;
  const { report, ...replayed } = await replayTwice(task, lease, { mirrored, compared });
  const checkpoint = replayed.isCheckpointStored ? null : replayed.checkpoint;
  const soughtInPart = soughtReports(merchant, compared);
  const changes = await saveConclusion(store, lease, { runId, report, checkpoint, soughtInPart });
  const { entriesAdded, operationsChanged } = mirrored;
  return { report, entriesAdded, operationsChanged, changes };
}

/** What contradicts is looked at once more before it is reported: the service may have moved on while it was read. */
async function replayTwice(
  task: RunTask,
  lease: Lease,
  { mirrored, compared }: { readonly mirrored: Mirrored; readonly compared: ComparedReports | null },
): Promise<Replayed> {
  const options = { ...task.optionsFor(lease.merchant, mirrored.watermark), onProgress: () => {}, compared };
  const replay = {
    store: task.store,
    merchant: lease.merchant,
    engine: task.engine,
    options,
    reading: mirrored,
    full: false,
  };
  const first = await replayMirror(replay);
  if (!mirrored.moving) return first;
  const look = { store: task.store, source: task.source, lease, findings: first.report.findings };
  return (await lookAgain(look)) ? replayMirror(replay) : first;
}
