// The état de rapprochement on the Synthèse: from the recorded figures to the recomputed ones, each difference by name, with the
// sign by which a column can be added up, as in the PDF.

import type { Compared, ReconciliationSide } from '../../../../core/statements/section-reconciliation.ts';
import { type Cell, formula, headers, money, spread, text } from '../cell.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';
import type { ReconciliationPlaces, SidePlaces } from './summary-places.ts';
import { addSummarySection, line, MONEY, SUMMARY } from './summary-rows.ts';

export function addReconciliation(sheet: SheetDraft, { labels, statement }: SheetContext): ReconciliationPlaces {
  const { balance, reserved, collections, disbursements } = statement.reconciliation;
  const words = labels.workbook.reconciliation;
  addSummarySection(sheet, words.title);
  sheet.add(headers(['', '', '', '', labels.workbook.summary.balance, labels.workbook.summary.reserved]));
  const both = (name: string, cells: readonly [Cell | null, Cell | null]): number =>
    sheet.add(line(name, { [SUMMARY.balance]: cells[0], [SUMMARY.reserved]: cells[1] }));
  const figures = (name: string, pick: (side: ReconciliationSide) => number): number =>
    both(name, [money(0 + pick(balance)), money(0 + pick(reserved))]);
  const recorded = figures(words.recorded, (side) => side.recorded);
  const crossing = figures(words.crossing, (side) => -side.crossing);
  const carried = figures(words.carried, (side) => -side.carriedForward.amount);
  const named = figures(words.named, (side) => -namedIn(side));
  const remainder = figures(words.remainder, (side) => -side.remainder);
  const rest = (letter: 'E' | 'F'): string =>
    `${letter}${recorded}+${letter}${crossing}+${letter}${carried}+${letter}${named}+${letter}${remainder}`;
  const recomputed = sheet.add(
    spread(SUMMARY.reserved, 'total', {
      1: text(words.recomputed, 'total'),
      [SUMMARY.balance]: formula(rest('E'), balance.recomputed, { ...MONEY, style: 'total' }),
      [SUMMARY.reserved]: formula(rest('F'), reserved.recomputed, { ...MONEY, style: 'total' }),
    }),
  );
  sheet.add(headers(['', '', '', '', words.collected, words.disbursed]));
  const operations = both(words.operations, [money(collections.operations), money(disbursements.operations)]);
  const lines = both(words.lines, [money(collections.lines), money(disbursements.lines)]);
  const compared = (letter: 'E' | 'F', { difference }: Compared): Cell | null =>
    difference === null ? null : formula(`${letter}${operations}-${letter}${lines}`, difference, MONEY);
  const difference = both(words.difference, [compared('E', collections), compared('F', disbursements)]);
  const placesOf = (column: number): SidePlaces => {
    const at = (row: number): string => sheet.at({ column, row });
    return {
      recorded: at(recorded),
      crossing: at(crossing),
      carried: at(carried),
      named: at(named),
      remainder: at(remainder),
      recomputed: at(recomputed),
    };
  };
  const at = (row: number): string => sheet.at({ column: SUMMARY.balance, row });
  return {
    balance: placesOf(SUMMARY.balance),
    reserved: placesOf(SUMMARY.reserved),
    operations: at(operations),
    lines: at(lines),
    collectionDifference: at(difference),
  };
}

/** Σ named differences of the month, those beyond the list included. */
export function namedIn({ items, others }: ReconciliationSide): number {
  return items.reduce((sum, item) => sum + item.amount, others.amount);
}
