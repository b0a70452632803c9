// The words of the workbook, and how the parts of its sheets are named.

import type { Labels } from '../../../core/words/tree.ts';

export type WorkbookLabels = Labels['workbook'];

/** The first sheet has the name itself, the next is its second part. */
export function partName(name: string, part: number): string {
  return part === 0 ? name : `${name} ${part + 1}`;
}
