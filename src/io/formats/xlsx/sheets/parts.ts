// Sheets that are blocks alone, as the pages of a statement have them, with formulas where one sheet sums up another.

import type { MonthRow } from '../../../../core/statements/section-movements.ts';
import { fill } from '../../../../core/words/finding.ts';
import { note } from '../../tables/block.ts';
import { accountTable } from '../../tables/circumstances.ts';
import { differenceTables, findingBlocks } from '../../tables/findings.ts';
import { linkBlocks, linkColumn, monthBlocks } from '../../tables/money.ts';
import { sumWhere } from '../sheet/address.ts';
import type { SheetContext, SheetPlan } from '../sheet/sheet.ts';
import { type LongSheets, type Places, type PlannedSheet, planBlocks } from '../sheet/table.ts';

/** Each month is the sum of its days. */
export function planMonths(context: SheetContext, days: Places, months: readonly MonthRow[]): SheetPlan {
  const daysOf = months.map(({ month }) =>
    context.statement.days.flatMap(({ day }, i) => (day.startsWith(month) ? [i] : [])),
  );
  const blocks = monthBlocks(context, ({ key, sum }, index) => {
    if (key === 'month') return null;
    const [first, last] = [daysOf[index]![0]!, daysOf[index]!.at(-1)!];
    const table = days.table('days');
    return sum === 'sum' ? `SUM(${table.cells(key, first, last)})` : table.cell(key, sum === 'first' ? first : last);
  });
  return planBlocks(context, context.labels.workbook.sheets.months, blocks, { filter: 'months' }).plan;
}

/** None where the statement has no such payments. Another population than the wallet's: its totals are on no other sheet. */
export function planLinks(context: SheetContext): PlannedSheet | null {
  const blocks = [...linkColumn(context), ...linkBlocks(context)];
  const form = { portrait: true };
  return blocks.length === 0 ? null : planBlocks(context, context.labels.workbook.sheets.links, blocks, form);
}

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
  const blocks = [note(fill(labels.workbook.journal.note, { code, label })), table];
  return planBlocks(context, labels.workbook.sheets.accounts, blocks, { filter: 'accounts' });
}
