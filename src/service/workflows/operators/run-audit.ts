// The job `audit`: does an audit that was asked for over HTTP, and stores what it says or why it
// could not be done. One whose worker died is begun again, and says the same; one that kills every
// worker is given up.

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
   * Opens what is to be audited, audits it, and says what it was; reports the lines as they are
   * taken.
   */
  readonly perform: (
    audit: StoredAudit,
    onProgress: (entries: number) => void,
  ) => Promise<Performed>;
  readonly log: (event: object) => void;
  readonly announcements: Announcements;
}

export interface Performed {
  /** As the source names itself; holds no secret. */
  readonly source: string;
  readonly reports: readonly AuditReport[];
}

const MOST_ATTEMPTS = 5;
const PROGRESS_EVERY = 1_000;
const MOST_UNFINISHED = 1_000;

/** Rejects with an unforeseen failure: then the job is to be done again. */
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
    // An unforeseen failure may pass, as a database that restarts does: do the job again, a few
    // times.
    if (!isForReaders(failure) && audit.attempts < MOST_ATTEMPTS) throw failure;
    const error = isForReaders(failure)
      ? failure.message
      : 'The audit could not be done; the log of the engine says why.';
    await end({ error });
  }
}

/** What is meant for people, and would be the same the next time. */
function isForReaders(failure: unknown): failure is Error {
  return (
    failure instanceof SourceFailed ||
    failure instanceof StoreFailed ||
    failure instanceof AuditRefused
  );
}

/** An audit that cannot be done as it was asked for; the message says why. */
export class AuditRefused extends Error {
  override readonly name = 'AuditRefused';
}

/**
 * Sends every audit that has not ended: those whose job was never sent, because the process died in
 * between, and those whose job was lost. An audit that is queued or at work already adds nothing,
 * since its id is the key of its job.
 */
export async function sendUnfinishedAudits(store: Store, jobs: Jobs): Promise<void> {
  const ids = await listUnfinishedAudits(store, MOST_UNFINISHED);
  await jobs.send(ids.map((auditId) => ({ kind: 'audit', data: { auditId } })));
}

/**
 * Writes how far it has come once a second, one write at a time. A write that fails is not worth an
 * audit.
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
