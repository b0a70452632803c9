// Writes a workbook while it grows, sheet after sheet, and waits when the archive cannot follow:
// memory stays the same however many lines the month has. exceljs writes the parts around the
// sheets; this file alone reaches into it: rows go into a sheet as XML, each part into the archive
// with a fixed date, so that equal workbooks are equal bytes, and a drawing is named, which it
// cannot do.

import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import type { AddWorksheetOptions, PageSetup, Style, WorksheetView } from 'exceljs';
import { xmlText } from '../port/xml-text.ts';
import { drawingParts, typeDrawing } from './drawing-parts.ts';
import { columnLetters } from './sheet/address.ts';
import { blank, type Cell, type CellStyle, type Cells, cellText } from './sheet/cell.ts';
import type { Drawing, SheetPlan } from './sheet/sheet.ts';
import type { StyleOf } from './sheet/styles.ts';

/**
 * A workbook ready to be written: sheets in their order, each consumed before the next is taken.
 */
export interface WorkbookPlan {
  readonly sheets: Iterable<SheetPlan>;
  readonly styleOf: StyleOf;
  /** Under every page, in the library's code: `&P` the page. */
  readonly footer: string;
  readonly title: string;
  readonly engine: string;
  /** The only time in the file: when the statement was made. */
  readonly madeAt: Date;
}

/** Ends `out`. */
export async function writeWorkbook(
  library: typeof ExcelJS,
  plan: WorkbookPlan,
  out: Writable,
): Promise<void> {
  const sink = new PassThrough();
  const piped = pipeline(sink, out);
  const { writer, opened } = openWriter(library, sink);
  const failed = new Promise<never>((_, reject) => {
    opened.archive.on('error', reject);
    piped.catch(reject);
  });
  failed.catch(() => {});
  try {
    nameWorkbook(writer, plan);
    let number = 0;
    for (const sheet of plan.sheets) {
      number += 1;
      if (sheet.drawing !== null) opened.drawing = { drawing: sheet.drawing, number };
      await writeSheet({ writer, opened, failed, plan }, sheet);
    }
    const { drawing } = opened;
    const added = drawing === null ? [] : drawingParts(drawing.drawing, drawing.number);
    for (const { path, xml } of added) opened.archive.append(xml, { name: path });
    await Promise.race([writer.commit(), failed]);
    await piped;
  } catch (error) {
    opened.archive.abort();
    sink.destroy(error as Error);
    await piped.catch(() => {});
    throw error;
  }
}

type Writer = ExcelJS.stream.xlsx.WorkbookWriter;

/** The library's archive as far as it is needed. */
interface Archive {
  append(
    content: string | Writable,
    entry: { readonly name: string; readonly date?: Date },
  ): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'entry', listener: (entry: { readonly name: string }) => void): unknown;
  abort(): void;
}

interface Opened {
  readonly archive: Archive;
  /** The sheet that the archive is taking in. */
  sheet: OpenSheet | null;
  /** One sheet at most has one. */
  drawing: { readonly drawing: Drawing; readonly number: number } | null;
}

interface OpenSheet {
  readonly path: string;
  /** Between the sheet and the archive. */
  readonly bridge: PassThrough;
  /** When the archive has taken in the whole sheet. */
  readonly taken: Promise<void>;
  readonly take: () => void;
}

/** A writer whose every part passes through here on its way into `sink`. */
function openWriter(
  library: typeof ExcelJS,
  sink: PassThrough,
): { readonly writer: Writer; readonly opened: Opened } {
  let opened: Opened | null = null;
  /**
   * The library adds its first parts before its constructor returns: only a method of its own comes
   * before that.
   */
  class Intercepted extends library.stream.xlsx.WorkbookWriter {
    override addThemes(): Promise<void> {
      opened = {
        archive: (this as unknown as { readonly zip: Archive }).zip,
        sheet: null,
        drawing: null,
      };
      intercept(opened);
      return super.addThemes();
    }
  }
  const writer = new Intercepted({ stream: sink, useStyles: true, useSharedStrings: true });
  return { writer, opened: opened! };
}

/**
 * The earliest date that a zip archive can hold, less trouble with zones: the library writes it in
 * UTC.
 */
const ARCHIVE_DATE = new Date(Date.UTC(1980, 0, 1));
/** Bytes of a sheet that may wait for the archive. */
const WAITING_BYTES = 1 << 20;

function intercept(opened: Opened): void {
  const { archive } = opened;
  const append = archive.append.bind(archive);
  archive.on('entry', ({ name }) => {
    if (name === opened.sheet?.path) opened.sheet.take();
  });
  archive.append = (content, { name }) => {
    // The library puts a slash before some names.
    const path = name.replace(/^\/+/, '');
    const entry = { name: path, date: ARCHIVE_DATE };
    if (typeof content === 'string') {
      const isTyped = path === '[Content_Types].xml' && opened.drawing !== null;
      return append(isTyped ? typeDrawing(content, opened.drawing!.drawing) : content, entry);
    }
    const bridge = new PassThrough({ highWaterMark: WAITING_BYTES });
    const { promise: taken, resolve: take } = Promise.withResolvers<void>();
    opened.sheet = { path, bridge, taken, take };
    content.pipe(bridge);
    return append(bridge, entry);
  };
}

function nameWorkbook(workbook: Writer, { title, engine, madeAt }: WorkbookPlan): void {
  workbook.creator = engine;
  workbook.lastModifiedBy = engine;
  workbook.created = madeAt;
  workbook.modified = madeAt;
  workbook.title = cellText(title);
  workbook.views = [
    {
      x: 0,
      y: 0,
      width: 28_000,
      height: 16_000,
      firstSheet: 0,
      activeTab: 0,
      visibility: 'visible',
    },
  ];
}

