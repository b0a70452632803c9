// The balances at the cut-off on the Synthèse, and from what the service recorded to what is due: item by item, with formulas.

import { fill } from '../../../../core/words/message.ts';
import { itemLine } from '../../item-line.ts';
import { nameKind } from '../../kind-names.ts';
import { type Cell, type Cells, formula, headers, money, serial, spread, text, wrapped } from '../cell.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';
import { addSummarySection, line, MONEY, SUMMARY, SUMMARY_WIDTHS } from './summary-rows.ts';

/** Cells of what is due, for the formulas of other sheets; null where it is not known. */
export interface DuePlaces {
  readonly recorded: string;
  readonly due: string | null;
}

export function addDue(sheet: SheetDraft, context: SheetContext): DuePlaces {
  const { labels, statement, speech } = context;
  const words = labels.due;
  const { recorded, due, items, others } = statement.due;
  addSummarySection(sheet, words.steps);
  sheet.add(headers(['', '', '', '', words.balance, words.reserved, words.available]));
  const sides = (balance: number, reserved: number): Readonly<Record<number, Cell | null>> => ({
    [SUMMARY.balance]: money(balance),
    [SUMMARY.reserved]: money(reserved),
  });
  const available = (row: number, value: number): Cell => formula(`E${row}-F${row}`, value, MONEY);
  const first = sheet.rows.length + 1;
  sheet.add(
    line(words.recordedRow, {
      ...sides(recorded.balance, recorded.reserved),
      [SUMMARY.available]: available(first, recorded.available),
    }),
  );
  for (const item of items) {
    const weighs = item.state === 'settled' ? 0 : -1;
    sheet.add(
      line('', {
        [SUMMARY.name]: wrapped(itemLine(item, words, speech)),
        [SUMMARY.code]: text(item.operationReference),
        [SUMMARY.count]: serial(item.sequence),
        ...sides(0 + weighs * item.balance, 0 + weighs * item.reserved),
      }),
    );
  }
  if (others.count > 0)
    sheet.add(line(fill(words.othersRow, { count: others.count }), sides(0 - others.balance, 0 - others.reserved)));
  const last = sheet.rows.length;
  const row = sheet.add(due === null ? line(words.dueRow, { [SUMMARY.balance]: text(words.unknownRow) }) : totals());
  const at = (place: number): string => sheet.at({ column: SUMMARY.balance, row: place });
  addProposals(sheet, context);
  return { recorded: at(first), due: due === null ? null : at(row) };

  function totals(): Cells {
    const sum = (letter: 'E' | 'F', value: number): Cell =>
      formula(`SUM(${letter}${first}:${letter}${last})`, value, { ...MONEY, style: 'total' });
    return spread(SUMMARY_WIDTHS.length, 'total', {
      1: text(words.dueRow, 'total'),
      [SUMMARY.balance]: sum('E', due!.balance),
      [SUMMARY.reserved]: sum('F', due!.reserved),
      [SUMMARY.available]: formula(`E${last + 1}-F${last + 1}`, due!.available, { ...MONEY, style: 'total' }),
    });
  }
}

/** What the merchant may ask of the service: the entries that would put the open items right. */
function addProposals(sheet: SheetDraft, { labels, statement, language }: SheetContext): void {
  const words = labels.due;
  const entries = statement.due.items.flatMap(({ state, proposal }) => (state === 'settled' ? [] : proposal));
  if (entries.length === 0) return;
  addSummarySection(sheet, words.proposals.title);
  for (const { kind, amount, operationReference } of entries) {
    const cells = { [SUMMARY.code]: text(operationReference), [SUMMARY.amount]: money(Number(amount)) };
    sheet.add(line(nameKind(kind, language), cells));
  }
}
