// Paiements par lien: another population than the wallet's, on a sheet of its own whose totals are in no other sheet.

import { PAID } from '../../../../core/statements/tables/money.ts';
import { nameFigure } from '../../../../core/words/names.ts';
import { linkNote, linkOutcome } from '../../sentences/link-sentences.ts';
import { count, figure, headers, text, wrapped } from '../sheet/cell.ts';
import {
  addHeading,
  addSection,
  addTable,
  planOf,
  type SheetContext,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';

const WIDTHS = [56, 16, 22];

/** None where the statement has no such payments. */
export function planLinks(context: SheetContext): readonly SheetPlan[] {
  const { statement, labels, speech } = context;
  const titles = labels.links;
  const { paymentsByLink: section } = statement;
  if (section === null) return [];
  const { byOperator, byCountry, byDay, byStatus, paymentCount, totalAmount } = section.summary;
  const sheet = startSheet(labels.workbook.sheets.links);
  addHeading(sheet, context, sheet.name);
  sheet.add([wrapped(linkNote(section, titles, speech), 'note')]);
  sheet.add([wrapped(titles.apart, 'note')]);
  const of = { titles, total: { count: paymentCount, amount: totalAmount } };
  addSection(sheet, titles.operator, WIDTHS.length);
  addTable(sheet, context, PAID.byOperator, { ...of, rows: byOperator });
  addSection(sheet, titles.country, WIDTHS.length);
  addTable(sheet, context, PAID.byCountry, { ...of, rows: byCountry });
  addSection(sheet, titles.day, WIDTHS.length);
  addTable(sheet, context, PAID.byDay, { ...of, rows: byDay });
  addSection(sheet, titles.state, WIDTHS.length);
  for (const [status, number] of Object.entries(byStatus))
    sheet.add([text(titles.states[status as keyof typeof byStatus]), count(number)]);
  addSection(sheet, titles.report, WIDTHS.length);
  for (const one of linkOutcome(section, titles, speech)) sheet.add([wrapped(one.text, one.isAlert ? 'bad' : 'plain')]);
  const { differences = [], allowed = [] } = section.comparison ?? {};
  if (differences.length + allowed.length > 0) sheet.add(headers(labels.workbook.metadata.serviceColumns));
  for (const { key, service, ours } of [...differences, ...allowed])
    sheet.add([text(nameFigure(speech, `paymentsByLink.${key}`)), figure(service), figure(ours)]);
  return [planOf(sheet, { widths: WIDTHS, frozenRows: 2, portrait: true })];
}