interface SheetInside {
  readonly stream: { write(xml: string): void };
  _writeColumns(): void;
  _writeOpenSheetData(): void;
  /** Where the schema wants the drawing. */
  _writeLegacyData(): void;
  startedData: boolean;
  commit(): void;
}

interface WriterInside {
  readonly styles: { addStyleModel(style: Partial<Style>): number };
  readonly sharedStrings: { add(text: string): number };
}

interface SheetTask {
  readonly writer: Writer;
  readonly opened: Opened;
  readonly failed: Promise<never>;
  readonly plan: WorkbookPlan;
}

/** Characters that are handed over together. */
const PIECE = 1 << 15;

async function writeSheet(
  { writer, opened, failed, plan }: SheetTask,
  sheetPlan: SheetPlan,
): Promise<void> {
  const { widths, table, isLong, rows: batches } = sheetPlan;
  const options = { ...sheetOptions(sheetPlan, plan.footer), useSharedStrings: !isLong };
  const sheet = writer.addWorksheet(sheetPlan.name, options);
  sheet.columns = widths.map((width) => ({ width }));
  if (table !== null)
    sheet.autoFilter = `A${table.headerRow}:${columnLetters(table.columns)}${table.lastRow}`;
  const inside = sheet as unknown as SheetInside;
  const { styles, sharedStrings } = writer as unknown as WriterInside;
  const form: RowForm = {
    widths,
    styleOf: plan.styleOf,
    numberOfStyle: (style) => styles.addStyleModel(style),
    numberOfText: isLong ? null : (text) => sharedStrings.add(text),
  };
  inside._writeColumns();
  inside._writeOpenSheetData();
  inside.startedData = true;
  if (sheetPlan.drawing !== null)
    inside._writeLegacyData = () => inside.stream.write('<drawing r:id="rId1"/>');
  const { bridge, taken } = opened.sheet!;
  let number = 0;
  for await (const rows of batches) {
    let xml = '';
    for (const cells of rows) {
      number += 1;
      xml += rowXml(number, cells, form);
      if (xml.length < PIECE) continue;
      inside.stream.write(xml);
      xml = '';
    }
    if (xml !== '') inside.stream.write(xml);
    if (bridge.writableNeedDrain)
      await Promise.race([new Promise((resolve) => bridge.once('drain', resolve)), failed]);
  }
  inside.commit();
  await Promise.race([taken, failed]);
}

const A4 = 9;
function sheetOptions(plan: SheetPlan, footer: string): Partial<AddWorksheetOptions> {
  const { frozenRows, table, printedColumns, portrait, onOnePage } = plan;
  const first = `A${frozenRows + 1}`;
  const frozen: Partial<WorksheetView> = {
    state: 'frozen',
    ySplit: frozenRows,
    topLeftCell: first,
    activeCell: first,
    showGridLines: false,
  };
  const view = frozenRows === 0 ? { showGridLines: false } : frozen;
  const pageSetup: Partial<PageSetup> = {
    paperSize: A4,
    orientation: portrait ? 'portrait' : 'landscape',
    fitToPage: true,
    fitToWidth: 1,
    fitToHeight: onOnePage ? 1 : 0,
    margins: { left: 0.3, right: 0.3, top: 0.3, bottom: 0.45, header: 0.2, footer: 0.2 },
  };
  if (table !== null) pageSetup.printTitlesRow = `${table.headerRow}:${table.headerRow}`;
  if (table !== null && printedColumns !== null) {
    pageSetup.printArea = `A$1:${columnLetters(printedColumns)}$${table.lastRow}`;
  }
  return { views: [view as WorksheetView], pageSetup, headerFooter: { oddFooter: footer } };
}

/** In points. */
const HEIGHTS: Readonly<Partial<Record<CellStyle, number>>> = {
  header: 30,
  title: 24,
  section: 20,
};
const LINE_HEIGHT = 13.5;
/** A row cannot be higher than 409 points. */
const MOST_LINES = 30;

/** Rows of a table: their empty cells have the same line below and the same colour. */
const FILLED_STYLES: ReadonlySet<CellStyle> = new Set(['plain', 'memo', 'alert']);

interface RowForm {
  readonly styleOf: StyleOf;
  /** The style's number in the workbook. */
  readonly numberOfStyle: (style: Partial<Style>) => number;
  /**
   * The text's number among those that are kept once for the whole workbook; null: each text is
   * kept in its cell.
   */
  readonly numberOfText: ((text: string) => number) | null;
  readonly widths: readonly number[];
}

/** Empty for a row of empty cells. */
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
    if (typeof cell.value === 'string')
      lines = Math.max(lines, linesOf(cell, form.widths[i] ?? 10));
  }
  const height = HEIGHTS[style] ?? (lines > 1 ? Math.min(lines, MOST_LINES) * LINE_HEIGHT : null);
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

/**
 * About how many lines a text takes: programs do not measure a row again when they open the file.
 */
function linesOf({ value, kind }: Cell, width: number): number {
  if (typeof value !== 'string' || (kind !== 'wrapped' && !/[\r\n]/.test(value))) return 1;
  const parts = value.split(/\r\n|[\r\n]/);
  if (kind !== 'wrapped') return parts.length;
  return parts.reduce((lines, part) => lines + Math.max(1, Math.ceil(part.length / width)), 0);
}

const NOTHING = '/>';

/** The rest of a cell after its place and style. */
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
  // A text kept in its cell loses spaces at its ends when it is read, unless it is written as rich
  // text.
  if (!/^\s|\s$/.test(shown)) return ` t="str"><v>${xmlText(shown)}</v></c>`;
  return ` t="inlineStr"><is><r><t xml:space="preserve">${xmlText(shown)}</t></r></is></c>`;
}
