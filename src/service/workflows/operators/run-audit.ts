// The job `audit`: makes an audit that was requested over HTTP, and stores its result or the reason
// why it failed. If its worker dies, the audit is begun again and gives the same result. An audit
// that kills every worker is given up.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { auditDocument } from '../../../core/kernel/reconcile/audit-document.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import {
  endAudit,
  listUnfinishedAudits,
  noteEntriesRead,
  type StoredAudit,
  takeAudit,
} from '../../../io/storage/operators/audits.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import type { Announcements, AuditEnd } from '../announcements.ts';
import type { Jobs } from '../jobs.ts';

export interface AuditJobTask {
  readonly store: Store;
  readonly engine: string;
  readonly clock: () => Instant;
  /**
   * Opens the books to audit and audits them. `onProgress` is called with the number of lines read
   * so far.
   */
  readonly perform: (
    audit: StoredAudit,
    onProgress: (entries: number) => void,
  ) => Promise<Performed>;
  readonly log: (event: object) => void;
  readonly announcements: Announcements;
}

export interface Performed {
  /** The source's own name, which holds no secret. */
  readonly source: string;
  readonly reports: readonly AuditReport[];
}

const MOST_ATTEMPTS = 5;
const PROGRESS_EVERY = 1_000;
const MOST_UNFINISHED = 1_000;

/** Makes the audit. Rejects with a failure that may pass: the job must then be tried again. */
export async function runAudit(task: AuditJobTask, auditId: string): Promise<void> {
  const { store, engine, clock } = task;
  const audit = await takeAudit(store, auditId, clock());
  if (audit === null) return;
  const progress = watchProgress(task, auditId);
  const end = (ended: AuditEnd) => {
    const announced = task.announcements.audit(audit, ended);
    return endAudit(store, auditId, {
      ...ended,
      at: clock(),
      entries: progress.entries(),
      announced,
    });
  };
  try {
    if (audit.attempts > MOST_ATTEMPTS)
      throw new AuditRefused(
        `The audit was given up: its process ended before it did, ${MOST_ATTEMPTS} times.`,
      );
    const { source, reports } = await task.perform(audit, progress.note);
    const result = auditDocument({ engine, asOf: audit.asOf, source, merchants: reports });
    await progress.settled();
    await end({ result });
  } catch (failure) {
    task.log({ event: 'audit failed', auditId, merchant: audit.merchant, failure });
    await progress.settled();
    // An unforeseen failure may pass, for example when the database restarts, so the job is tried a
    // few times.
    if (!isForReaders(failure) && audit.attempts < MOST_ATTEMPTS) throw failure;
    const error = isForReaders(failure)
      ? failure.message
      : 'The audit could not be done; the log of the engine says why.';
    await end({ error });
  }
}

/**
 * Tells whether the message is meant for people. Such a failure would be the same at the next
 * attempt.
 */
function isForReaders(failure: unknown): failure is Error {
  return (
    failure instanceof SourceFailed ||
    failure instanceof StoreFailed ||
    failure instanceof AuditRefused
  );
}

/** Thrown for an audit that cannot be made as requested; the message says why. */
export class AuditRefused extends Error {
  override readonly name = 'AuditRefused';
}

/**
 * Queues a job for every audit that has not ended, because a job may be lost, or never sent when a
 * process died. For an audit that is queued or at work nothing is added, because its id is the key
 * of its job.
 */
export async function sendUnfinishedAudits(store: Store, jobs: Jobs): Promise<void> {
  const ids = await listUnfinishedAudits(store, MOST_UNFINISHED);
  await jobs.send(ids.map((auditId) => ({ kind: 'audit', data: { auditId } })));
}

/**
 * Stores the number of lines read so far, at most once a second and one write at a time. A failed
 * write is only logged, because progress is not worth the audit.
 */
function watchProgress({ store, clock, log }: AuditJobTask, auditId: string) {
  let entries = 0;
  let writtenAt = clock();
  let writing: Promise<void> | null = null;
  return {
    note(count: number): void {
      entries = count;
      if (writing !== null || clock() - writtenAt < PROGRESS_EVERY) return;
      writtenAt = clock();
      writing = noteEntriesRead(store, auditId, count)
        .catch((failure) => log({ event: 'progress not written', auditId, failure }))
        .finally(() => {
          writing = null;
        });
    },
    entries: () => entries,
    settled: async () => void (await writing),
  };
}
