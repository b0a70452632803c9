// Writes the statements of a month to a folder, one merchant after the other, in each format:
// `RELEVE_<merchant>_<period>_r1.json`, … A merchant whose month cannot be stated does not hold up
// the others. A revision is never overwritten; the next revision is compared with its JSON file.

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { formatPeriod, type MonthKey, statementName } from '../../../core/domain/period.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import { reconcile } from '../../../core/kernel/reconcile/session.ts';
import { booksLeftBy } from '../../../core/statements/books-before.ts';
import { isNothingYet, StatementRefused } from '../../../core/statements/exact.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { periodFigures } from '../../../core/statements/tables/bridge.ts';
import { DELTAS, deltasOf, SERVICE_FILE } from '../../../io/formats/deltas.ts';
import type {
  FormatOptions,
  StatementDocument,
  WrittenFormat,
} from '../../../io/formats/port/format.ts';
import { statementIn } from '../../../io/formats/read-back/read-back.ts';
import { readLanguage } from '../../../io/formats/text/json.ts';
import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import { loadClosedMonths } from '../../../io/storage/issued/month-lock.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { knowsMerchant, loadMerchants } from '../../../io/storage/merchants/merchants.ts';
import { hasNewsOf, loadEndedBefore } from '../../../io/storage/mirror/changed-months.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { loadWatermark } from '../../../io/storage/mirror/stored-extent.ts';
import { makeFolder } from '../../../io/storage/server/make-folder.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { auditBy } from '../audit/audit-snapshot.ts';
import { keepUnjudged } from '../audit/keep-unjudged.ts';
import {
  type IssuedMonth,
  type IssuedReport,
  issuedIn,
  type ListIssued,
  openIssued,
} from './issued-months.ts';
import {
  type Audited,
  auditAtCut,
  auditFromCheckpoint,
  rowsOfMirror,
  rowsOfSnapshot,
} from './month-rows.ts';
import {
  type AskIssued,
  type BookRepository,
  type MonthBefore,
  type MonthTask,
  type OpenBooks,
  stateOpenMonth,
  withOpenMonth,
} from './open-month.ts';
import { auditQuietMonth } from './quiet-month.ts';
import { knownLinks } from './read-links.ts';
import { serviceFileOf } from './service-month.ts';

export type { BookRepository };

export interface WriteStatementsTask extends MonthTask {
  readonly merchants: readonly string[];
  readonly folder: string;
  /**
   * The formats to write. JSON must come first and is always written, because revisions are
   * recognized by it.
   */
  readonly formats: readonly WrittenFormat[];
  readonly options: FormatOptions;
}

export type StatementOutcome =
  | {
      readonly merchant: string;
      readonly statement: Statement;
      readonly files: readonly WrittenFile[];
      /** True when the files are those of the report that was issued for the month. */
      readonly isIssued: boolean;
    }
  | {
      readonly merchant: string;
      readonly refused: string;
      /** Nothing is missing: the account was opened after the period. */
      readonly isNothingYet?: true;
    };

export async function writeStatements(
  task: WriteStatementsTask,
): Promise<readonly StatementOutcome[]> {
  const outcomes: StatementOutcome[] = [];
  let written: Promise<Written> | undefined;
  // Listed once for all merchants: no two merchants share a file name, so files written for one
  // merchant do not change what the next one finds.
  const list: ListWritten = () => (written ??= writtenIn(task.folder));
  for (const merchant of task.merchants) {
    try {
      outcomes.push(await writeStatement(task, merchant, list));
    } catch (failure) {
      if (isOfFolder(failure)) throw unwritten(task, outcomes.length, failure);
      if (!(failure instanceof StatementRefused || failure instanceof SourceFailed)) throw failure;
      const { message: refused } = failure;
      const nothing = isNothingYet(failure) ? ({ isNothingYet: true } as const) : {};
      outcomes.push({ merchant, refused, ...nothing });
    }
  }
  return outcomes;
}

/**
 * Codes of a failed write for which the folder is to blame, for example a full disk or missing
 * rights.
 */
const OF_FOLDER = [
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENOTDIR',
  'ENAMETOOLONG',
];

function isOfFolder(failure: unknown): failure is NodeJS.ErrnoException {
  return (
    failure instanceof Error &&
    'syscall' in failure &&
    OF_FOLDER.includes(String((failure as { code?: unknown }).code))
  );
}

