// Grand livre: every line of the month, with a formula beside each that holds its balance and reserved amount against the
// line before. A month longer than a sheet goes on in the next one; totals stand on the first, above the table.

import type { StatementLine } from '../../../../core/statements/statement-line.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameKind } from '../../port/kind-names.ts';
import { columnLetters, partsOf, placeName, type RowRange, sumOver } from '../sheet/address.ts';
import {
  amount,
  type Cell,
  type CellStyle,
  type Cells,
  formula,
  headers,
  localDateTime,
  serial,
  spread,
  text,
  total,
} from '../sheet/cell.ts';
import {
  addHeading,
  hasManyTexts,
  type SheetContext,
  type SheetPlan,
  startSheet,
  stretchesOf,
} from '../sheet/sheet.ts';

/** Columns that formulas name. */
export const LEDGER = {
  debit: 5,
  credit: 6,
  balance: 7,
  reservedMove: 8,
  reserved: 9,
  check: 10,
  code: 17,
  amount: 18,
} as const;
const WIDTHS = [10, 19, 26, 24, 13, 13, 15, 13, 14, 10, 32, 20, 24, 11, 9, 24, 22, 14, 15, 15];
const COLUMNS = WIDTHS.length;
/** What stands right of it is for the screen: with more on a page, nobody could read it. */
const PRINTED_COLUMNS = 9;

const OPENING_ROW = 3;
const TOTAL_ROW = 4;
const HEADER_ROW = 5;
const FIRST_ROW = 6;

export interface Ledger {
  readonly parts: readonly RowRange[];
  readonly plans: readonly SheetPlan[];
  /** Cells of the first sheet: after the last line, and the sum over the checks. */
  readonly closing: string;
  readonly closingReserved: string;
  readonly checks: string;
  /** Rows of the journal that the lines written so far have. */
  readonly seen: { journalRows: number };
}

/** `rowsPerSheet`: lines that one sheet takes. The lines are read once, while the sheets are written in their order. */
export function planLedger(context: SheetContext, rowsPerSheet: number): Ledger {
  const { labels, statement, lines } = context;
  const { entryCount } = statement.summary;
  const parts = partsOf(labels.workbook.sheets.ledger, entryCount, { rowsPerSheet, firstRow: FIRST_ROW });
  const seen = { journalRows: statement.journal.others.reduce((sum, { rows }) => sum + rows.length, 0) };
  const stretches = stretchesOf(lines());
  const plans = parts.map((range, part) => ({
    name: range.sheet,
    widths: WIDTHS,
    frozenRows: HEADER_ROW,
    table: { headerRow: HEADER_ROW, columns: COLUMNS, lastRow: range.last },
    printedColumns: PRINTED_COLUMNS,
    portrait: false,
    onOnePage: false,
    isLong: hasManyTexts(context),
    drawing: null,
    rows: rowsOf({ context, parts, part, lines: stretches.take(rowsPerSheet), seen }),
  }));
  const at = (column: number, row: number): string => placeName({ sheet: labels.workbook.sheets.ledger, column, row });
  return {
    parts,
    plans,
    seen,
    closing: at(LEDGER.balance, TOTAL_ROW),
    closingReserved: at(LEDGER.reserved, TOTAL_ROW),
    checks: at(LEDGER.check, TOTAL_ROW),
  };
}

interface LedgerPart {
  readonly context: SheetContext;
  readonly parts: readonly RowRange[];
  readonly part: number;
  readonly lines: AsyncIterable<readonly StatementLine[]>;
  readonly seen: { journalRows: number };
}

async function* rowsOf({ context, parts, part, lines, seen }: LedgerPart): AsyncGenerator<readonly Cells[]> {
  yield headOf(context, parts, part);
  let row = FIRST_ROW;
  for await (const batch of lines) {
    const rows: Cells[] = [];
    for (const line of batch) {
      if (line.entry?.source === 'line') seen.journalRows += line.entry.rows.length;
      rows.push(
        lineCells(line, context, formula(checkOf(parts, part, row), 0, { kind: 'check', style: styleOf(line) })),
      );
      row += 1;
    }
    yield rows;
  }
}

