// The workbook: its sheets in their order. Small sheets are made at once, because formulas name cells of sheets that come
// later; ledger, operations and journal are read row by row when their turn to be written comes.

import type { FormatOptions, StatementDocument } from '../port/format.ts';
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
import { frameOf, type WorkbookPlan } from './workbook-frame.ts';

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