const MOST_NAMED = 10;

/**
 * Returns the error that ends the command and names the merchants not written, because they would
 * fail in the same folder too.
 */
function unwritten(
  task: WriteStatementsTask,
  written: number,
  failure: NodeJS.ErrnoException,
): Error {
  const { merchants, folder, period } = task;
  const missing = merchants.slice(written);
  const more = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  const names = `${missing.slice(0, MOST_NAMED).join(', ')}${more}`;
  const lacking = `${formatPeriod(period)} is missing of ${missing.length} of ${merchants.length} merchants (${names})`;
  const message = `${failure.message}. ${lacking}: make room in ${folder}, or give another folder with --out, and run the command again.`;
  return Object.assign(new Error(message, { cause: failure }), { code: failure.code });
}

async function writeStatement(
  task: WriteStatementsTask,
  merchant: string,
  list: ListWritten,
): Promise<StatementOutcome> {
  const { folder, repository } = task;
  const key = { merchant, period: formatPeriod(task.period) };
  const report = (await repository.issued?.report(key)) ?? null;
  // An issued document has no ledger at its end, so the statement is made again when a ledger is
  // wanted.
  if (report !== null && task.options.withLedger !== true) return copyIssued(task, report);
  const written = await list();
  const before =
    report?.statement == null
      ? await loadIssued(written, key)
      : {
          issued: report.statement,
          readJson: () => repository.issued!.read(report.report, 'json'),
        };
  const issuedMonths: ListIssued = async (_, year) => {
    const inStore = (await repository.issued?.months(merchant, year)) ?? [];
    return inStore.length > 0 ? inStore : listWritten(written, merchant, year);
  };
  const joined = { ...task, issuedMonths };
  return withOpenMonth(
    joined,
    { merchant, issuedBounds: before?.issued.period ?? null },
    async (month) => {
      const document = await stateOpenMonth(
        { ...joined, issuedOf: (other) => loadCompared(task, written, other) },
        month,
        before,
      );
      if (report !== null && document.statement.revision.number !== report.report.revision)
        throw new StatementRefused(
          'ISSUED_OTHERWISE',
          `${key.period} of ${merchant} is issued otherwise than it would be now: issue it again.`,
        );
      const files: WrittenFile[] = [];
      const names = task.formats.map(({ name }) => name);
      for (const format of [
        ...task.formats,
        ...deltasOf(document, names),
        ...serviceFileOf(document),
      ])
        files.push(await saveStatement(folder, document, { format, options: task.options }));
      return { merchant, statement: document.statement, files, isIssued: false };
    },
  );
}

/**
 * Writes the files that were issued for the month. Files made again might differ under the same
 * revision number.
 */
async function copyIssued(
  { folder, formats, repository }: WriteStatementsTask,
  { report, statement }: IssuedReport,
): Promise<StatementOutcome> {
  const { merchant, period, revision } = report;
  const name = statementName({ merchant, period }, revision);
  const names = formats.map((format) => format.name);
  const lacking = names.filter((one) => report.files.every(({ format }) => format !== one));
  if (statement === null || lacking.length > 0)
    throw new StatementRefused(
      'ISSUED_OTHERWISE',
      `${name} was issued without ${lacking.join(' and ')}.`,
    );
  const wanted = [
    ...names,
    ...DELTAS.filter(({ of }) => names.includes(of)).map((delta) => delta.name),
    SERVICE_FILE,
  ];
  const files: WrittenFile[] = [];
  for (const { format, fileName, sha256 } of report.files.filter((one) =>
    wanted.includes(one.format),
  )) {
    const hasOwnName = formats.find((one) => one.name === format)?.fileName !== undefined;
    const file = hasOwnName ? join(folder, name, fileName) : join(folder, fileName);
    const isNew = await putFile(file, (out) =>
      pipeline(repository.issued!.read(report, format), out),
    );
    const hash = createHash('sha256');
    if (!isNew) await pipeline(createReadStream(file), hash);
    files.push({ file, isNew });
    if (isNew || hash.digest('hex') === sha256) continue;
    const message = `${file} is there with other content than was issued: move it away, or give another folder with --out.`;
    throw new StatementRefused('ISSUED_OTHERWISE', message);
  }
  return { merchant, statement, files, isIssued: true };
}

