// Figures as a table for a terminal, and as JSON.

import type { Figure } from './figures.ts';

const HEADINGS = [
  'part',
  'what',
  'lines',
  'seconds',
  'lines/s',
  'CPU s',
  'peak MB',
  'ratio (least … most)',
  'note',
];

export function tableOf(figures: readonly Figure[]): string {
  const rows = [HEADINGS, ...figures.map(rowOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const isText = (column: number): boolean => column < 2 || column >= 7;
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function rowOf(figure: Figure): readonly string[] {
  const { part, name, lines, seconds, linesPerSecond, cpuSeconds, peakMegabytes, ratio, note } =
    figure;
  return [
    part,
    name,
    grouped(lines),
    seconds.toFixed(2),
    grouped(linesPerSecond),
    cpuSeconds === null ? '' : cpuSeconds.toFixed(2),
    grouped(peakMegabytes),
    ratio === null
      ? ''
      : `${ratio.median.toFixed(2)} × ${ratio.to} (${ratio.least.toFixed(2)} … ${ratio.most.toFixed(2)})`,
    note ?? '',
  ];
}

/** Returns a whole number in groups of three digits; empty for `null`. */
export function grouped(value: number | null): string {
  return value === null ? '' : Math.round(value).toLocaleString('en').replaceAll(',', ' ');
}
