// Commissions: what was charged under each price, compared with what the price asks; and the operations that differ.

import { hasOperations } from '../../../../core/statements/reconciliation/operations-read.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameAnswer } from '../../../../core/words/names.ts';
import { columnLetters, rangeName, rowRange } from '../address.ts';
import { amount, type Cell, type Cells, count, formula, headers, spread, text, total } from '../cell.ts';
import { addHeading, addSection, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetDraft, type SheetPlan, startSheet } from '../sheet-plan.ts';

/** Columns, in the order of `labels.commissions.columns`. */
const COLUMN = {
  type: 1,
  bps: 2,
  flat: 3,
  count: 4,
  base: 5,
  charged: 6,
  recomputed: 7,
  difference: 8,
  many: 9,
} as const;
const WIDTHS = [26, 24, 16, 16, 18, 16, 16, 14, 14];

export interface Commissions {
  readonly plan: SheetPlan;
  /** Cell of the sum of what was charged. */
  readonly charged: string;
  /** Formula of the sum of what was paid out. */
  readonly paidOut: string;
}

export function planCommissions(context: SheetContext): Commissions {
  const { labels, statement, speech } = context;
  const { commissions } = statement;
  const sheet = startSheet(labels.sheets.commissions);
  addHeading(sheet, context, sheet.name);
  const [, roundings] = nameAnswer(speech, 'feeRounding', commissions.roundings);
  const note = hasOperations(statement) ? fill(labels.commissions.note, { roundings }) : labels.operationsUnread;
  sheet.add([text(note, 'note')]);
  sheet.skip();
  sheet.add(headers(labels.commissions.columns));
  const range = rowRange(sheet.name, sheet.rows.length + 1, commissions.rows.length);
  for (const row of commissions.rows) sheet.add(priceCells(context, row, sheet.rows.length + 1));
  if (commissions.rows.length === 0) sheet.skip();
  const sums = commissions.total;
  const sum = (column: number, result: number, kind: 'amount' | 'count' = 'amount'): Cell =>
    total(`SUM(${rangeName(range, column)})`, result, kind);
  const totalRow = sheet.add(
    spread(WIDTHS.length, 'total', {
      1: text(labels.commissions.total, 'total'),
      [COLUMN.count]: sum(COLUMN.count, sums.count, 'count'),
      [COLUMN.base]: sum(COLUMN.base, sums.base),
      [COLUMN.charged]: sum(COLUMN.charged, sums.charged),
      [COLUMN.recomputed]: sum(COLUMN.recomputed, sums.recomputed),
      [COLUMN.difference]: sum(COLUMN.difference, sums.difference),
      [COLUMN.many]: sum(COLUMN.many, commissions.differenceCount, 'count'),
    }),
  );
  addPosted(sheet, context);
  addTaxes(sheet, context);
  const table = addDifferences(sheet, context);
  const at = (column: number, row = totalRow): string => sheet.at({ column, row });
  const firstRow = totalRow - Math.max(1, commissions.rows.length);
  const paidOut = commissions.rows.flatMap(({ type }, i) =>
    type === 'CASHOUT' ? [at(COLUMN.base, firstRow + i)] : [],
  );
  return {
    plan: planOf(sheet, { widths: WIDTHS, frozenRows: 2, table }),
    charged: at(COLUMN.charged),
    paidOut: ['0', ...paidOut].join('+'),
  };
}

function priceCells(
  { labels }: SheetContext,
  row: SheetContext['statement']['commissions']['rows'][number],
  at: number,
): Cells {
  const { price } = row;
  const charged = `${columnLetters(COLUMN.charged)}${at}-${columnLetters(COLUMN.recomputed)}${at}`;
  return [
    text(labels.types[row.type]),
    price === null ? text(labels.commissions.noPrice) : count(price.bps),
    amount(price?.flat ?? null),
    count(row.count),
    amount(row.base),
    amount(row.charged),
    amount(row.recomputed),
    formula(charged, row.difference),
    count(row.differenceCount),
  ];
}

function addPosted(sheet: SheetDraft, { labels, statement }: SheetContext): void {
  const { posted } = statement.commissions;
  addSection(sheet, labels.commissions.posted, WIDTHS.length);
  const row = (name: string, figure: number): Cells =>
    spread(COLUMN.charged, 'plain', { 1: text(name), [COLUMN.charged]: amount(figure) });
  sheet.add(row(labels.types.CASHIN, posted.cashin));
  sheet.add(row(labels.types.CASHOUT, posted.cashout));
}

/** As an invoice has them: by operator and tax, rounded once. Nothing where no tax is configured. */
function addTaxes(sheet: SheetDraft, { labels, statement }: SheetContext): void {
  const { taxes } = statement.journal;
  if (taxes.length === 0) return;
  addSection(sheet, labels.commissions.taxes, WIDTHS.length);
  sheet.add(headers(labels.commissions.taxColumns));
  for (const { operator, name, bps, net, tax, whole } of taxes) {
    const row = sheet.rows.length + 1;
    sheet.add([
      text(operator ?? labels.commissions.noOperator),
      text(name),
      count(bps),
      null,
      amount(net),
      amount(tax),
      formula(`E${row}+F${row}`, whole),
    ]);
  }
}

function addDifferences(sheet: SheetDraft, { labels, statement, speech }: SheetContext): SheetPlan['table'] {
  const { differences, differenceCount } = statement.commissions;
  addSection(sheet, labels.commissions.differences, WIDTHS.length);
  if (differenceCount === 0) {
    sheet.add([text(labels.commissions.noDifference, 'note')]);
    return null;
  }
  const headerRow = sheet.add(headers(labels.commissions.differenceColumns));
  for (const one of differences) {
    sheet.add([
      text(labels.types[one.type]),
      text(one.operationReference),
      null,
      null,
      amount(one.amount),
      amount(one.charged),
      amount(one.recomputed),
      amount(one.difference),
    ]);
  }
  const lastRow = sheet.rows.length;
  const left = differenceCount - differences.length;
  if (left > 0) sheet.add([text(fill(labels.commissions.others, { count: left }, speech), 'note')]);
  return { headerRow, columns: COLUMN.difference, lastRow };
}
