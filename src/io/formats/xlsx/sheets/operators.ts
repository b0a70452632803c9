// Par opérateur: the month's lines by operator and country, by operator and by country; below them the collections that
// operations state, which are another population.

import { COLLECTED } from '../../../../core/statements/tables/money.ts';
import { COUNTRIES, OPERATORS, rowsBy } from '../../../../core/statements/tables/operators.ts';
import { text } from '../sheet/cell.ts';
import {
  addHeading,
  addSection,
  addTable,
  planOf,
  type SheetContext,
  type SheetPlan,
  startSheet,
  type TablePlaces,
} from '../sheet/sheet.ts';

export interface Operators {
  readonly plan: SheetPlan;
  /** Total net of the table by operator and country, by operator, by country. */
  readonly nets: readonly string[];
  /** The collections. */
  readonly byOperator: TablePlaces<'operator' | 'count' | 'amount' | 'fees'>;
  readonly byCountry: TablePlaces<'country' | 'count' | 'amount' | 'fees'>;
}

export function planOperators(context: SheetContext): Operators {
  const { labels, statement } = context;
  const { operators, summary } = statement;
  const { paymentCount: count, totalAmount: amount, totalFees: fees } = summary;
  const titles = labels.operators;
  const headings = labels.workbook.operators;
  const sheet = startSheet(labels.workbook.sheets.operators);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(titles.note, 'note')]);
  const columns = OPERATORS.columns.length;
  const of = { titles, total: operators.total };
  addSection(sheet, headings.byBoth, columns);
  const both = addTable(sheet, context, OPERATORS, { ...of, rows: operators.rows });
  addSection(sheet, sheet.name, columns);
  const operator = addTable(sheet, context, OPERATORS, { ...of, rows: rowsBy(operators, 'operator') });
  addSection(sheet, titles.byCountry, columns);
  const country = addTable(sheet, context, COUNTRIES, { ...of, rows: rowsBy(operators, 'country') });
  sheet.skip();
  sheet.add([text(titles.collectionsNote, 'note')]);
  const collected = { titles, total: { count, amount, fees } };
  addSection(sheet, headings.collectionsByOperator, columns);
  const byOperator = addTable(sheet, context, COLLECTED.byOperator, { ...collected, rows: summary.byOperator });
  addSection(sheet, headings.collectionsByCountry, columns);
  const byCountry = addTable(sheet, context, COLLECTED.byCountry, { ...collected, rows: summary.byCountry });
  return {
    plan: planOf(sheet, { frozenRows: 2, table: both.table }),
    nets: [both, operator, country].map((table) => table.total('net')),
    byOperator,
    byCountry,
  };
}