function headOf(context: SheetContext, parts: readonly RowRange[], part: number): readonly Cells[] {
  const { labels, statement } = context;
  const { openingBalance, closingBalance, openingReserved, closingReserved } = statement.summary;
  const sheet = startSheet(parts[part]!.sheet);
  addHeading(sheet, context, sheet.name);
  if (part > 0) {
    sheet.add([text(fill(labels.workbook.ledger.continued, { sheet: labels.workbook.sheets.ledger }), 'note')]);
    sheet.skip();
  } else {
    sheet.add(
      spread(COLUMNS, 'total', {
        1: text(labels.workbook.ledger.opening, 'total'),
        [LEDGER.balance]: amount(openingBalance, 'total'),
        [LEDGER.reserved]: amount(openingReserved, 'total'),
      }),
    );
    const { lines: posted } = statement.journal;
    const here = (column: number, row: number): string => `${columnLetters(column)}${row}`;
    const [debit, credit] = [here(LEDGER.debit, TOTAL_ROW), here(LEDGER.credit, TOTAL_ROW)];
    const held = `${here(LEDGER.reserved, OPENING_ROW)}+${here(LEDGER.reservedMove, TOTAL_ROW)}`;
    sheet.add(
      spread(COLUMNS, 'total', {
        1: text(labels.workbook.ledger.total, 'total'),
        [LEDGER.debit]: total(sumOver(parts, LEDGER.debit), posted.credit),
        [LEDGER.credit]: total(sumOver(parts, LEDGER.credit), posted.debit),
        [LEDGER.balance]: total(`${here(LEDGER.balance, OPENING_ROW)}-${debit}+${credit}`, closingBalance),
        [LEDGER.reservedMove]: total(sumOver(parts, LEDGER.reservedMove), closingReserved - openingReserved),
        [LEDGER.reserved]: total(held, closingReserved),
        [LEDGER.check]: total(sumOver(parts, LEDGER.check), 0, 'check'),
      }),
    );
  }
  sheet.add(headers(labels.workbook.ledger.columns));
  return sheet.rows;
}

/** |balance before − debit + credit − balance| + |reserved before + its move − reserved|. */
function checkOf(parts: readonly RowRange[], part: number, row: number): string {
  const balance = columnLetters(LEDGER.balance);
  const reserved = columnLetters(LEDGER.reserved);
  const [balanceBefore, reservedBefore] = beforeOf(parts, part, row);
  const debit = `${columnLetters(LEDGER.debit)}${row}`;
  const credit = `${columnLetters(LEDGER.credit)}${row}`;
  const move = `${columnLetters(LEDGER.reservedMove)}${row}`;
  return `ABS(${balanceBefore}-${debit}+${credit}-${balance}${row})+ABS(${reservedBefore}+${move}-${reserved}${row})`;
}

function beforeOf(parts: readonly RowRange[], part: number, row: number): readonly [string, string] {
  if (row === FIRST_ROW && part > 0) {
    const { sheet, last } = parts[part - 1]!;
    const at = (column: number): string => placeName({ sheet, column, row: last });
    return [at(LEDGER.balance), at(LEDGER.reserved)];
  }
  const before = row === FIRST_ROW ? OPENING_ROW : row - 1;
  return [`${columnLetters(LEDGER.balance)}${before}`, `${columnLetters(LEDGER.reserved)}${before}`];
}

function styleOf({ flags, isMemo }: StatementLine): CellStyle {
  return flags.length > 0 ? 'alert' : isMemo ? 'memo' : 'plain';
}

/** In the order of `labels.workbook.ledger.columns`. */
function lineCells(line: StatementLine, { language, labels }: SheetContext, check: Cell): Cells {
  const style = styleOf(line);
  return [
    serial(line.sequence, style),
    localDateTime(line.localTime, style),
    text(nameKind(line.kind, language), style),
    text(line.operationReference, style),
    amount(line.debit, style),
    amount(line.credit, style),
    amount(line.balance, style),
    amount(line.reservedMove === 0 ? null : line.reservedMove, style),
    amount(line.reserved, style),
    check,
    text(line.label, style),
    text(line.externalReference, style),
    text(line.counterpartyName ?? line.counterpartyNumber, style),
    text(line.operator, style),
    text(line.country, style),
    line.flags.length === 0 ? null : text(line.flags.map((flag) => labels.workbook.flags[flag]).join(', '), style),
    text(line.kind, style),
    amount(line.amount, style),
    amount(line.recordedBalance, style),
    amount(line.recordedReserved, style),
  ];
}
