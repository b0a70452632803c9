// Enters the outcome of runs and statements into the log, and signs its head. Recording must not
// hold up the work that it records: a head that cannot be signed is logged, and the next record
// tries again.

import { text } from 'node:stream/consumers';
import type { LogHead } from '../../../core/domain/delivery/delivery-channel.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { statementName } from '../../../core/domain/period.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { decisionsLeaf, nightLeaf, statementLeaf } from '../../../io/evidence/leaf.ts';
import { withLeafInside } from '../../../io/evidence/signed-note.ts';
import { PROOF_FILE } from '../../../io/formats/deltas.ts';
import { loadUnrecordedDays, subjectOf } from '../../../io/storage/evidence/decisions.ts';
import {
  appendLeaves,
  type Log,
  type LogSettings,
  type NewLeaf,
  openLog,
  type ProvedLeaf,
  proveLeaf,
  signLog,
} from '../../../io/storage/evidence/log.ts';
import { loadEndedRuns, loadNews } from '../../../io/storage/evidence/night-leaves.ts';
import { addLateFile, readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listWithout, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

/**
 * Keeps the last signed checkpoint outside the database, because a database that was restored from
 * a backup cannot know it.
 */
export interface LastSigned {
  load(): Promise<string | null>;
  save(note: string): Promise<void>;
}

export interface EvidenceTask {
  readonly store: Store;
  readonly settings: LogSettings;
  /** `null` when it is not kept. */
  readonly lastSigned: LastSigned | null;
  readonly engine: string;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}

/**
 * Must be called after a run has ended. Enters this run, runs that ended since the last record,
 * people's decisions, and statements that the HTTP server issued, because the server may not sign.
 * Returns the signed head; `null` when it could not be signed. Rejects only when the database
 * fails.
 */
export async function recordRun(task: EvidenceTask, runId: number): Promise<LogHead | null> {
  return unlessRefused(task, { runId }, async () => {
    const log = await openLog(task.store, task.settings, runId - 1);
    const ended = await loadEndedRuns(task.store, { after: log.recordedRun, until: runId });
    for (const one of new Set([...ended, runId])) {
      const leaves = await leavesOf(task, one);
      await appendLeaves(task.store, log, { leaves, recordedRun: one });
    }
    const days = await loadUnrecordedDays(task.store.pool, log, task.clock());
    const leaves = days.map((day) => ({
      subject: subjectOf(day),
      merchant: day.merchant,
      text: decisionsLeaf(day),
    }));
    await appendLeaves(task.store, log, { leaves });
    const [, size, root] = (await sign(task, log)).split('\n');
    for (const report of await listWithout(task.store, PROOF_FILE))
      await recordStatement(task, report);
    return { size: Number(size), root: root! };
  });
}

/** Returns `null`, and logs the failure, when the log is refused. */
async function unlessRefused<T>(
  task: EvidenceTask,
  about: object,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof StoreFailed && failure.code === 'LOG_REFUSED')) throw failure;
    task.log({ event: 'log not signed', ...about, failure });
    return null;
  }
}

/**
 * A report whose files include its proof. `verifierKey` is the key that checks the proof; `null`
 * when there is no proof, or when it is of an earlier log.
 */
export interface ProvedReport {
  readonly report: ReportRecord;
  readonly verifierKey: string | null;
}

/**
 * Must be called after a statement was issued. Enters it into the log and adds the proof to the
 * report's files, once. Rejects only when the database fails.
 */
export async function recordStatement(
  task: EvidenceTask,
  report: ReportRecord,
): Promise<ProvedReport> {
  const { merchant, period, revision } = report;
  const proved = await unlessRefused(task, { merchant, period }, async () => {
    const { verifierKey, signer } = await openLog(task.store, task.settings, 0);
    if (report.files.some(({ format }) => format === PROOF_FILE)) {
      const known = await text(readReportFile(task.store, report, PROOF_FILE));
      return { report, verifierKey: known.includes(`\n\n${signer.origin}\n`) ? verifierKey : null };
    }
    const content = withLeafInside(await proveStatement(task, report));
    const fileName = `${statementName(report, revision)}.tlog-proof`;
    const file = { format: PROOF_FILE, fileName, mediaType: 'text/plain', content };
    return { report: await addLateFile(task.store, report, file), verifierKey };
  });
  return proved ?? { report, verifierKey: null };
}

async function leavesOf(
  { store, engine }: EvidenceTask,
  runId: number,
): Promise<readonly NewLeaf[]> {
  const leaves: NewLeaf[] = [];
  for await (const piece of loadNews(store, runId))
    for (const { watermark: readAt, ...news } of piece) {
      const { merchant } = news.report;
      const text = nightLeaf({ ...news, runId, engine, readAt });
      leaves.push({ subject: `night ${merchant} ${runId}`, merchant, text });
    }
  return leaves;
}

/** Signs the head of the log and returns the signed note. */
async function sign({ store, lastSigned, clock }: EvidenceTask, log: Log): Promise<string> {
  const lastSeen = (await lastSigned?.load()) ?? null;
  const { note } = await signLog(store, log, { lastSeen, at: clock() });
  if (lastSeen !== note) await lastSigned?.save(note);
  return note;
}

/**
 * Returns the proof of an issued statement. A statement that is not in the log yet is entered, and
 * the log signed. Throws `StoreFailed` (LOG_REFUSED).
 */
export async function proveStatement(
  task: EvidenceTask,
  report: ReportRecord,
): Promise<ProvedLeaf> {
  const { merchant, period, revision, files } = report;
  const subject = `statement ${merchant} ${period} ${revision}`;
  const log = await openLog(task.store, task.settings, 0);
  const known = await proveLeaf(task.store, log, subject);
  if (known !== null) return known;
  const { integrity } = report.issued as IssuedStatement;
  const named = files
    .filter(({ format }) => format !== PROOF_FILE)
    .map(({ fileName: name, sha256 }) => ({ name, sha256 }));
  const text = statementLeaf({
    merchant,
    period,
    revision,
    hash: integrity.documentHash,
    files: named,
  });
  await appendLeaves(task.store, log, { leaves: [{ subject, merchant, text }] });
  await sign(task, log);
  return (await proveLeaf(task.store, log, subject))!;
}
