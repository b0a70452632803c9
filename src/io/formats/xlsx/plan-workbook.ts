// The statement as a workbook: its sheets in their order. Small sheets are made at once, because
// formulas name cells of sheets that come later; ledger, operations and journal are read row by row
// as they are written.

import type { Writable } from 'node:stream';
import type { MonthRow } from '../../../core/statements/section-movements.ts';
import type { Language } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/finding.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import { note } from '../tables/block.ts';
import { accountTable, monthsToYearBlocks } from '../tables/circumstances.ts';
import { commissionBlocks } from '../tables/commissions.ts';
import { differenceTables, findingBlocks } from '../tables/findings.ts';
import { dayBlocks, linkBlocks, linkColumn, monthBlocks, operatorBlocks } from '../tables/money.ts';
import { openItemBlocks } from '../tables/open-items.ts';
import { sumWhere } from './sheet/address.ts';
import { cellText } from './sheet/cell.ts';
import { openContext, type SheetContext, type SheetPlan } from './sheet/sheet.ts';
import { openStyles } from './sheet/styles.ts';
import { type LongSheets, type Places, type PlannedSheet, planBlocks } from './sheet/table.ts';
import { planControls } from './sheets/controls.ts';
import { planMetadata } from './sheets/metadata.ts';
import { planReadMe } from './sheets/read-me.ts';
import { planJournal, planLedger, planMonthOperations } from './sheets/streams.ts';
import { planSummary } from './sheets/summary.ts';
import { type WorkbookPlan, writeWorkbook } from './write-workbook.ts';

export interface XlsxOptions extends FormatOptions {
  /**
   * Lines, or journal rows, of one sheet; the rest goes on in a further sheet. As many as a sheet
   * can hold unless given.
   */
  readonly rowsPerSheet?: number;
}

/** Of 1,048,576 rows, less room for the head of the sheet. */
const ROWS_PER_SHEET = 1_048_000;

export async function writeXlsx(
  document: StatementDocument,
  options: XlsxOptions,
  out: Writable,
): Promise<void> {
  const { default: library } = await import('exceljs');
  await writeWorkbook(library, planWorkbook(document, options), out);
}

function planWorkbook(
  document: StatementDocument,
  { rowsPerSheet = ROWS_PER_SHEET, ...options }: XlsxOptions,
): WorkbookPlan {
  const context = openContext(document, options);
  return {
    ...frameOf(document, context.labels, options.language),
    styleOf: openStyles(options.language),
    sheets: sheetsOf(),
  };

  function* sheetsOf(): Generator<SheetPlan> {
    const { sheets } = context.labels.workbook;
    const days = planBlocks(context, sheets.days, dayBlocks(context), { filter: 'days' });
    const operators = planBlocks(context, sheets.operators, operatorBlocks(context), {
      filter: 'byBoth',
    });
    const ledger = planLedger(context, rowsPerSheet);
    const summary = planSummary(context, {
      days: days.places,
      operators: operators.places,
      ledger,
    });
    const openItems = planBlocks(context, sheets.operations, openItemBlocks(context), LONGEST);
    const commissions = planBlocks(context, sheets.commissions, commissionBlocks(context), LONGEST);
    const exceptions = planExceptions(context);
    const { months } = context.statement;
    yield planReadMe(context);
    yield summary.plan;
    yield days.plan;
    if (months !== null) yield planMonths(context, days.places, months);
    yield operators.plan;
    const links = planLinks(context);
    if (links !== null) yield links.plan;
    yield* ledger.plans;
    yield* planMonthOperations(context, rowsPerSheet).plans;
    yield openItems.plan;
    yield commissions.plan;
    yield exceptions.plan;
    const journal = planJournal(context, ledger.seen, rowsPerSheet);
    yield* journal.plans;
    const accounts = planAccounts(context, journal);
    yield accounts.plan;
    yield planControls(context, {
      summary: summary.places,
      days: days.places,
      operators: operators.places,
      openItems: openItems.places,
      commissions: commissions.places,
      exceptions: exceptions.places,
      accounts: accounts.places,
      links: links?.places ?? null,
      ledger,
    });
    yield planMetadata(context);
  }
}

