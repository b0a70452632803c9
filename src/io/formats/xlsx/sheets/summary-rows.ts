// The columns of the Synthèse and the rows that all its tables are made of.

import { type Cell, type Cells, spread, text } from '../cell.ts';
import { addSection } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';

/** Columns: a name, a code, a number of things, an amount, an effect on the balance, one on the reserved amount, what is available. */
export const SUMMARY = { name: 1, code: 2, count: 3, amount: 4, balance: 5, reserved: 6, available: 7 } as const;
export const SUMMARY_WIDTHS = [46, 22, 10, 20, 20, 20, 20];

/** Every amount of this sheet names its currency. */
export const MONEY = { kind: 'money' } as const;

export function addSummarySection(sheet: SheetDraft, title: string): void {
  addSection(sheet, title, SUMMARY_WIDTHS.length);
}

export function line(name: string, cells: Readonly<Record<number, Cell | null>>): Cells {
  return spread(SUMMARY_WIDTHS.length, 'plain', { 1: text(name), ...cells });
}
