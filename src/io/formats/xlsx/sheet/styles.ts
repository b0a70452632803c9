// How kinds and styles of cells become styles of the library. One object for equal styles, because the library knows
// a style again by its object; number formats name the currency only where it is three letters.

import type { Style } from 'exceljs';
import type { Language } from '../../../../core/statements/statement.ts';
import type { Cell, CellKind, CellStyle } from './cell.ts';

export type StyleOf = (cell: Pick<Cell, 'kind' | 'style'>) => Partial<Style>;

const INK = 'FF1F2A37';
const NAVY = 'FF1F3A5F';
const GREY = 'FF8A929C';
const RED = 'FFB3261E';
const GREEN = 'FF1B6E3C';

const fill = (argb: string): Style['fill'] => ({ type: 'pattern', pattern: 'solid', fgColor: { argb } });
const THIN = { style: 'thin', color: { argb: 'FFB8C0CA' } } as const;
const HAIR = { style: 'hair', color: { argb: 'FFCFD5DC' } } as const;

const STYLES: Readonly<Record<CellStyle, Partial<Style>>> = {
  plain: { font: { name: 'Calibri', size: 10, color: { argb: INK } }, border: { bottom: HAIR } },
  memo: { font: { name: 'Calibri', size: 10, color: { argb: GREY } }, border: { bottom: HAIR } },
  alert: {
    font: { name: 'Calibri', size: 10, color: { argb: INK } },
    fill: fill('FFFDE7E5'),
    border: { bottom: HAIR },
  },
  total: {
    font: { name: 'Calibri', size: 10, bold: true, color: { argb: INK } },
    fill: fill('FFEAEEF3'),
    border: { top: THIN, bottom: THIN },
  },
  title: { font: { name: 'Calibri', size: 16, bold: true, color: { argb: NAVY } } },
  section: {
    font: { name: 'Calibri', size: 12, bold: true, color: { argb: NAVY } },
    border: { bottom: { style: 'medium', color: { argb: NAVY } } },
  },
  header: {
    font: { name: 'Calibri', size: 10, bold: true, color: { argb: 'FFFFFFFF' } },
    fill: fill(NAVY),
  },
  note: { font: { name: 'Calibri', size: 10, italic: true, color: { argb: 'FF5B6570' } } },
  good: { font: { name: 'Calibri', size: 11, bold: true, color: { argb: GREEN } }, fill: fill('FFE6F4EA') },
  bad: { font: { name: 'Calibri', size: 11, bold: true, color: { argb: RED } }, fill: fill('FFFDE7E5') },
};

const DATES: Readonly<Record<Language, string>> = { fr: 'dd/mm/yyyy', en: 'yyyy-mm-dd' };

function numberFormatOf(kind: CellKind, language: Language): string {
  switch (kind) {
    case 'count':
      return '#,##0';
    case 'serial':
      return '0';
    case 'amount':
      return '#,##0;[Red]"−"#,##0';
    case 'check':
      return '#,##0;[Red]"−"#,##0;0';
    case 'date':
      return DATES[language];
    case 'dateTime':
      return `${DATES[language]} hh:mm:ss`;
    case 'percent':
      return '0.0%';
    case 'rate':
      return '0.00%';
    case 'text':
    case 'wrapped':
      return '@';
  }
}

function alignmentOf(kind: CellKind, style: CellStyle): Style['alignment'] {
  const alignment: Partial<Style['alignment']> = { vertical: style === 'header' ? 'middle' : 'top' };
  if (style === 'header') alignment.horizontal = 'center';
  if (kind === 'wrapped') alignment.wrapText = true;
  if (kind === 'date' || kind === 'dateTime' || kind === 'serial') alignment.horizontal = 'center';
  return alignment as Style['alignment'];
}

/** `@` on texts: a cell that reads `=1+1` is still a text after it was edited. */
export function openStyles(language: Language): StyleOf {
  const known: Partial<Record<CellStyle, Partial<Record<CellKind, Partial<Style>>>>> = {};
  return ({ kind, style }) => {
    known[style] ??= {};
    known[style][kind] ??= {
      ...STYLES[style],
      numFmt: numberFormatOf(kind, language),
      alignment: alignmentOf(kind, style),
    };
    return known[style][kind];
  };
}