/** Lists the months of the merchant for which the folder has statements. */
async function listWritten(
  written: Written,
  merchant: string,
  year = '',
): Promise<readonly IssuedMonth[]> {
  const periods = new Set(
    [...written.keys()].flatMap((name) => /_(\d{4}-\d\d)_r$/.exec(name)?.[1] ?? []),
  );
  const months: IssuedMonth[] = [];
  for (const period of [...periods].sort()) {
    const isWanted = period.startsWith(year);
    const before = isWanted
      ? await loadIssued(written, { merchant, period }).catch(() => null)
      : null;
    if (before !== null)
      months.push({ ...before.issued.period, statement: async () => before.issued });
  }
  return months;
}

interface WrittenFile {
  readonly file: string;
  /** False when this revision was there already and was left as it is. */
  readonly isNew: boolean;
}

/**
 * Returns the merchant's part of file names as earlier versions wrote it. Two references could then
 * give the same name.
 */
const formerly = (merchant: string): string => merchant.replace(/[^\p{L}\p{N}_-]/gu, '_');

/**
 * Returns the newest revision in the folder that states this merchant, under its present or its
 * former name. When a file under the present name is not the merchant's, throws `StatementRefused`
 * (another merchant's statement) or an Error with a `code` (unreadable).
 */
async function loadIssued(
  written: Written,
  key: MonthKey,
): Promise<(MonthBefore & { issued: Statement }) | null> {
  const name = statementName(key, '');
  for (const start of new Set([name, statementName(key, '', formerly(key.merchant))])) {
    for (const file of written.get(start.normalize('NFC')) ?? []) {
      const issued = await statementIn(createReadStream(file));
      if (issued?.merchant.reference === key.merchant)
        return { issued, readJson: () => createReadStream(file) };
      if (start !== name) continue;
      const taken = `${file} is a statement of another merchant: move it away, or give --out.`;
      if (issued !== null) throw new StatementRefused('NAME_TAKEN', taken);
      const message = `${file} is not a statement that this version wrote; move it away to begin again with revision 1.`;
      throw Object.assign(new Error(message), { code: 'STATEMENT_UNREADABLE' });
    }
  }
  return null;
}

/**
 * Returns the issued statement of another period from the store, otherwise from the folder. A file
 * that is not one of our statements is ignored.
 */
async function loadCompared(
  { repository }: WriteStatementsTask,
  written: Written,
  key: MonthKey,
): ReturnType<AskIssued> {
  const inFolder = async () => (await loadIssued(written, key).catch(() => null))?.issued ?? null;
  const issued = (await repository.issued?.report(key))?.statement ?? (await inFolder());
  if (issued === null) return null;
  return {
    ...issued,
    figures: periodFigures(issued),
    books: booksLeftBy(key.period, issued.journal),
  };
}

/** Writes one format. The file appears whole or not at all. */
async function saveStatement(
  folder: string,
  document: StatementDocument,
  how: { readonly format: Omit<WrittenFormat, 'name'>; readonly options: FormatOptions },
): Promise<WrittenFile> {
  const { merchant, period, revision } = document.statement;
  const name = statementName(
    { merchant: merchant.reference, period: period.period },
    revision.number,
  );
  // A format's own file name may be the same for another merchant, so the file goes into a folder
  // named after the statement.
  const own = how.format.fileName?.(document.statement);
  const file =
    own === undefined ? join(folder, `${name}.${how.format.extension}`) : join(folder, name, own);
  if (how.format.extension === 'json' && existsSync(file))
    await refuseOtherLanguage(file, how.options);
  return {
    file,
    isNew: await putFile(file, (out) => how.format.write(document, how.options, out)),
  };
}

/** Returns false when the file is there already; it then stays as it is. */
async function putFile(file: string, write: (out: Writable) => Promise<void>): Promise<boolean> {
  if (existsSync(file)) return false;
  const unfinished = `${file}.${process.pid}.part`;
  try {
    makeFolder(dirname(file));
    await write(createWriteStream(unfinished));
    await rename(unfinished, file);
  } catch (failure) {
    await rm(unfinished, { force: true }).catch(() => {});
    // The system's message for a failed write names no file.
    if (failure instanceof Error && 'syscall' in failure)
      failure.message = `${file} cannot be written (${failure.message})`;
    throw failure;
  }
  return true;
}

/**
 * Refuses to write files of another language beside those that are kept. JSON must be written first
 * for this check to come in time.
 */
