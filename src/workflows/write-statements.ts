// Writes the statements of a month, merchant after merchant: audits the books from the first line, states the month, and
// writes it in each format. One merchant whose month cannot be stated does not hold up the others.

import type { Instant } from '../domain/instant.ts';
import { boundsOf, formatPeriod, type Period } from '../domain/period.ts';
import type { Reading } from '../domain/reading.ts';
import type { Zone } from '../domain/zone.ts';
import type { FormatOptions, StatementFormat } from '../formats/format.ts';
import { type Source, SourceFailed } from '../sources/source.ts';
import type { JournalSettings } from '../statements/journal.ts';
import type { PhoneNumbers, Statement } from '../statements/statement.ts';
import { StatementRefused } from '../statements/statement-refused.ts';
import { loadMerchants } from '../storage/load-merchants.ts';
import { loadWatermark } from '../storage/load-watermark.ts';
import { openMirrorReading } from '../storage/mirror-reading.ts';
import type { Store } from '../storage/open-store.ts';
import { type AuditOptions, auditReading } from './audit-reading.ts';
import { refuseUnended, stateMonth } from './state-month.ts';
import { loadIssued, saveStatement, type WrittenFile } from './statement-folder.ts';

/** Where books that can be read more than once come from: files, tables, or the mirror. */
export interface BookShelf {
  merchants(): Promise<readonly string[]>;
  open(merchant: string): Promise<OpenBooks>;
}

export interface OpenBooks {
  readonly reading: Reading;
  /** The books are known to be complete up to here; null: as far as the caller says. */
  readonly completeUntil: Instant | null;
}

export interface WriteStatementsTask {
  readonly shelf: BookShelf;
  readonly merchants: readonly string[];
  readonly period: Period;
  readonly folder: string;
  /** JSON is written in any case, first: revisions are told by it. */
  readonly formats: readonly StatementFormat[];
  readonly options: FormatOptions;
  readonly phoneNumbers: PhoneNumbers;
  readonly zoneFor: (merchant: { readonly reference: string; readonly country: string | null }) => Zone;
  readonly journalFor: (merchant: string) => JournalSettings;
  readonly auditFor: (merchant: string) => Omit<AuditOptions, 'onProgress'>;
  readonly engine: string;
  readonly now: Instant;
  /** Told when a merchant begins, with its expected number of lines, and as they pass. */
  readonly onMerchant: (merchant: string, expectedEntries: number | null) => (entries: number) => void;
}

export type StatementOutcome =
  | { readonly merchant: string; readonly statement: Statement; readonly files: readonly WrittenFile[] }
  | { readonly merchant: string; readonly refused: string };

export async function writeStatements(task: WriteStatementsTask): Promise<readonly StatementOutcome[]> {
  const outcomes: StatementOutcome[] = [];
  for (const merchant of task.merchants) {
    try {
      outcomes.push(await writeStatement(task, merchant));
    } catch (failure) {
      if (!(failure instanceof StatementRefused || failure instanceof SourceFailed)) throw failure;
      outcomes.push({ merchant, refused: failure.message });
    }
  }
  return outcomes;
}

async function writeStatement(task: WriteStatementsTask, merchant: string): Promise<StatementOutcome> {
  const { period, folder, engine } = task;
  const { reading, completeUntil } = await task.shelf.open(merchant);
  try {
    const zone = task.zoneFor({ reference: merchant, country: reading.profiles.at(-1)?.country ?? null });
    const bounds = boundsOf(period, zone);
    refuseMoving(reading);
    const until = completeUntil ?? task.now;
    // Before the work of an audit.
    refuseUnended(bounds, { period: formatPeriod(period), until: reading.watermark ?? until });
    const onProgress = task.onMerchant(merchant, reading.expectedEntries);
    const audit = task.auditFor(merchant);
    const report = await auditReading(reading, { ...audit, onProgress });
    const { opening } = audit;
    const [journal, phoneNumbers] = [task.journalFor(merchant), task.phoneNumbers];
    const document = await stateMonth({
      reading,
      report,
      month: { period, zone, bounds, boundsFrom: 'configuration', opening, journal, phoneNumbers },
      completeUntil: until,
      engine,
      generatedAt: task.now,
      issued: await loadIssued(folder, { merchant, period: formatPeriod(period) }),
      onProgress,
    });
    const files: WrittenFile[] = [];
    for (const format of task.formats)
      files.push(await saveStatement(folder, document, { format, options: task.options }));
    return { merchant, statement: document.statement, files };
  } finally {
    await reading.close();
  }
}

function refuseMoving(reading: Reading): void {
  if (!reading.moving) return;
  const message = `The books of ${reading.merchant} move while they are read: run 'pointage run' first, and make statements of the mirror (without --source).`;
  throw new StatementRefused('BOOKS_MOVE', message);
}

export function shelfOfSource(source: Source): BookShelf {
  return {
    merchants: () => source.merchants(),
    open: async (merchant) => ({ reading: await source.open(merchant, null), completeUntil: null }),
  };
}

/** The mirror, complete up to the beginning of the run that last read the merchant; what came later is there in part. */
export function shelfOfMirror(store: Store): BookShelf {
  return {
    merchants: () => loadMerchants(store),
    open: async (merchant) => {
      const completeUntil = (await loadWatermark(store, merchant)) ?? 0;
      const reading = await openMirrorReading(store, { merchant, after: null, watermark: null, described: true });
      return { reading, completeUntil };
    },
  };
}
