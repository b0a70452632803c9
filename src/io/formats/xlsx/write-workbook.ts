// Writes a workbook while it grows, sheet after sheet, and waits when the archive cannot follow: memory stays the same
// however many lines the month has.

import { PassThrough, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import type { AddWorksheetOptions, PageSetup, Style, Worksheet, WorksheetView } from 'exceljs';
import { xmlText } from '../port/xml-text.ts';
import { type Archive, openRows, openWriter, type Writer } from './exceljs-inside.ts';
import { addedParts, startParts } from './package-parts.ts';
import { columnLetters } from './sheet/address.ts';
import { blank, type Cell, type CellStyle, type Cells } from './sheet/cell.ts';
import { cellText } from './sheet/cell-text.ts';
import type { SheetPlan } from './sheet/sheet.ts';
import type { StyleOf } from './sheet/styles.ts';
import { nameWorkbook, type WorkbookPlan } from './workbook-frame.ts';

export async function writeWorkbook(library: typeof ExcelJS, plan: WorkbookPlan, out: Writable): Promise<void> {
  const sink = new PassThrough();
  const piped = pipeline(sink, out);
  const parts = startParts();
  const { writer, archive } = openWriter(library, sink, parts);
  const failed = new Promise<never>((_, reject) => {
    archive.on('error', reject);
    piped.catch(reject);
  });
  failed.catch(() => {});
  try {
    nameWorkbook(writer, plan);
    let sheetNumber = 0;
    for (const sheetPlan of plan.sheets) {
      sheetNumber += 1;
      if (sheetPlan.drawing !== null) parts.drawing = { drawing: sheetPlan.drawing, sheetNumber };
      await writeSheet({ writer, archive, failed, plan, sheetPlan });
    }
    for (const { path, xml } of addedParts(parts)) archive.append(xml, { name: path });
    await Promise.race([writer.commit(), failed]);
    await piped;
  } catch (error) {
    archive.abort();
    sink.destroy(error as Error);
    await piped.catch(() => {});
    throw error;
  }
}

interface SheetTask {
  readonly writer: Writer;
  readonly archive: Archive;
  readonly failed: Promise<never>;
  readonly plan: WorkbookPlan;
  readonly sheetPlan: SheetPlan;
}

async function writeSheet({ writer, archive, failed, plan, sheetPlan }: SheetTask): Promise<void> {
  const options = { ...sheetOptions(sheetPlan, plan.footer), useSharedStrings: !sheetPlan.isLong };
  const sheet = writer.addWorksheet(sheetPlan.name, options);
  prepareSheet(sheet, sheetPlan);
  const { numberOfStyle, numberOfText, ...open } = openRows(writer, sheet);
  const { styleOf } = plan;
  const { widths, isLong } = sheetPlan;
  const form = { styleOf, numberOfStyle, widths, numberOfText: isLong ? null : numberOfText };
  const { bridge, taken } = archive.sheet!;
  let number = 0;
  for await (const rows of sheetPlan.rows) {
    let xml = '';
    for (const cells of rows) {
      number += 1;
      xml += rowXml(number, cells, form);
      if (xml.length < PIECE) continue;
      open.write(xml);
      xml = '';
    }
    if (xml !== '') open.write(xml);
    if (bridge.writableNeedDrain) await Promise.race([drainOf(bridge), failed]);
  }
  open.end();
  await Promise.race([taken, failed]);
}

/** Characters that are handed over together. */
const PIECE = 1 << 15;

function drainOf(bridge: Transform): Promise<void> {
  return new Promise((resolve) => bridge.once('drain', resolve));
}

const A4 = 9;
/** `footer`: in the library's code, `&P` the page; goes under every page. */
function sheetOptions(plan: SheetPlan, footer: string): Partial<AddWorksheetOptions> {
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
function prepareSheet(sheet: Worksheet, plan: SheetPlan): void {
  sheet.columns = plan.widths.map((width) => ({ width }));
  if (plan.table === null) return;
  const { headerRow, columns, lastRow } = plan.table;
  sheet.autoFilter = `A${headerRow}:${columnLetters(columns)}${lastRow}`;
}

/** In points. */
const HEADER_HEIGHT = 30;
const TITLE_HEIGHT = 24;
const SECTION_HEIGHT = 20;
const LINE_HEIGHT = 13.5;
/** A row cannot be higher than 409 points. */
const MOST_LINES = 30;

/** Rows of a table: their empty cells have the same line below and the same colour. */
const FILLED_STYLES: ReadonlySet<CellStyle> = new Set(['plain', 'memo', 'alert']);

interface RowForm {
  readonly styleOf: StyleOf;
  /** The style's number in the workbook. */
  readonly numberOfStyle: (style: Partial<Style>) => number;
  /** The text's number among those that are kept once for the whole workbook; null: each stands in its cell. */
  readonly numberOfText: ((text: string) => number) | null;
  readonly widths: readonly number[];
}

/** Empty for a row in which nothing stands. */
function rowXml(number: number, cells: Cells, form: RowForm): string {
  const style = cells[0]?.style ?? 'plain';
  const empty = FILLED_STYLES.has(style) ? form.styleOf(blank(style)) : null;
  let isEmpty = true;
  let first = 0;
  let last = 0;
  let lines = 1;
  let inner = '';
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? null;
    if (cell === null && empty === null) continue;
    if (first === 0) first = i + 1;
    last = i + 1;
    const place = `<c r="${lettersOf(i)}${number}"`;
    if (cell === null) {
      inner += `${place} s="${form.numberOfStyle(empty!)}"/>`;
      continue;
    }
    const content = contentOf(cell, form);
    inner += `${place} s="${form.numberOfStyle(form.styleOf(cell))}"${content}`;
    isEmpty &&= content === NOTHING;
    if (typeof cell.value === 'string') lines = Math.max(lines, linesOf(cell, form.widths[i] ?? 10));
  }
  const height = heightOf(style, lines);
  if (isEmpty && height === null) return '';
  const high = height === null ? '' : ` ht="${height}" customHeight="1"`;
  const spans = first === 0 ? '' : ` spans="${first}:${last}"`;
  return `<row r="${number}"${high}${spans} x14ac:dyDescent="0.25"${inner === '' ? '/>' : `>${inner}</row>`}`;
}

const letters: string[] = [];

function lettersOf(index: number): string {
  letters[index] ??= columnLetters(index + 1);
  return letters[index];
}

function heightOf(style: CellStyle, lines: number): number | null {
  if (style === 'header') return HEADER_HEIGHT;
  if (style === 'title') return TITLE_HEIGHT;
  if (style === 'section') return SECTION_HEIGHT;
  return lines > 1 ? Math.min(lines, MOST_LINES) * LINE_HEIGHT : null;
}

/** About how many lines a text takes: programs do not measure a row again when they open the file. */
function linesOf({ value, kind }: Cell, width: number): number {
  if (typeof value !== 'string' || (kind !== 'wrapped' && !/[\r\n]/.test(value))) return 1;
  const parts = value.split(/\r\n|[\r\n]/);
  if (kind !== 'wrapped') return parts.length;
  return parts.reduce((lines, part) => lines + Math.max(1, Math.ceil(part.length / width)), 0);
}

const NOTHING = '/>';

/** What follows the cell's place and style. */
function contentOf({ value, formula }: Cell, { numberOfText }: RowForm): string {
  if (formula !== null) {
    const type = typeof value === 'string' ? ' t="str"' : '';
    return `${type}><f>${xmlText(formula)}</f><v>${xmlText(String(value ?? 0))}</v></c>`;
  }
  if (value === null) return NOTHING;
  if (typeof value === 'number') return `><v>${value}</v></c>`;
  const shown = cellText(value);
  if (shown === '') return NOTHING;
  if (numberOfText !== null) return ` t="s"><v>${numberOfText(shown)}</v></c>`;
  // A text that stands in its cell loses spaces at its ends when it is read, unless it is written as rich text.
  if (!/^\s|\s$/.test(shown)) return ` t="str"><v>${xmlText(shown)}</v></c>`;
  return ` t="inlineStr"><is><r><t xml:space="preserve">${xmlText(shown)}</t></r></is></c>`;
}
