// Paiements par lien: another population than the wallet's, on a sheet of its own whose totals are in no other sheet.

import type { Paid } from '../../../../core/statements/comparison.ts';
import { nameFigure } from '../../../../core/words/names.ts';
import { linkNote, linkOutcome } from '../../link-sentences.ts';
import { rangeName, rowRange } from '../address.ts';
import { amount, count, day, figure, headers, text, total, wrapped } from '../cell.ts';
import { addHeading, addSection, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetDraft, type SheetPlan, startSheet } from '../sheet-plan.ts';

const COLUMN = { name: 1, count: 2, amount: 3 } as const;
const WIDTHS = [56, 16, 22];

/** None where the statement has no such payments. */
export function planLinks(context: SheetContext): readonly SheetPlan[] {
  const { statement, labels, speech } = context;
  const said = labels.links;
  const { paymentsByLink: section } = statement;
  if (section === null) return [];
  const { byOperator, byCountry, byDay, byStatus } = section.summary;
  const sheet = startSheet(labels.workbook.sheets.links);
  addHeading(sheet, context, sheet.name);
  sheet.add([wrapped(linkNote(section, said, speech), 'note')]);
  sheet.add([wrapped(said.apart, 'note')]);
  addPaid(
    sheet,
    context,
    said.operator,
    byOperator.map((row) => ({ ...row, cell: text(row.operator) })),
  );
  addPaid(
    sheet,
    context,
    said.country,
    byCountry.map((row) => ({ ...row, cell: text(row.country) })),
  );
  addPaid(
    sheet,
    context,
    said.day,
    byDay.map((row) => ({ ...row, cell: day(row.day) })),
  );
  addSection(sheet, said.state, WIDTHS.length);
  for (const [status, number] of Object.entries(byStatus))
    sheet.add([text(said.states[status as keyof typeof byStatus]), count(number)]);
  addSection(sheet, said.report, WIDTHS.length);
  for (const one of linkOutcome(section, said, speech)) sheet.add([wrapped(one.text, one.isAlert ? 'bad' : 'plain')]);
  const { differences = [], allowed = [] } = section.comparison ?? {};
  if (differences.length + allowed.length > 0) sheet.add(headers(labels.workbook.metadata.serviceColumns));
  for (const { key, service, ours } of [...differences, ...allowed])
    sheet.add([text(nameFigure(speech, `paymentsByLink.${key}`)), figure(service), figure(ours)]);
  return [planOf(sheet, { widths: WIDTHS, frozenRows: 2, portrait: true })];
}

type Row = Paid & { readonly cell: ReturnType<typeof text> };

function addPaid(sheet: SheetDraft, { labels, statement }: SheetContext, title: string, rows: readonly Row[]): void {
  const said = labels.links;
  const { paymentCount, totalAmount } = statement.paymentsByLink!.summary;
  addSection(sheet, title, WIDTHS.length);
  sheet.add(headers([title, said.count, said.amount]));
  const range = rowRange(sheet.name, sheet.rows.length + 1, rows.length);
  for (const row of rows) sheet.add([row.cell, count(row.count), amount(row.amount)]);
  if (rows.length === 0) sheet.skip();
  sheet.add([
    text(labels.workbook.operators.total, 'total'),
    total(`SUM(${rangeName(range, COLUMN.count)})`, paymentCount, 'count'),
    total(`SUM(${rangeName(range, COLUMN.amount)})`, totalAmount),
  ]);
}