const LONGEST_FOOTER_TEXT = 80;

function frameOf(
  { statement }: StatementDocument,
  { workbook: { frame }, document }: ReturnType<typeof openContext>['labels'],
  language: Language,
): Omit<WorkbookPlan, 'sheets' | 'styleOf'> {
  const { merchant, period, revision, integrity, engine, generatedAt } = statement;
  const label = period.label[language];
  const reference = cellText(merchant.reference)
    .slice(0, LONGEST_FOOTER_TEXT)
    .replaceAll('&', '&&');
  const page = fill(document.page, { page: '&P', pages: '&N' });
  const issue = fill(frame.issue, { period: period.period, revision: revision.number });
  return {
    // The space ends the size: digits that follow it at once would be read as part of it.
    footer: `&L&8 ${reference} · ${issue}&C&8 ${integrity.documentHash.slice(0, 12)}&R&8 ${page}`,
    title: `${frame.title} ${label} · ${merchant.reference}`,
    engine,
    madeAt: new Date(generatedAt),
  };
}

/** Each month is the sum of its days. */
export function planMonths(
  context: SheetContext,
  days: Places,
  months: readonly MonthRow[],
): SheetPlan {
  const daysOf = months.map(({ month }) =>
    context.statement.days.flatMap(({ day }, i) => (day.startsWith(month) ? [i] : [])),
  );
  const blocks = monthBlocks(context, ({ key, sum }, index) => {
    if (key === 'month') return null;
    const [first, last] = [daysOf[index]![0]!, daysOf[index]!.at(-1)!];
    const table = days.table('days');
    return sum === 'sum'
      ? `SUM(${table.cells(key, first, last)})`
      : table.cell(key, sum === 'first' ? first : last);
  });
  return planBlocks(context, context.labels.workbook.sheets.months, blocks, { filter: 'months' })
    .plan;
}

/**
 * None where the statement has no such payments. Another population than the wallet's: its totals
 * are on no other sheet.
 */
export function planLinks(context: SheetContext): PlannedSheet | null {
  const blocks = [...linkColumn(context), ...linkBlocks(context)];
  return blocks.length === 0
    ? null
    : planBlocks(context, context.labels.workbook.sheets.links, blocks, LONGEST);
}

/** A sheet whose longest table is filtered, under its titles on each page. */
const LONGEST = { filtersLongest: true } as const;

/** Of findings: fingerprints are for the screen. */
const PRINTED_COLUMNS = 11;

/** The confirmed findings of the month, and the named differences. */
export function planExceptions(context: SheetContext): PlannedSheet {
  const blocks = [...findingBlocks(context), ...differenceTables(context)];
  const form = { filter: 'findings', printedColumns: PRINTED_COLUMNS };
  return planBlocks(context, context.labels.workbook.sheets.exceptions, blocks, form);
}

/** The trial balance, summed up over the entries. To be called when they have been planned. */
export function planAccounts(
  context: SheetContext,
  { parts, columnOf }: LongSheets<'account' | 'debit' | 'credit'>,
): PlannedSheet {
  const { labels, statement } = context;
  const { code, label, accounts } = statement.journal;
  const table = accountTable(context, ({ key }, index) => {
    if (key !== 'debit' && key !== 'credit') return null;
    const account = `"${accounts[index]!.account}"`;
    return sumWhere(parts, { keyColumn: columnOf('account'), key: account, column: columnOf(key) });
  });
  const said = note(fill(labels.workbook.journal.note, { code, label }));
  const blocks = [said, table, ...monthsToYearBlocks(context)];
  return planBlocks(context, labels.workbook.sheets.accounts, blocks, { filter: 'accounts' });
}
