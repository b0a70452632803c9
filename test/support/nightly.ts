// One merchant's run, step by step as the nightly workflow takes them, so that a test may stop it
// between any two.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import { type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { saveConclusion } from '../../src/io/storage/conclusions/save-conclusion.ts';
import type { FindingChanges } from '../../src/io/storage/conclusions/save-findings.ts';
import { type Lease, withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { startRun } from '../../src/io/storage/nights/nights.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import type { AuditOptions } from '../../src/service/workflows/audit/audit-snapshot.ts';
import {
  type Mirrored,
  mirrorMerchant,
} from '../../src/service/workflows/mirror/mirror-merchant.ts';
import { planSince } from '../../src/service/workflows/mirror/plan-since.ts';
import { replayMirror } from '../../src/service/workflows/mirror/replay-mirror.ts';

export interface Night {
  readonly store: Store;
  readonly source: Source;
  readonly merchant: string;
  readonly now: Instant;
  readonly pageRows: number;
  /** Stop after the replay, before anything that it concluded is saved. */
  readonly diesBeforeSaving: boolean;
  /** Leaves out the replay from the first line: `full` is then what the run says itself. */
  readonly withoutFull?: boolean;
}

export interface NightOutcome {
  /** What the run says when it goes on from its checkpoint. */
  readonly report: AuditReport;
  /**
   * What a replay of the mirror from the first line says of the same books, trusting nothing
   * stored.
   */
  readonly full: AuditReport;
  /** The states that the run and the replay would carry on to the next run. */
  readonly states: { readonly carried: string; readonly full: string };
  /** What changed in the findings; `null` when the run died before saving. */
  readonly changes: FindingChanges | null;
  readonly mirrored: Mirrored;
}

export const ENGINE = 'pointage 0.0.0-test';

export function optionsAt(asOf: Instant): AuditOptions {
  return {
    asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    opening: null,
    onProgress: () => {},
  };
}

/** Runs a night. A failure of the source is thrown; pages that were saved by then stay saved. */
export async function runNight(night: Night): Promise<NightOutcome> {
  const outcome = await withMerchantLock(night.store, night.merchant, (lease) =>
    runHeld(night, lease),
  );
  if (!outcome.acquired) throw new Error(`another process works on ${night.merchant}`);
  return outcome.value;
}

async function runHeld(night: Night, lease: Lease): Promise<NightOutcome> {
  const { store, source, merchant, now, pageRows } = night;
  const since = await planSince(store, merchant);
  const mirrored = await mirrorMerchant({
    store,
    source,
    lease,
    since,
    now,
    pageRows,
    onProgress: () => {},
  });
  const task = {
    store,
    merchant,
    engine: ENGINE,
    options: optionsAt(mirrored.watermark),
    snapshot: mirrored,
  };
  const { report, checkpoint } = await replayMirror({ ...task, full: false });
  const whole = night.withoutFull
    ? { report, checkpoint }
    : await replayMirror({ ...task, full: true });
  const states = { carried: checkpoint.state, full: whole.checkpoint.state };
  const outcome = { report, full: whole.report, states, mirrored };
  if (night.diesBeforeSaving) return { ...outcome, changes: null };
  const run = { startedAt: now, source: source.name, engine: ENGINE, merchants: [merchant] };
  const runId = await startRun(store, run);
  const { watermark, entriesAdded, operationsChanged } = mirrored;
  const settlement = { finishedAt: now, watermark, entriesAdded, operationsChanged };
  return {
    ...outcome,
    changes: await saveConclusion(store, lease, { runId, report, checkpoint, settlement }),
  };
}
