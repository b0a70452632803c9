// A cell of the workbook, independent of any library: a value, perhaps the formula that gives it,
// its kind and its style. A text is always a text; only `formula` makes a formula.

import { DAY, type Instant } from '../../../../core/domain/instant.ts';
import { TURNING } from '../../../../core/domain/printable.ts';
import type { Zone } from '../../../../core/domain/zone.ts';
import { typeset } from '../../port/one-line.ts';
import { visibleText } from '../../port/xml-text.ts';

/**
 * How the value is formatted; the currency is in the heading. `number`: a serial among figures,
 * aligned as they are.
 */
export type CellKind =
  | 'text'
  | 'wrapped'
  | 'count'
  | 'serial'
  | 'number'
  | 'amount'
  | 'date'
  | 'dateTime'
  | 'percent'
  | 'rate'
  | 'check'
  | 'own';

/** One paragraph of `styles.ts` each. */
export type CellStyle =
  | 'plain'
  | 'memo'
  | 'alert'
  | 'total'
  | 'title'
  | 'section'
  | 'header'
  | 'note'
  | 'good'
  | 'bad';

export interface Cell {
  readonly value: string | number | null;
  /** Without the equals sign; `value` is then its result. */
  readonly formula: string | null;
  readonly kind: CellKind;
  readonly style: CellStyle;
}

export type Cells = readonly (Cell | null)[];

type Maker<Value> = (value: Value | null, style?: CellStyle) => Cell | null;

const worded =
  (kind: CellKind): Maker<string> =>
  (value, style = 'plain') =>
    value === null ? null : { value: typeset(value), formula: null, kind, style };

const counted =
  (kind: CellKind): Maker<number> =>
  (value, style = 'plain') =>
    value === null ? null : { value, formula: null, kind, style };

export const text = worded('text');
/** Text that may take several lines of a cell. */
export const wrapped = worded('wrapped');
export const count = counted('count');
/** A number that names something: its digits are not grouped. */
export const serial = counted('serial');
export const amount = counted('amount');
/** A difference that is 0 in sound books. */
export const check = counted('check');

/** Basis points as a share of a hundred. */
export function rate(value: number, style: CellStyle = 'plain'): Cell {
  return { value: value / 10_000, formula: null, kind: 'rate', style };
}

/** `97.4`, of a hundred. */
export function percent(value: string, style: CellStyle = 'plain'): Cell {
  return { value: Math.round(Number(value) * 10) / 1_000, formula: null, kind: 'percent', style };
}

/**
 * A figure that may come as text: a number where a cell can hold it exactly, else the text that it
 * is.
 */
export function figure(value: string | number | null, style: CellStyle = 'plain'): Cell | null {
  if (typeof value === 'number') return amount(value, style);
  if (value === null || !/^-?\d{1,16}$/.test(value)) return text(value, style);
  const number = Number(value);
  return Number.isSafeInteger(number) ? amount(number, style) : text(value, style);
}

/** Serial number of 1970-01-01 in the 1900 date system. */
const EPOCH_SERIAL = 25_569;

/** A day as `YYYY-MM-DD`. */
export function day(value: string, style: CellStyle = 'plain'): Cell {
  return {
    value: Date.parse(`${value}T00:00:00Z`) / DAY + EPOCH_SERIAL,
    formula: null,
    kind: 'date',
    style,
  };
}

/** A local clock as `YYYY-MM-DD hh:mm:ss`. */
export function localDateTime(value: string, style: CellStyle = 'plain'): Cell {
  const wallClock = Date.parse(`${value.slice(0, 10)}T${value.slice(11)}Z`);
  return { value: wallClock / DAY + EPOCH_SERIAL, formula: null, kind: 'dateTime', style };
}

/** An instant as the zone's clocks show it, to the second. */
export function dateTime(
  instant: Instant | null,
  zone: Zone,
  style: CellStyle = 'plain',
): Cell | null {
  if (instant === null) return null;
  const wallClock = Math.floor((instant + zone.offsetAt(instant)) / 1_000) * 1_000;
  return { value: wallClock / DAY + EPOCH_SERIAL, formula: null, kind: 'dateTime', style };
}

export function headers(titles: readonly string[]): Cells {
  return titles.map((title) => wrapped(title, 'header'));
}

/** An empty cell that only has a style. */
export function blank(style: CellStyle): Cell {
  return { value: null, formula: null, kind: 'text', style };
}

/** Empty, for the reader to fill in. */
export const own = (): Cell => ({ value: null, formula: null, kind: 'own', style: 'plain' });

/**
 * A row of `columns` cells: those given by their column, 1 the first, and empty ones of the same
 * style between them.
 */
export function spread(
  columns: number,
  style: CellStyle,
  cells: Readonly<Record<number, Cell | null>>,
): Cells {
  return Array.from({ length: columns }, (_, i) => cells[i + 1] ?? blank(style));
}

/**
 * Characters that one cell may hold (Office Open XML), counted as Excel counts them: UTF-16 units.
 */
export const LONGEST_TEXT = 32_767;

const LINE_BREAKS = /\r\n?/g;
const TURNS = new RegExp(`[${TURNING}]`, 'gu');
/** `_x0041_` in a cell is read as `A`: the underscore is written in that way itself. */
const ESCAPES = /_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * Text from outside as a spreadsheet can hold it: characters that XML refuses become signs for
 * them, a text that is too long ends in an ellipsis, line breaks become one form, what turns the
 * direction of writing goes. The text keeps its first characters: `=1+1` stays `=1+1`, because the
 * cell's type, not its text, says that it is no formula.
 */
export function cellText(text: string): string {
  const shown = visibleText(text.replace(LINE_BREAKS, '\n').replace(TURNS, '')).replace(
    ESCAPES,
    '_x005F_',
  );
  if (shown.length <= LONGEST_TEXT) return shown;
  const kept = shown.slice(0, LONGEST_TEXT - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
