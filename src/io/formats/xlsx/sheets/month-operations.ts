// Opérations: every operation that was created, ended or reversed in the month, with whom, for what and for how much. A month
// with more of them than a sheet takes goes on in the next one.

import { hasOperations, movesMoney } from '../../../../core/statements/statement.ts';
import type { StatementOperation } from '../../../../core/statements/statement-line.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import { partsOf } from '../sheet/address.ts';
import { amount, type Cell, type Cells, headers, localDateTime, text } from '../sheet/cell.ts';
import {
  addHeading,
  hasManyTexts,
  type SheetContext,
  type SheetPlan,
  startSheet,
  stretchesOf,
} from '../sheet/sheet.ts';

type Column = keyof Labels['monthOperations']['columns'];

const WIDTHS: Readonly<Record<Column, number>> = {
  reference: 24,
  type: 16,
  state: 16,
  created: 19,
  amount: 14,
  fees: 12,
  net: 14,
  name: 28,
  completed: 19,
  operator: 12,
  country: 8,
  number: 22,
  description: 34,
  partner: 22,
};
const COLUMNS = Object.keys(WIDTHS) as readonly Column[];
/** What stands right of it is for the screen: with more on a page, nobody could read it. */
const PRINTED_COLUMNS = COLUMNS.indexOf('name') + 1;
const HEADER_ROW = 4;

/** The operations are read once, while the sheets are written in their order. */
export function planMonthOperations(context: SheetContext, rowsPerSheet: number): readonly SheetPlan[] {
  const { labels, statement, operations } = context;
  const parts = partsOf(labels.workbook.sheets.monthOperations, statement.operations.count, {
    rowsPerSheet,
    firstRow: HEADER_ROW + 1,
  });
  const stretches = stretchesOf(operations());
  return parts.map(({ sheet, last }) => ({
    name: sheet,
    widths: Object.values(WIDTHS),
    frozenRows: HEADER_ROW,
    table: { headerRow: HEADER_ROW, columns: COLUMNS.length, lastRow: last },
    printedColumns: PRINTED_COLUMNS,
    portrait: false,
    onOnePage: false,
    isLong: hasManyTexts(context),
    drawing: null,
    rows: rowsOf(context, sheet, stretches.take(rowsPerSheet)),
  }));
}

async function* rowsOf(
  context: SheetContext,
  name: string,
  operations: AsyncIterable<readonly StatementOperation[]>,
): AsyncGenerator<readonly Cells[]> {
  const head = startSheet(name);
  addHeading(head, context, name);
  const { labels, statement } = context;
  head.add([text(hasOperations(statement) ? labels.monthOperations.note : labels.document.operationsUnread, 'note')]);
  head.add(headers(COLUMNS.map((column) => labels.monthOperations.columns[column])));
  yield head.rows;
  for await (const batch of operations) yield batch.map((operation) => cellsOf(context, operation));
}

function cellsOf({ labels: { monthOperations } }: SheetContext, operation: StatementOperation): Cells {
  const isMoved = movesMoney(operation.status);
  const cells: Readonly<Record<Column, Cell | null>> = {
    reference: text(operation.reference),
    type: text(monthOperations.types[operation.type]),
    state: text(monthOperations.states[operation.status]),
    created: localDateTime(operation.createdLocal),
    amount: amount(operation.amount),
    fees: amount(isMoved ? operation.fees : null),
    net: amount(isMoved ? operation.netAmount : null),
    name: text(operation.counterpartyName),
    completed: operation.completedLocal === null ? null : localDateTime(operation.completedLocal),
    operator: text(operation.operator),
    country: text(operation.country),
    number: text(operation.counterpartyNumber),
    description: text(operation.description),
    partner: text(operation.externalReference),
  };
  return COLUMNS.map((column) => cells[column]);
}
