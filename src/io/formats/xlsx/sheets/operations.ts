// Opérations: what the month leaves open or takes over, as one table that can be filtered: operations not final at the
// cut-off, money still held, reversals of earlier months, lines whose date and order disagree.

import { fill } from '../../../../core/words/message.ts';
import { nameCode } from '../../../../core/words/names.ts';
import { nameKind } from '../../port/kind-names.ts';
import { columnLetters, type RowRange, rowRange, sumWhere } from '../sheet/address.ts';
import {
  amount,
  type Cell,
  type Cells,
  count,
  dateTime,
  formula,
  headers,
  serial,
  spread,
  text,
} from '../sheet/cell.ts';
import { addHeading, planOf, type SheetContext, type SheetPlan, startSheet } from '../sheet/sheet.ts';

/** Columns, in the order of `labels.workbook.operations.columns`. */
const COLUMN = {
  topic: 1,
  reference: 2,
  type: 3,
  status: 4,
  operator: 5,
  country: 6,
  sequence: 7,
  at: 8,
  expires: 9,
  completed: 10,
  amount: 11,
  fees: 12,
  held: 13,
  effect: 14,
  remark: 15,
} as const;
const WIDTHS = [32, 22, 22, 14, 11, 6, 8, 18, 18, 18, 12, 12, 12, 13, 30];
const FIRST_TOPIC_ROW = 5;
const TOPICS = 3;
const HEADER_ROW = FIRST_TOPIC_ROW + TOPICS + 1;

export interface Operations {
  readonly plan: SheetPlan;
  readonly openAmount: string;
  readonly held: string;
  readonly reversed: string;
}

export function planOperations(context: SheetContext): Operations {
  const { labels, statement } = context;
  const { openOperations, openHolds, earlierReversals } = statement;
  const { topics } = labels.workbook.operations;
  const sheet = startSheet(labels.workbook.sheets.operations);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.operations.note, 'note')]);
  sheet.add(spread(WIDTHS.length, 'section', { 1: text(labels.workbook.operations.totals, 'section') }));
  const rows = [
    ...openOperationRows(context),
    ...holdRows(context),
    ...reversalRows(context),
    ...crossingRows(context),
  ];
  const range = rowRange(sheet.name, HEADER_ROW + 1, rows.length);
  const addTotal = (topic: string, many: number, column: number, result: number): string => {
    const row = sheet.rows.length + 1;
    const sum = sumOfTopic(range, row, column);
    sheet.add(
      spread(WIDTHS.length, 'total', {
        1: text(topic, 'total'),
        [COLUMN.sequence]: count(many, 'total'),
        [column]: formula(sum, result, { style: 'total' }),
      }),
    );
    return sheet.at({ column, row });
  };
  const openAmount = addTotal(topics.openOperation, openOperations.count, COLUMN.amount, openOperations.amount);
  const held = addTotal(topics.openHold, openHolds.count, COLUMN.held, openHolds.total);
  const reversed = addTotal(topics.reversal, earlierReversals.count, COLUMN.effect, earlierReversals.total);
  sheet.skip();
  sheet.add(headers(labels.workbook.operations.columns));
  sheet.addAll(rows);
  const table = { headerRow: HEADER_ROW, columns: WIDTHS.length, lastRow: range.last };
  return { plan: planOf(sheet, { widths: WIDTHS, frozenRows: HEADER_ROW, table }), openAmount, held, reversed };
}

function sumOfTopic(range: RowRange, row: number, column: number): string {
  return sumWhere([range], { keyColumn: COLUMN.topic, key: `${columnLetters(COLUMN.topic)}${row}`, column });
}

function row(cells: Readonly<Record<number, Cell | null>>): Cells {
  return WIDTHS.map((_, i) => cells[i + 1] ?? null);
}

/** What the list leaves out because it is too long, as one row, so that the total is the total. */
function othersRow(
  { labels, speech }: SheetContext,
  topic: string,
  many: number,
  rest: Readonly<Record<number, Cell | null>>,
) {
  if (many === 0) return [];
  const remark = fill(labels.workbook.operations.others, { count: many }, speech);
  return [row({ [COLUMN.topic]: text(topic), ...rest, [COLUMN.remark]: text(remark) })];
}

