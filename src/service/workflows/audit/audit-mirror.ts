// Audits merchants from the mirror: a full replay from the first stored line that trusts no stored
// result. Findings about operations that cannot be judged now stay as an earlier run found them.
// For an instant in the past, the books are judged with everything the mirror knows, and newer rows
// are left out of the figures.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import type { Span } from '../../../core/domain/service-report.ts';
import type { Snapshot } from '../../../core/domain/snapshot.ts';
import { behindNote } from '../../../core/kernel/checks/across/circumstances.ts';
import { type CutWish, reconcile } from '../../../core/kernel/reconcile/session.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import { loadClosedMonths } from '../../../io/storage/issued/month-lock.ts';
import { knowsMerchant, loadMerchants } from '../../../io/storage/merchants/merchants.ts';
import { loadEndedBefore } from '../../../io/storage/mirror/changed-months.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { compareWithChain } from '../../../io/storage/mirror/stored-chain.ts';
import { loadReading } from '../../../io/storage/mirror/stored-extent.ts';
import { loadPayouts } from '../../../io/storage/published/published-versions.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { judgeMirrored, NEVER_NOTIFIED } from '../notifications/judge-mirrored.ts';
import { type AuditOptions, auditBy, auditSnapshot } from './audit-snapshot.ts';
import { type AuditSourceOptions, auditEach, unreachable } from './audit-source.ts';
import { comparePublished } from './compare-published.ts';
import { keepUnjudged } from './keep-unjudged.ts';
import { loadKeptPayments } from './kept-payments.ts';

/** Audits merchants. Throws `StoreFailed` (UNKNOWN_MERCHANT) when one is not in the mirror. */
export async function auditMirror(
  store: Store,
  options: AuditSourceOptions,
): Promise<readonly AuditReport[]> {
  for (const merchant of options.merchants) {
    if (await knowsMerchant(store, merchant)) continue;
    const message = `The mirror has no merchant '${merchant}'; run '${commandLine('run', merchant)}' first, or give --source.`;
    throw new StoreFailed('UNKNOWN_MERCHANT', message);
  }
  const merchants = options.merchants.length > 0 ? options.merchants : await loadMerchants(store);
  return auditEach(merchants, options, (merchant, one) => auditMirrored(store, merchant, one));
}

async function auditMirrored(
  store: Store,
  merchant: string,
  options: AuditSourceOptions,
): Promise<AuditReport> {
  const judging = options.optionsFor(merchant);
  const reading = await loadReading(store, merchant);
  // Books that were read in part contradict themselves wherever a row is not there yet.
  if (reading === null) return unreachable(merchant, 'no run has read these books to their end');
  const { watermark: readUntil, behind } = reading;
  const { published } = options;
  const { asOf } = judging;
  const isPast = asOf < readUntil;
  const of = { merchant, at: asOf };
  const kept = () => loadPayouts(store, of);
  const keptPayments = ({ from }: Span) => loadKeptPayments(store, { ...of, from });
  const compared = published
    ? await comparePublished(published, { merchant, asOf, isPast, kept, keptPayments })
    : null;
  const tampered = await compareWithChain(store, merchant);
  const judged: Judged = {
    ...judging,
    // The mirror is judged as of its last reading. Of later rows it has only operations that were
    // requested by name, without their lines.
    asOf: readUntil,
    askedUntil: asOf,
    cut: isPast ? await cutAt(store, merchant, asOf) : null,
    compared: compared?.part ?? null,
    tampered,
  };
  try {
    return await auditStored(store, merchant, {
      judged,
      behind: isPast ? null : behind,
      ...options,
    });
  } catch (failure) {
    // A table that was altered from outside may have rows that cannot be read.
    if (tampered === null || failure instanceof StoreFailed) throw failure;
    const nothing = unreadable(
      merchant,
      failure instanceof Error ? failure.message : String(failure),
    );
    return await auditSnapshot(nothing, { ...judged, onProgress: () => {} });
  }
}

async function cutAt(store: Store, merchant: string, end: Instant): Promise<CutWish> {
  const [closed, ended] = [
    await loadClosedMonths(store, merchant),
    await loadEndedBefore(store, merchant, end),
  ];
  return { end, closed, ended, withWallet: true };
}

type Judged = Omit<AuditOptions, 'onProgress'>;

interface StoredTask extends Pick<AuditSourceOptions, 'onMerchant'> {
  readonly judged: Judged;
  /**
   * The clock of the reading when it was behind; `null` otherwise, and for an instant in the past,
   * which that clock had already passed.
   */
  readonly behind: NonNullable<Awaited<ReturnType<typeof loadReading>>>['behind'];
}

async function auditStored(store: Store, merchant: string, task: StoredTask): Promise<AuditReport> {
  const { judged, behind, onMerchant } = task;
  await using snapshot = closable(
    await openMirrorSnapshot(store, { merchant, after: null, watermark: null }),
  );
  const absent = behind === null ? snapshot.absent : [...snapshot.absent, behindNote(behind)];
  const replayed = await auditBy(
    reconcile,
    { ...snapshot, absent },
    {
      ...judged,
      decisions: await loadStandingDecisions(store, merchant),
      judgeNotified: (mirror, { watermark, clockTolerance }) => ({
        snapshot: mirror,
        judge: async () => {
          const changed = async function* () {};
          const notified = await judgeMirrored({
            store,
            merchant,
            watermark,
            clockTolerance,
            before: null,
            changed,
          });
          return { notified, why: notified === null ? NEVER_NOTIFIED : null };
        },
      }),
      onProgress: onMerchant(merchant, snapshot.expectedEntries),
    },
  );
  const asOf = judged.askedUntil ?? judged.asOf;
  return keepUnjudged(store, merchant, { ...replayed, asOf, isCut: judged.cut != null });
}

/**
 * Returns a snapshot without rows, for stored rows that cannot be read: the report can then only
 * say that they were altered.
 */
function unreadable(merchant: string, reason: string): Snapshot {
  const nothing = async function* () {};
  const absent = ['ledger', 'operations'].map((what) => {
    return {
      what,
      why: reason,
      incomplete: true,
      code: 'NOTHING_READ',
      figures: { reason },
    } as const;
  });
  return {
    merchant,
    profiles: [],
    moving: false,
    currency: null,
    watermark: null,
    absent,
    rejected: [],
    adjustedAt: null,
    notifications: null,
    hashOf: () => 0,
    expectedEntries: null,
    entries: nothing,
    operations: nothing,
    closing: async () => ({ wallet: null, laterEntries: [], rejected: [] }),
    recall: async () => ({ entries: [], operations: [] }),
    close: async () => {},
  };
}
