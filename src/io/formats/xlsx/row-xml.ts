// A row of a sheet as its XML: the library has objects for each cell on its way there, which costs several times as much as
// all else that is done for a workbook.

import type { Style } from 'exceljs';
import { xmlText } from '../xml-text.ts';
import { columnLetters } from './address.ts';
import { blank, type Cell, type CellStyle, type Cells } from './cell.ts';
import { cellText } from './cell-text.ts';
import type { StyleOf } from './styles.ts';

/** In points. */
const HEADER_HEIGHT = 30;
const TITLE_HEIGHT = 24;
const SECTION_HEIGHT = 20;
const LINE_HEIGHT = 13.5;
/** A row cannot be higher than 409 points. */
const MOST_LINES = 30;

/** Rows of a table: their empty cells have the same line below and the same colour. */
const FILLED_STYLES: ReadonlySet<CellStyle> = new Set(['plain', 'memo', 'alert']);

export interface RowForm {
  readonly styleOf: StyleOf;
  /** The style's number in the workbook. */
  readonly numberOfStyle: (style: Partial<Style>) => number;
  /** The text's number among those that are kept once for the whole workbook; null: each stands in its cell. */
  readonly numberOfText: ((text: string) => number) | null;
  readonly widths: readonly number[];
}

/** Empty for a row in which nothing stands. */
export function rowXml(number: number, cells: Cells, form: RowForm): string {
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
