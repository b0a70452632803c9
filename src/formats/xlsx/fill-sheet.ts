// Puts a planned sheet into a sheet of the library: page, columns, rows.

import type { AddWorksheetOptions, CellValue, PageSetup, Row, Worksheet, WorksheetView } from 'exceljs';
import { columnLetters } from './address.ts';
import { blank, type Cell, type CellStyle, type Cells } from './cell.ts';
import { cellText } from './cell-text.ts';
import type { SheetPlan } from './sheet-plan.ts';
import type { StyleOf } from './styles.ts';

const A4 = 9;
/** In points. */
const HEADER_HEIGHT = 30;
const TITLE_HEIGHT = 24;
const LINE_HEIGHT = 13.5;
/** A row cannot be higher than 409 points. */
const MOST_LINES = 30;

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

/** Rows of a table: their empty cells have the same line below and the same colour. */
const FILLED_STYLES: ReadonlySet<CellStyle> = new Set(['plain', 'memo', 'alert']);

export interface RowForm {
  readonly styleOf: StyleOf;
  readonly widths: readonly number[];
  /** Texts are kept once for the whole workbook; else each stands in its cell. */
  readonly sharesTexts: boolean;
}

export function fillRow(row: Row, cells: Cells, { styleOf, widths, sharesTexts }: RowForm): void {
  let lines = 1;
  const style = cells[0]?.style ?? 'plain';
  const empty = FILLED_STYLES.has(style) ? styleOf(blank(style)) : null;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    if (cell === null || cell === undefined) {
      if (empty !== null) row.getCell(i + 1).style = empty;
      continue;
    }
    const target = row.getCell(i + 1);
    target.value = contentOf(cell, sharesTexts);
    target.style = styleOf(cell);
    if (typeof cell.value === 'string') lines = Math.max(lines, linesOf(cell, widths[i] ?? 10));
  }
  if (style === 'header') row.height = HEADER_HEIGHT;
  else if (style === 'title') row.height = TITLE_HEIGHT;
  else if (lines > 1) row.height = Math.min(lines, MOST_LINES) * LINE_HEIGHT;
}

/** About how many lines a text takes: programs do not measure a row again when they open the file. */
function linesOf({ value, kind }: Cell, width: number): number {
  if (typeof value !== 'string' || (kind !== 'wrapped' && !/[\r\n]/.test(value))) return 1;
  const parts = value.split(/\r\n|[\r\n]/);
  if (kind !== 'wrapped') return parts.length;
  return parts.reduce((lines, part) => lines + Math.max(1, Math.ceil(part.length / width)), 0);
}

/** A text that stands in its cell loses spaces at its ends when it is read, unless it is written as rich text. */
function contentOf({ value, formula }: Cell, sharesTexts: boolean): CellValue {
  if (formula !== null) return { formula, result: value ?? 0 };
  if (typeof value !== 'string') return value;
  const shown = cellText(value);
  if (shown === '') return null;
  return !sharesTexts && /^\s|\s$/.test(shown) ? { richText: [{ text: shown }] } : shown;
}
