// Parts of the Synthèse: the rows that all its tables are made of, the way from what the service recorded to what is due, and the
// état de rapprochement, each difference with the sign by which a column can be added up, as in the PDF.

import type { Compared, ReconciliationSide } from '../../../../core/statements/section-reconciliation.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameKind } from '../../port/kind-names.ts';
import { itemLine } from '../../sentences/verdict-reasons.ts';
import { type Cell, type Cells, formula, headers, money, serial, spread, text, wrapped } from '../sheet/cell.ts';
import { addSection, type SheetContext, type SheetDraft } from '../sheet/sheet.ts';

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

/** Cells of one side, named by what they hold. */
type SidePlaces = Readonly<Record<'recorded' | 'crossing' | 'carried' | 'named' | 'remainder' | 'recomputed', string>>;

interface ReconciliationPlaces {
  readonly balance: SidePlaces;
  readonly reserved: SidePlaces;
  /** Collections as operations state them, and as the ledger has them. */
  readonly operations: string;
  readonly lines: string;
  readonly collectionDifference: string;
}

export interface SummaryPlaces {
  readonly opening: string;
  readonly openingReserved: string;
  readonly closing: string;
  readonly closingReserved: string;
  readonly available: string;
  readonly entryCount: string;
  /** Σ effects over the kinds. */
  readonly kindsBalance: string;
  readonly kindsReserved: string;
  readonly kindsCount: string;
  readonly reconciliation: ReconciliationPlaces;
}

/** Cells of what is due, for the formulas of other sheets; null where it is not known. */
interface DuePlaces {
  readonly recorded: string;
  readonly due: string | null;
}

/** Where the figures of the Synthèse stand, for the formulas of other sheets. */
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

/**
 * The état de rapprochement on the Synthèse: from the recorded figures to the recomputed ones, each difference by name,
 * with the sign by which a column can be added up, as in the PDF.
 */
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
