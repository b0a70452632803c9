// Par jour: every day of the month, from opening to closing, and beside the ledger's figures the collections of the day. Par mois:
// the months of a year, each the sum of its days.

import type { MonthRow } from '../../../../core/statements/section-movements.ts';
import { DAYS, dayLines, MONTHS, periodLine } from '../../../../core/statements/tables/days.ts';
import { text } from '../sheet/cell.ts';
import {
  addHeading,
  addTable,
  planOf,
  type SheetContext,
  type SheetPlan,
  startSheet,
  type TablePlaces,
} from '../sheet/sheet.ts';

export interface Days {
  readonly plan: SheetPlan;
  readonly places: TablePlaces<(typeof DAYS.columns)[number]['key']>;
}

export function planDays(context: SheetContext): Days {
  const { labels, statement } = context;
  const sheet = startSheet(labels.workbook.sheets.days);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.days.note, 'note')]);
  sheet.add([text(labels.operators.collectionsNote, 'note')]);
  const places = addTable(sheet, context, DAYS, {
    titles: { ...labels.operators, ...labels.days },
    rows: dayLines(statement),
    proper: statement.days.length,
    total: periodLine(statement),
    totalAbove: true,
  });
  return { plan: planOf(sheet, { frozenRows: places.table.headerRow, table: places.table }), places };
}

export function planMonths(context: SheetContext, days: Days, months: readonly MonthRow[]): SheetPlan {
  const { labels, statement } = context;
  const sheet = startSheet(labels.workbook.sheets.months);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.months.note, 'note')]);
  sheet.add([text(labels.operators.collectionsNote, 'note')]);
  const daysOf = months.map(({ month }) => statement.days.flatMap(({ day }, i) => (day.startsWith(month) ? [i] : [])));
  const { table } = addTable(sheet, context, MONTHS, {
    titles: { ...labels.operators, ...labels.days, ...labels.months },
    rows: months,
    total: periodLine(statement),
    totalAbove: true,
    formulaOf: ({ key, sum }, index) => {
      if (key === 'month') return null;
      const [first, last] = [daysOf[index]![0]!, daysOf[index]!.at(-1)!];
      if (sum !== 'sum') return days.places.cell(key, sum === 'first' ? first : last);
      return `SUM(${days.places.cell(key, first)}:${days.places.cell(key, last).split('!')[1]})`;
    },
  });
  return planOf(sheet, { frozenRows: table.headerRow, table });
}