async function refuseOtherLanguage(file: string, { language }: FormatOptions): Promise<void> {
  const kept = readLanguage(await text(createReadStream(file, { end: 99 })));
  if (kept === null || kept === language) return;
  const message = `${file} and the files beside it are in the language '${kept}', and a revision is never written over: take --lang ${kept}, or another folder by --out.`;
  throw new StatementRefused('OTHER_LANGUAGE', message);
}

/**
 * The JSON files of a folder, newest revision first, by their names without the revision:
 * `RELEVE_M001_2026-10_r`.
 */
type Written = ReadonlyMap<string, readonly string[]>;
type ListWritten = () => Promise<Written>;

async function writtenIn(folder: string): Promise<Written> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = names.flatMap((name) => {
    // A file system may return an accent as a character of its own.
    const [, start, revision] = /^(.+_r)(\d+)\.json$/s.exec(name.normalize('NFC')) ?? [];
    return start === undefined
      ? []
      : [{ start, revision: Number(revision), file: join(folder, name) }];
  });
  const newestFirst = files.sort((a, b) => b.revision - a.revision);
  const byStart = Map.groupBy(newestFirst, ({ start }) => start);
  return new Map([...byStart].map(([start, of]) => [start, of.map(({ file }) => file)]));
}

export function repositoryOfSource(source: Source): BookRepository {
  return {
    merchants: () => source.merchants(),
    knows: async (merchant) => (await source.merchants()).includes(merchant),
    open: async (merchant) => {
      const snapshot = await source.open(merchant, null, 'described');
      const audit: OpenBooks['audit'] = ({ options }) => auditBy(reconcile, snapshot, options);
      const auditAt: OpenBooks['auditAt'] = (cut, options) => auditAtCut(snapshot, options, cut);
      return {
        snapshot,
        completeUntil: null,
        audit,
        auditAt,
        rows: () => rowsOfSnapshot(snapshot),
      };
    },
  };
}

/**
 * Opens books from the mirror. They are complete up to the beginning of the run that last read the
 * merchant; of later rows only some are there. `unread` says what could not be read again.
 */
export function repositoryOfMirror(store: Store, unread: Note | null = null): BookRepository {
  return {
    merchants: () => loadMerchants(store),
    knows: (merchant) => knowsMerchant(store, merchant),
    issued: {
      months: issuedIn(store),
      report: (key) => openIssued(store, key),
      read: (report, format) => readReportFile(store, report, format),
    },
    open: async (merchant) => {
      const completeUntil = (await loadWatermark(store, merchant)) ?? 0;
      // The watermark excludes later rows too: among them are operations that were requested by
      // name, whose lines are not there yet.
      const snapshot = await openMirrorSnapshot(store, {
        merchant,
        after: null,
        watermark: completeUntil,
        unread,
        described: true,
      });
      const closed = await loadClosedMonths(store, merchant);
      const chain = await snapshot.chain();
      const decisions = await loadStandingDecisions(store, merchant);
      const kept = async <One extends Pick<Audited, 'report' | 'unjudged'>>(
        audited: One,
        isCut: boolean,
      ) => {
        const report = await keepUnjudged(store, merchant, {
          ...audited,
          asOf: completeUntil,
          isCut,
        });
        return { ...audited, report };
      };
      const audit: OpenBooks['audit'] = async ({ engine, options }) =>
        kept(
          await auditFromCheckpoint(snapshot, { engine, options: { ...options, decisions } }),
          false,
        );
      const auditAt: OpenBooks['auditAt'] = async (given, options, now) => {
        const cut = { ...given, ended: await loadEndedBefore(store, merchant, given.end) };
        const quiet = await auditQuietMonth(snapshot, now, cut);
        return quiet ?? kept(await auditAtCut(snapshot, { ...options, decisions }, cut), true);
      };
      const rows: OpenBooks['rows'] = (audited) => rowsOfMirror(snapshot, audited);
      const learned: OpenBooks['learned'] = {
        until: snapshot.intake,
        since: (news) => hasNewsOf(store, merchant, news),
      };
      const links: OpenBooks['links'] = (of) => knownLinks(store, merchant, of);
      return {
        snapshot,
        completeUntil,
        closed,
        unread,
        chain,
        learned,
        audit,
        auditAt,
        rows,
        links,
      };
    },
  };
}
