// Writes a folder that others check without us: the lines, the leaf, its proof, the key and a program that compares them
// (docs/EVIDENCE.md, "A bundle"). Refuses a folder that has something in it.

import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MonthKey } from '../../../core/domain/period.ts';
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
import { loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { withLineTexts } from '../../../io/storage/mirror/entry-chain.ts';
import { StoreFailed } from '../../../io/storage/server/store.ts';
import { type EvidenceTask, proveStatement } from './record-evidence.ts';

const VERIFIER = join(import.meta.dirname, '../../../../docs/evidence/verify.py');

/** What was written, by name. */
export interface Bundle {
  readonly files: readonly string[];
  /** The first line of the leaf after its version, in words: `night M001 12`. */
  readonly subject: string;
}

/** Of the merchant's newest night in the log. Throws `StoreFailed` (UNKNOWN_MERCHANT, or LOG_REFUSED where there is none). */
export async function exportNight(task: EvidenceTask, merchant: string, folder: string): Promise<Bundle> {
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
  const { runId, lines } = placesIn(proved);
  const outcome = await loadRunOutcome(store, { merchant, runId });
  if (outcome === null)
    throw new StoreFailed('UNKNOWN_RUN', `The report of ${merchant} of run ${runId} is no longer kept.`);
  const { report } = outcome;
  const texts = {
    'findings.txt': findingsText(report),
    'coverage.txt': coverageText(report),
    'rules.txt': rulesText(report),
  };
  await writeProved(folder, proved, log.verifierKey);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const into = createWriteStream(join(folder, 'lines.le1'));
  await withLineTexts(store, { merchant, most: lines }, (rows) => pipeline(Readable.from(rows), into));
  return { files: [...PROVED, ...Object.keys(texts), 'lines.le1'], subject: proved.subject };
}

/** Of the revision in force, with its files. Throws `StoreFailed` (UNKNOWN_MERCHANT, UNKNOWN_REPORT, LOG_REFUSED). */
export async function exportStatement(task: EvidenceTask, key: MonthKey, folder: string): Promise<Bundle> {
  await requireMerchant(task.store, key.merchant);
  const report = await loadIssuedReport(task.store, key);
  if (report === null)
    throw new StoreFailed(
      'UNKNOWN_REPORT',
      `No statement of ${key.merchant} ${key.period} was issued: see 'pointage statement issue'.`,
    );
  const proved = await proveStatement(task, report);
  const log = await openLog(task.store, task.settings, 0);
  await writeProved(folder, proved, log.verifierKey);
  const files = report.files.filter(({ format }) => format !== PROOF_FILE);
  for (const { format, fileName } of files)
    await pipeline(readReportFile(task.store, report, format), createWriteStream(join(folder, fileName)));
  return { files: [...PROVED, ...files.map(({ fileName }) => fileName)], subject: proved.subject };
}

/** For a witness that has the head of `since` leaves. Throws `StoreFailed` (LOG_REFUSED). */
export async function exportCheckpoint({ store, settings }: EvidenceTask, since: number): Promise<string> {
  return proveContinued(store, await openLog(store, settings, 0), since);
}

const PROVED = ['verify.py', 'log.vkey', 'leaf.txt', 'leaf.tlog-proof'];

async function writeProved(folder: string, { text, proof }: ProvedLeaf, verifierKey: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw Object.assign(new Error(`${folder} is not empty: give a new folder with --out.`), { code: 'ENOTEMPTY' });
  await copyFile(VERIFIER, join(folder, 'verify.py'));
  await writeFile(join(folder, 'log.vkey'), `${verifierKey}\n`);
  await writeFile(join(folder, 'leaf.txt'), text);
  await writeFile(join(folder, 'leaf.tlog-proof'), proof);
}

/** The run, and how many lines, of a leaf of a night. */
function placesIn({ text }: ProvedLeaf): { readonly runId: number; readonly lines: number } {
  const valueAt = (key: string): number => Number(new RegExp(`^${key}\t(\\d+)$`, 'm').exec(text)?.[1]);
  return { runId: valueAt('run'), lines: valueAt('lines') };
}
