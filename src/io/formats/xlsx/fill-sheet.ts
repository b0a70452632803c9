// What a planned sheet is in the library before its first row: page, columns, filter.

import type { AddWorksheetOptions, PageSetup, Worksheet, WorksheetView } from 'exceljs';
import { columnLetters } from './address.ts';
import type { SheetPlan } from './sheet-plan.ts';

const A4 = 9;
/** `footer`: in the library's code, `&P` the page; goes under every page. */
export function sheetOptions(plan: SheetPlan, footer: string): Partial<AddWorksheetOptions> {
  const first = plan.frozenRows + 1;
  const view: Partial<WorksheetView> =
    plan.frozenRows === 0
      ? { showGridLines: false }
      : {
          state: 'frozen',
          ySplit: plan.frozenRows,
          topLeftCell: `A${first}`,
          activeCell: `A${first}`,
          showGridLines: false,
        };
  const pageSetup: Partial<PageSetup> = {
    paperSize: A4,
    orientation: plan.portrait ? 'portrait' : 'landscape',
    fitToPage: true,
    fitToWidth: 1,
    fitToHeight: plan.onOnePage ? 1 : 0,
    margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
  };
  const { table, printedColumns } = plan;
  if (table !== null) pageSetup.printTitlesRow = `${table.headerRow}:${table.headerRow}`;
  if (table !== null && printedColumns !== null) {
    pageSetup.printArea = `A$1:${columnLetters(printedColumns)}$${table.lastRow}`;
  }
  return { views: [view as WorksheetView], pageSetup, headerFooter: { oddFooter: footer } };
}

/** Columns and filter: to be set before the first row is written. */
export function prepareSheet(sheet: Worksheet, plan: SheetPlan): void {
  sheet.columns = plan.widths.map((width) => ({ width }));
  if (plan.table === null) return;
  const { headerRow, columns, lastRow } = plan.table;
  sheet.autoFilter = `A${headerRow}:${columnLetters(columns)}${lastRow}`;
}
