// Opérations: every operation that was created, ended or reversed in the month, with whom, for what and for how much. A month
// with more of them than a sheet takes goes on in the next one.

import { hasOperations } from '../../../statements/reconciliation/operations-read.ts';
import type { StatementOperation } from '../../../statements/statement-line.ts';
import { amount, type Cells, headers, localDateTime, text } from '../cell.ts';
import { addHeading, hasManyTexts, type SheetContext } from '../sheet-context.ts';
import { type SheetPlan, startSheet } from '../sheet-plan.ts';
import { stretchesOf } from '../take-rows.ts';
import { partsOf } from './ledger.ts';

const WIDTHS = [24, 16, 12, 8, 28, 22, 34, 22, 14, 12, 14, 20, 19, 19];
const HEADER_ROW = 4;

/** The operations are read once, while the sheets are written in their order. */
export function planMonthOperations(context: SheetContext, rowsPerSheet: number): readonly SheetPlan[] {
  const { labels, statement, operations } = context;
  const parts = partsOf(labels.sheets.monthOperations, statement.operations.count, rowsPerSheet, HEADER_ROW + 1);
  const stretches = stretchesOf(operations());
  return parts.map(({ sheet, last }) => ({
    name: sheet,
    widths: WIDTHS,
    frozenRows: HEADER_ROW,
    table: { headerRow: HEADER_ROW, columns: WIDTHS.length, lastRow: last },
    printedColumns: null,
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
  const { labels, ofOperations, statement } = context;
  head.add([text(hasOperations(statement) ? ofOperations.note : labels.operationsUnread, 'note')]);
  head.add(headers(Object.values(context.ofOperations.columns)));
  yield head.rows;
  for await (const batch of operations) yield batch.map((operation) => cellsOf(context, operation));
}

/** In the order of `monthOperations.columns` among the words. */
function cellsOf({ ofOperations }: SheetContext, operation: StatementOperation): Cells {
  return [
    text(operation.reference),
    text(ofOperations.types[operation.type]),
    text(operation.operator),
    text(operation.country),
    text(operation.counterpartyName),
    text(operation.counterpartyNumber),
    text(operation.description),
    text(operation.externalReference),
    amount(operation.amount),
    amount(operation.fees),
    amount(operation.netAmount),
    text(ofOperations.states[operation.status]),
    localDateTime(operation.createdLocal),
    operation.completedLocal === null ? null : localDateTime(operation.completedLocal),
  ];
}
