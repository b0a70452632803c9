// Writes a folder that others check without us: the lines, the leaf, its proof, the key, and a
// program that compares them (docs/EVIDENCE.md, "A bundle"). Refuses a folder that is not empty.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MonthKey } from '../../../core/domain/period.ts';
import { type KitPart, textPart } from '../../../io/evidence/audit-kit.ts';
import { coverageText, findingsText, rulesText } from '../../../io/evidence/leaf.ts';
import { PROOF_FILE } from '../../../io/formats/deltas.ts';
import {
  findNewestNight,
  openLog,
  type ProvedLeaf,
  proveContinued,
  proveLeaf,
} from '../../../io/storage/evidence/log.ts';
import { loadRunOutcome } from '../../../io/storage/evidence/night-leaves.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { loadIssuedReport, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { withLineTexts } from '../../../io/storage/mirror/entry-chain.ts';
import { StoreFailed } from '../../../io/storage/server/store.ts';
import { type EvidenceTask, proveStatement } from './record-evidence.ts';

const VERIFIER = join(import.meta.dirname, '../../../../docs/evidence/verify.py');

/** What was written. `files` has the names of the files. */
export interface Bundle {
  readonly files: readonly string[];
  /** The subject line of the leaf, for example `night M001 12`. */
  readonly subject: string;
}

/**
 * Writes the bundle of the merchant's newest night. Throws like `nightParts`, and an Error
 * (ENOTEMPTY) when the folder is not empty.
 */
export async function exportNight(
  task: EvidenceTask,
  merchant: string,
  folder: string,
): Promise<Bundle> {
  return writeBundle(await nightParts(task, merchant), folder);
}

interface BundleParts extends Pick<Bundle, 'subject'> {
  readonly parts: readonly KitPart[];
}

/**
 * Returns the files about the merchant's newest night in the log. Throws `StoreFailed`:
 * UNKNOWN_MERCHANT; LOG_REFUSED when the log has no night of the merchant; UNKNOWN_RUN when its
 * report is no longer stored.
 */
export async function nightParts(task: EvidenceTask, merchant: string): Promise<BundleParts> {
  const { store } = task;
  await requireMerchant(store, merchant);
  const log = await openLog(store, task.settings, 0);
  const subject = await findNewestNight(store, log, merchant);
  const proved = subject === null ? null : await proveLeaf(store, log, subject);
  if (proved === null)
    throw new StoreFailed(
      'LOG_REFUSED',
      `The log has no signed night of ${merchant} yet: the next run with news enters one.`,
    );
  const { runId, lines: most } = placesIn(proved);
  const outcome = await loadRunOutcome(store, { merchant, runId });
  if (outcome === null)
    throw new StoreFailed(
      'UNKNOWN_RUN',
      `The report of ${merchant} of run ${runId} is no longer kept.`,
    );
  const { report } = outcome;
  const parts = [
    ...provedParts(proved, log.verifierKey),
    textPart('findings.txt', findingsText(report)),
    textPart('coverage.txt', coverageText(report)),
    textPart('rules.txt', rulesText(report)),
    linesPart(store, { path: 'lines.le1', merchant, most }),
  ];
  return { parts, subject: proved.subject };
}

/** Returns the part that writes the first `most` stored lines as LE1. */
export function linesPart(
  store: EvidenceTask['store'],
  { path, ...of }: { readonly path: string; readonly merchant: string; readonly most: number },
): KitPart {
  return {
    path,
    write: (out) => withLineTexts(store, of, (rows) => pipeline(Readable.from(rows), out)),
  };
}

/**
 * Writes the bundle of a month's revision in force, with its files. Throws `StoreFailed`
 * (UNKNOWN_MERCHANT, UNKNOWN_REPORT, LOG_REFUSED), and an Error (ENOTEMPTY).
 */
export async function exportStatement(
  task: EvidenceTask,
  key: MonthKey,
  folder: string,
): Promise<Bundle> {
  await requireMerchant(task.store, key.merchant);
  const report = await loadIssuedReport(task.store, key);
  if (report === null)
    throw new StoreFailed(
      'UNKNOWN_REPORT',
      `No statement of ${key.merchant} ${key.period} was issued: see 'pointage statement issue'.`,
    );
  const proved = await proveStatement(task, report);
  const log = await openLog(task.store, task.settings, 0);
  const files = report.files.filter(({ format }) => format !== PROOF_FILE);
  const parts = [
    ...provedParts(proved, log.verifierKey),
    ...fileParts(task.store, { ...report, files }),
  ];
  return writeBundle({ parts, subject: proved.subject }, folder);
}

/** Returns the report's files as they were issued. */
export function fileParts(store: EvidenceTask['store'], report: ReportRecord): readonly KitPart[] {
  return report.files.map(({ format, fileName }) => ({
    path: fileName,
    write: (out) => pipeline(readReportFile(store, report, format), out),
  }));
}

/**
 * Returns the proof that the log has only grown, for a witness that has the head of `since` leaves.
 * Throws `StoreFailed` (LOG_REFUSED).
 */
export async function exportCheckpoint(
  { store, settings }: EvidenceTask,
  since: number,
): Promise<string> {
  return proveContinued(store, await openLog(store, settings, 0), since);
}

function provedParts({ text, proof }: ProvedLeaf, verifierKey: string): readonly KitPart[] {
  return [
    { path: 'verify.py', write: (out) => pipeline(createReadStream(VERIFIER), out) },
    textPart('log.vkey', `${verifierKey}\n`),
    textPart('leaf.txt', text),
    textPart('leaf.tlog-proof', proof),
  ];
}

async function writeBundle({ parts, subject }: BundleParts, folder: string): Promise<Bundle> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw Object.assign(new Error(`${folder} is not empty: give a new folder with --out.`), {
      code: 'ENOTEMPTY',
    });
  for (const { path, write } of parts) await write(createWriteStream(join(folder, path)));
  return { files: parts.map(({ path }) => path), subject };
}

/** Reads the id of the run and the number of lines from the leaf of a night. */
function placesIn({ text }: ProvedLeaf): { readonly runId: number; readonly lines: number } {
  const valueAt = (key: string): number =>
    Number(new RegExp(`^${key}\t(\\d+)$`, 'm').exec(text)?.[1]);
  return { runId: valueAt('run'), lines: valueAt('lines') };
}
