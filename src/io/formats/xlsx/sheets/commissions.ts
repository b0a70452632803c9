// Commissions: what was charged under each price, compared with what the price asks; and the operations that differ.

import { hasOperations } from '../../../../core/statements/statement.ts';
import { COMMISSION_DIFFERENCES, COMMISSIONS, FEE_TAXES } from '../../../../core/statements/tables/commissions.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameAnswer } from '../../../../core/words/names.ts';
import { amount, text } from '../sheet/cell.ts';
import {
  addHeading,
  addSection,
  addTable,
  planOf,
  type SheetContext,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';

export interface Commissions {
  readonly plan: SheetPlan;
  /** Cell of the sum of what was charged. */
  readonly charged: string;
  /** Formula of the sum of what was paid out. */
  readonly paidOut: string;
}

export function planCommissions(context: SheetContext): Commissions {
  const { labels, statement, speech } = context;
  const { rows, total, posted, roundings, differences, differenceCount } = statement.commissions;
  const titles = labels.commissions;
  const sheet = startSheet(labels.workbook.sheets.commissions);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(hasOperations(statement) ? titles.note : labels.document.operationsUnread, 'note')]);
  sheet.skip();
  const prices = addTable(sheet, context, COMMISSIONS, { titles, rows, total: { ...total, differenceCount } });
  const list = nameAnswer(speech, 'feeRounding', roundings)[1];
  if (roundings.length > 0) sheet.add([text(fill(titles.roundings, { list }), 'note')]);
  const columns = COMMISSIONS.columns.length;
  addSection(sheet, titles.posted, columns);
  sheet.add([text(context.words.code('type', 'CASHIN')), null, amount(posted.cashin)]);
  sheet.add([text(context.words.code('type', 'CASHOUT')), null, amount(posted.cashout)]);
  const { taxes } = statement.journal;
  if (taxes.length > 0) {
    addSection(sheet, titles.taxes, columns);
    addTable(sheet, context, FEE_TAXES, { titles, rows: taxes });
  }
  addSection(sheet, titles.differences, columns);
  if (differenceCount === 0) sheet.add([text(labels.document.none, 'note')]);
  const differing =
    differenceCount === 0
      ? null
      : addTable(sheet, context, COMMISSION_DIFFERENCES, { titles, rows: differences, count: differenceCount });
  return {
    plan: planOf(sheet, { frozenRows: 2, table: differing?.table ?? null }),
    charged: prices.total('charged'),
    paidOut: ['0', ...rows.flatMap(({ type }, i) => (type === 'CASHOUT' ? [prices.cell('base', i)] : []))].join('+'),
  };
}
