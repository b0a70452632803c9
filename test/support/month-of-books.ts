// A month of books in memory, stated by the real workflow, for tests of statements.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import { boundsOf, parseDay, parsePeriod, parseYear } from '../../src/core/domain/period.ts';
import type { Snapshot } from '../../src/core/domain/snapshot.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import type { ReconcileSettings } from '../../src/core/kernel/reconcile/books.ts';
import type { CutWish } from '../../src/core/kernel/reconcile/session.ts';
import { judgeInMemory, reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import type { Cut } from '../../src/core/kernel/replay/cut.ts';
import { booksLeftBy } from '../../src/core/statements/books-before.ts';
import { bindRates } from '../../src/core/statements/entries/books.ts';
import { DEFAULT_JOURNAL, type JournalEntry } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import type {
  StatementLine,
  StatementOperation,
  StatementPayment,
} from '../../src/core/statements/statement-line.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import { rowsOfSnapshot } from '../../src/service/workflows/month/month-rows.ts';
import { NO_LINKS } from '../../src/service/workflows/month/read-links.ts';
import { type StateMonthTask, stateMonth } from '../../src/service/workflows/month/state-month.ts';
import { type DecodedBooks, settingsOf } from './sandbox-books.ts';

export interface StatedMonth {
  readonly statement: Statement;
  readonly lines: readonly StatementLine[];
  readonly operations: readonly StatementOperation[];
  readonly payments: readonly StatementPayment[];
}

export type MonthWish = Partial<Omit<StateMonthTask, 'month'>> & {
  readonly period: string;
  readonly zone?: string;
  readonly month?: Partial<StateMonthTask['month']>;
  readonly batchRows?: number;
  /** The report at the cut, in place of the one that the books give there. */
  readonly atCut?: AuditReport;
};

export function snapshotOf(books: DecodedBooks, batchRows = 700): Snapshot {
  async function* batches<Row>(rows: readonly Row[]) {
    for (let from = 0; from < rows.length; from += batchRows) {
      yield { rows: rows.slice(from, from + batchRows), rejected: [] };
    }
  }
  const operations = books.operations
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map((operation) => ({ operation, previous: null }));
  return {
    merchant: books.profile.reference,
    profiles: [books.profile],
    moving: false,
    currency: books.wallet.currency,
    watermark: books.asOf,
    absent: [],
    rejected: [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    expectedEntries: books.entries.length,
    entries: () => batches(books.entries.toSorted((a, b) => a.sequence - b.sequence)),
    operations: () => batches(operations),
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: async ({ references }) => ({
      entries: [],
      operations: operations.filter(({ operation }) => references.has(operation.reference)),
    }),
    close: async () => {},
  };
}

export function auditBooks(
  books: DecodedBooks,
  opening: ReconcileSettings['opening'] = null,
): AuditReport {
  const { entries, operations, wallet } = books;
  return reconcileInMemory(
    { entries, operations, wallet, rejected: [], absent: [] },
    { ...settingsOf(books), opening },
  );
}

/** Judges the books as they were at the end of a month. */
export function judgeAtCut(
  books: DecodedBooks,
  { opening, ...cut }: CutWish & { readonly opening: ReconcileSettings['opening'] },
): { readonly report: AuditReport; readonly cut: Cut } {
  const { entries, operations, wallet } = books;
  const judged = judgeInMemory(
    { entries, operations, wallet, rejected: [], absent: [] },
    { ...settingsOf(books), opening },
    cut,
  );
  return { report: judged.report, cut: judged.cut! };
}

export async function stateBooks(books: DecodedBooks, wish: MonthWish): Promise<StatedMonth> {
  const {
    period: text,
    zone: zoneName = 'UTC',
    month,
    batchRows,
    report: known,
    atCut,
    ...rest
  } = wish;
  const period = parsePeriod(text) ?? parseYear(text) ?? parseDay(text)!;
  const zone = openZone(zoneName)!;
  const snapshot = snapshotOf(books, batchRows);
  const bounds = month?.bounds ?? boundsOf(period, zone);
  const now = known ?? auditBooks(books, month?.opening ?? null);
  const judged = judgeAtCut(books, {
    end: bounds.end,
    closed: month?.closed ?? [],
    withWallet: false,
    opening: month?.opening ?? null,
  });
  const document = await stateMonth({
    snapshot,
    rows: rowsOfSnapshot(snapshot),
    report: atCut ?? judged.report,
    cut: judged.cut,
    now,
    month: {
      period,
      zone,
      bounds,
      boundsFrom: 'configuration',
      opening: null,
      closed: [],
      journal: DEFAULT_JOURNAL,
      before: null,
      phoneNumbers: 'masked',
      parties: { issuer: null, holder: null },
      ...month,
    },
    completeUntil: books.asOf,
    compareService: null,
    links: NO_LINKS,
    chain: null,
    comparatives: [],
    engine: 'pointage test',
    generatedAt: books.asOf,
    issued: null,
    onProgress: () => {},
    ...rest,
  });
  const lines: StatementLine[] = [];
  for await (const batch of document.lines()) lines.push(...batch);
  const operations: StatementOperation[] = [];
  for await (const batch of document.operations()) operations.push(...batch);
  const payments = [...(document.payments?.() ?? [])].flat();
  return { statement: document.statement, lines, operations, payments };
}

/** States month after month. Each goes on from what the month before has left in the books. */
export async function stateMonths(
  books: DecodedBooks,
  periods: readonly string[],
  wishOf: (period: string) => Omit<MonthWish, 'period'> = () => ({}),
): Promise<readonly StatedMonth[]> {
  const months: StatedMonth[] = [];
  for (const period of periods) {
    const last = months.at(-1)?.statement;
    const before = last === undefined ? null : booksLeftBy(last.period.period, last.journal);
    const { month, ...wish } = wishOf(period);
    const journal = month?.journal ?? DEFAULT_JOURNAL;
    const bound = { ...journal, books: bindRates(journal.books, before) };
    const settings = { ...month, journal: bound, before };
    months.push(await stateBooks(books, { ...wish, period, month: settings }));
  }
  return months;
}

/** Returns every entry of the month, those of its lines first. */
export function entriesOf({ statement, lines }: StatedMonth): readonly JournalEntry[] {
  const ofLines = lines.flatMap(({ entry }) => (entry?.source === 'line' ? [entry] : []));
  return [...ofLines, ...statement.journal.others];
}

/** Returns the month as it was stated, for a format to write. */
export function documentOf({
  statement,
  lines,
  operations,
  payments,
}: StatedMonth): StatementDocument {
  return {
    statement,
    lines: async function* () {
      yield lines;
    },
    operations: async function* () {
      yield operations;
    },
    payments: () => [payments],
  };
}

/** Returns what a statement says that later facts may not change, as texts. */
export function saidBy({ summary, findings, due }: Statement) {
  return {
    verdict: summary.verdict,
    closing: [summary.closingBalance, summary.closingReserved],
    recorded: due.recorded,
    due: due.due,
    findings: findings.rows.map(({ kind, sequence, operationReference, state, severity }) =>
      [kind, sequence, operationReference, state, severity].join(' '),
    ),
    items: due.items.map(({ kind, sequence, operationReference, balance, reserved, state }) =>
      [kind, sequence, operationReference, balance, reserved, state].join(' '),
    ),
  };
}