function openOperationRows(context: SheetContext): readonly Cells[] {
  const { labels, statement, zone } = context;
  const { rows, count: many, amount: whole } = statement.openOperations;
  const topic = labels.workbook.operations.topics.openOperation;
  const listed = rows.map((operation) =>
    row({
      [COLUMN.topic]: text(topic),
      [COLUMN.reference]: text(operation.reference),
      [COLUMN.type]: text(nameType(context, operation.type)),
      [COLUMN.status]: text(nameCode(context.speech.words, 'statuses', operation.statusAsRead)),
      [COLUMN.operator]: text(operation.operator),
      [COLUMN.country]: text(operation.country),
      [COLUMN.at]: dateTime(operation.createdAt, zone),
      [COLUMN.expires]: dateTime(operation.expiresAt, zone),
      [COLUMN.completed]: dateTime(operation.completedAt, zone),
      [COLUMN.amount]: amount(operation.amount),
      [COLUMN.fees]: amount(operation.fees),
    }),
  );
  const rest = whole - rows.reduce((sum, operation) => sum + operation.amount, 0);
  return [...listed, ...othersRow(context, topic, many - rows.length, { [COLUMN.amount]: amount(rest) })];
}

function holdRows(context: SheetContext): readonly Cells[] {
  const { labels, statement, zone } = context;
  const { rows, count: many, total: whole } = statement.openHolds;
  const topic = labels.workbook.operations.topics.openHold;
  const listed = rows.map((hold) =>
    row({
      [COLUMN.topic]: text(topic),
      [COLUMN.reference]: text(hold.operationReference),
      [COLUMN.operator]: text(hold.operator),
      [COLUMN.country]: text(hold.country),
      [COLUMN.sequence]: serial(hold.sequence),
      [COLUMN.at]: dateTime(hold.since, zone),
      [COLUMN.held]: amount(hold.held),
      [COLUMN.remark]: hold.operationReference === null ? text(labels.workbook.operations.noReference) : null,
    }),
  );
  const rest = whole - rows.reduce((sum, hold) => sum + hold.held, 0);
  return [...listed, ...othersRow(context, topic, many - rows.length, { [COLUMN.held]: amount(rest) })];
}

function reversalRows(context: SheetContext): readonly Cells[] {
  const { labels, statement, zone } = context;
  const { rows, count: many, total: whole } = statement.earlierReversals;
  const topic = labels.workbook.operations.topics.reversal;
  const listed = rows.map((reversal) =>
    row({
      [COLUMN.topic]: text(topic),
      [COLUMN.reference]: text(reversal.operationReference),
      [COLUMN.type]: text(nameType(context, reversal.type)),
      [COLUMN.operator]: text(reversal.operator),
      [COLUMN.sequence]: serial(reversal.sequence),
      [COLUMN.at]: dateTime(reversal.operationCreatedAt, zone),
      [COLUMN.completed]: dateTime(reversal.at, zone),
      [COLUMN.effect]: amount(reversal.amount),
    }),
  );
  const rest = whole - rows.reduce((sum, reversal) => sum + reversal.amount, 0);
  return [...listed, ...othersRow(context, topic, many - rows.length, { [COLUMN.effect]: amount(rest) })];
}

function crossingRows(context: SheetContext): readonly Cells[] {
  const { labels, statement, zone, language } = context;
  const { rows, count: many } = statement.crossing;
  const { topics, crossing } = labels.workbook.operations;
  const listed = rows.map((line) =>
    row({
      [COLUMN.topic]: text(topics.crossing),
      [COLUMN.reference]: text(line.operationReference),
      [COLUMN.type]: text(nameKind(line.kind, language)),
      [COLUMN.sequence]: serial(line.sequence),
      [COLUMN.at]: dateTime(line.at, zone),
      [COLUMN.effect]: amount(line.balanceEffect),
      [COLUMN.remark]: text(crossing[line.bound][line.datedBefore ? 'before' : 'after']),
    }),
  );
  return [...listed, ...othersRow(context, topics.crossing, many - rows.length, {})];
}

function nameType({ labels }: SheetContext, type: string): string {
  return type === 'CASHIN' || type === 'CASHOUT' ? labels.workbook.types[type] : type;
}
