// Kinds and styles of cells as styles of the library. Equal styles are one object, because the
// library recognizes a style by its object.

import type { Style } from 'exceljs';
import type { Language } from '../../../../core/statements/statement.ts';
import type { Cell, CellKind, CellStyle } from './cell.ts';

export type StyleOf = (cell: Pick<Cell, 'kind' | 'style'>) => Partial<Style>;

const INK = 'FF1F2A37';
const NAVY = 'FF1F3A5F';
const GREY = 'FF8A929C';
const RED = 'FFB3261E';
const GREEN = 'FF1B6E3C';

const fill = (argb: string): Style['fill'] => ({
  type: 'pattern',
  pattern: 'solid',
  fgColor: { argb },
});
const THIN = { style: 'thin', color: { argb: 'FFB8C0CA' } } as const;
const HAIR = { style: 'hair', color: { argb: 'FFCFD5DC' } } as const;

const font = (size: number, argb: string, face: Pick<Style['font'], 'bold' | 'italic'> = {}) => ({
  font: { name: 'Calibri', size, ...face, color: { argb } },
});
const BOLD = { bold: true };

const STYLES: Readonly<Record<CellStyle, Partial<Style>>> = {
  plain: { ...font(10, INK), border: { bottom: HAIR } },
  memo: { ...font(10, GREY), border: { bottom: HAIR } },
  alert: { ...font(10, INK), fill: fill('FFFDE7E5'), border: { bottom: HAIR } },
  total: { ...font(10, INK, BOLD), fill: fill('FFEAEEF3'), border: { top: THIN, bottom: THIN } },
  title: font(16, NAVY, BOLD),
  section: {
    ...font(12, NAVY, BOLD),
    border: { bottom: { style: 'medium', color: { argb: NAVY } } },
  },
  header: { ...font(10, 'FFFFFFFF', BOLD), fill: fill(NAVY) },
  note: font(10, 'FF5B6570', { italic: true }),
  good: { ...font(11, GREEN, BOLD), fill: fill('FFE6F4EA') },
  bad: { ...font(11, RED, BOLD), fill: fill('FFFDE7E5') },
};

const DATES: Readonly<Record<Language, string>> = { fr: 'dd/mm/yyyy', en: 'yyyy-mm-dd' };

/** `@` on texts: a cell that reads `=1+1` is still a text after it was edited. */
const numberFormats = (language: Language): Readonly<Record<CellKind, string>> => ({
  text: '@',
  wrapped: '@',
  count: '#,##0',
  serial: '0',
  number: '0',
  amount: '#,##0;[Red]"−"#,##0',
  check: '#,##0;[Red]"−"#,##0;0',
  own: '#,##0;[Red]"−"#,##0',
  date: DATES[language],
  dateTime: `${DATES[language]} hh:mm:ss`,
  percent: '0.0%',
  rate: '0.00%',
});

const CENTRED: ReadonlySet<CellKind> = new Set(['date', 'dateTime', 'serial']);

function alignmentOf(kind: CellKind, style: CellStyle): Style['alignment'] {
  const alignment: Partial<Style['alignment']> = {
    vertical: style === 'header' ? 'middle' : 'top',
  };
  if (style === 'header') alignment.horizontal = 'center';
  if (kind === 'wrapped') alignment.wrapText = true;
  // Apart from a figure that ends where it begins.
  const isOfTable = /^(plain|memo|alert)$/.test(style) && /^(text|wrapped)$/.test(kind);
  if (isOfTable) Object.assign(alignment, { horizontal: 'left', indent: 1 });
  if (CENTRED.has(kind)) alignment.horizontal = 'center';
  // Rows that stream come after the widths of their columns.
  if (kind === 'amount' || kind === 'check') alignment.shrinkToFit = true;
  return alignment as Style['alignment'];
}

export function openStyles(language: Language): StyleOf {
  const numFmt = numberFormats(language);
  const known: Partial<Record<CellStyle, Partial<Record<CellKind, Partial<Style>>>>> = {};
  return ({ kind, style }) => {
    known[style] ??= {};
    known[style][kind] ??= {
      ...STYLES[style],
      ...(kind === 'own' ? { fill: fill('FFFFF8DC') } : {}),
      numFmt: numFmt[kind],
      alignment: alignmentOf(kind, style),
    };
    return known[style][kind];
  };
}
