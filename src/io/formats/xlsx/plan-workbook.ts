// The workbook: its sheets in their order. Small sheets are made at once, because formulas name cells of sheets that come
// later; ledger, operations and journal are read row by row when their turn to be written comes.

import type { Language } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/message.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import type { WorkbookLabels } from './sheet/address.ts';
import { cellText } from './sheet/cell.ts';
import { openContext, type SheetPlan } from './sheet/sheet.ts';
import { openStyles } from './sheet/styles.ts';
import { planCommissions } from './sheets/commissions.ts';
import { planControls } from './sheets/controls.ts';
import { planDays, planMonths } from './sheets/days.ts';
import { planExceptions } from './sheets/exceptions.ts';
import { journalPlaces, planJournal } from './sheets/journal.ts';
import { planLedger } from './sheets/ledger.ts';
import { planLinks } from './sheets/links.ts';
import { planMetadata } from './sheets/metadata.ts';
import { planMonthOperations } from './sheets/month-operations.ts';
import { planOperations } from './sheets/operations.ts';
import { planOperators } from './sheets/operators.ts';
import { planReadMe } from './sheets/read-me.ts';
import { planSummary } from './sheets/summary.ts';
import type { WorkbookPlan } from './write-workbook.ts';

export interface WorkbookLimits {
  /** Lines, or journal rows, that one sheet takes; the rest goes on in a further sheet. */
  readonly rowsPerSheet: number;
}

export function planWorkbook(
  document: StatementDocument,
  options: FormatOptions,
  limits: WorkbookLimits,
): WorkbookPlan {
  const context = openContext(document, options);
  return {
    ...frameOf(document, context.labels.workbook, options.language),
    styleOf: openStyles(document.statement.currency, options.language),
    sheets: sheetsOf(),
  };

  function* sheetsOf(): Generator<SheetPlan> {
    const days = planDays(context);
    const operators = planOperators(context);
    const ledger = planLedger(context, limits.rowsPerSheet);
    const summary = planSummary(context, { days, operators, ledger });
    const operations = planOperations(context);
    const commissions = planCommissions(context);
    const exceptions = planExceptions(context);
    const journal = journalPlaces(context);
    const { months } = context.statement;
    yield planReadMe(context);
    yield summary.plan;
    yield days.plan;
    if (months !== null) yield planMonths(context, days, months);
    yield operators.plan;
    yield* planLinks(context);
    yield* ledger.plans;
    yield* planMonthOperations(context, limits.rowsPerSheet);
    yield operations.plan;
    yield commissions.plan;
    yield exceptions.plan;
    yield* planJournal(context, ledger.seen, limits.rowsPerSheet);
    yield planControls(context, {
      summary: summary.places,
      days,
      operators,
      ledger,
      operations,
      commissions,
      exceptions,
      journal,
    });
    yield planMetadata(context);
  }
}

const LONGEST_FOOTER_TEXT = 80;

function frameOf(
  { statement }: StatementDocument,
  labels: WorkbookLabels,
  language: Language,
): Omit<WorkbookPlan, 'sheets' | 'styleOf'> {
  const { merchant, period, revision, integrity, engine, generatedAt } = statement;
  const label = period.label[language];
  const reference = cellText(merchant.reference).slice(0, LONGEST_FOOTER_TEXT).replaceAll('&', '&&');
  const page = fill(labels.frame.page, { page: '&P', pages: '&N' });
  const issue = fill(labels.frame.issue, { period: period.period, revision: revision.number });
  return {
    // The space ends the size: digits that follow it at once would be read as part of it.
    footer: `&L&8 ${reference} · ${issue}&C&8 ${integrity.documentHash.slice(0, 12)}&R&8 ${page}`,
    title: `${labels.frame.title} ${label} · ${merchant.reference}`,
    engine,
    madeAt: new Date(generatedAt),
  };
}
