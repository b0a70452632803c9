// The words of the workbook, and how figures and names of sheets are put into them.

import type { Labels } from '../../words/tree.ts';

export type WorkbookLabels = Labels['workbook'];

/** A figure inside a sentence: digits in threes, whatever the language. */
export function groupDigits(figure: number): string {
  return String(figure).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** The first sheet has the name itself, the next is its second part. */
export function partName(name: string, part: number): string {
  return part === 0 ? name : `${name} ${part + 1}`;
}
