// Synthèse: the month on one page, from opening to closing, and every key figure of the summary. Two charts stand beside
// the figures.

import { SEVERITIES } from '../../../../core/domain/finding.ts';
import { isEntryKind } from '../../../../core/domain/ledger-entry.ts';
import type { MovementRow } from '../../../../core/statements/section-movements.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameMovement } from '../../port/kind-names.ts';
import { closingSteps } from '../../sentences/closing-steps.ts';
import { countWhere, type RowRange, rangeName, rowRange, sumWhere } from '../sheet/address.ts';
import {
  type Cell,
  type Cells,
  count,
  day,
  formula,
  headers,
  money,
  serial,
  spread,
  text,
  total,
} from '../sheet/cell.ts';
import {
  addHeading,
  type Drawing,
  type PlacedChart,
  planOf,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';
import type { Days } from './days.ts';
import { LEDGER, type Ledger } from './ledger.ts';
import type { Operators } from './operators.ts';
import { addVerdict, periodText } from './read-me.ts';
import {
  addDue,
  addReconciliation,
  addSummarySection,
  line,
  MONEY,
  SUMMARY,
  SUMMARY_WIDTHS,
  type SummaryPlaces,
} from './summary-parts.ts';

interface SummaryParts {
  readonly days: Days;
  readonly operators: Operators;
  readonly ledger: Ledger;
}

export function planSummary(context: SheetContext, parts: SummaryParts): { plan: SheetPlan; places: SummaryPlaces } {
  const { labels } = context;
  const sheet = startSheet(labels.workbook.sheets.summary);
  addHeading(sheet, context, labels.workbook.frame.title);
  sheet.add([text(periodText(context), 'note')]);
  addVerdict(sheet, context, SUMMARY_WIDTHS.length);
  const wallet = addWallet(sheet, context);
  sheet.skip();
  const drawing = summaryDrawing(context, parts, sheet.rows.length);
  if (drawing !== null) for (let row = 0; row < CHART_ROWS; row++) sheet.skip();
  const kinds = addKinds(sheet, context, parts.ledger);
  addCollections(sheet, context, parts.operators);
  addStatuses(sheet, context);
  addDue(sheet, context);
  const reconciliation = addReconciliation(sheet, context);
  addFindings(sheet, context);
  const entryCount = addMarks(sheet, context);
  return {
    plan: planOf(sheet, { widths: SUMMARY_WIDTHS, frozenRows: 2, portrait: true, onOnePage: true, drawing }),
    places: { ...wallet, ...kinds, entryCount, reconciliation },
  };
}

function addWallet(sheet: SheetDraft, { labels, statement }: SheetContext) {
  const { summary } = statement;
  const words = labels.workbook.summary;
  addSummarySection(sheet, words.wallet);
  sheet.add(headers(['', '', '', '', words.balance, words.reserved]));
  const both = (name: string, balance: Cell, reserved: Cell | null): number =>
    sheet.add(line(name, { [SUMMARY.balance]: balance, [SUMMARY.reserved]: reserved }));
  const opening = both(words.opening, money(summary.openingBalance)!, money(summary.openingReserved));
  both(words.collected, money(summary.collected)!, null);
  both(words.disbursed, money(summary.disbursed)!, null);
  both(words.fees, money(summary.fees)!, null);
  both(words.reversals, money(summary.reversals)!, null);
  both(words.adjustments, money(summary.adjustments)!, null);
  both(words.otherMovements, money(summary.otherMovements)!, null);
  const held = summary.closingReserved - summary.openingReserved;
  both(words.reservedMoves, { ...money(0)!, value: null }, money(held));
  const at = (row: number, column: 'E' | 'F' = 'E'): string => `${column}${opening + row}`;
  const sum = `${at(0)}+${at(1)}-${at(2)}-${at(3)}+${at(4)}+${at(5)}+${at(6)}`;
  const closing = sheet.add(
    spread(SUMMARY_WIDTHS.length, 'total', {
      1: text(words.closing, 'total'),
      [SUMMARY.balance]: total(sum, summary.closingBalance, 'money'),
      [SUMMARY.reserved]: total(`${at(0, 'F')}+${at(7, 'F')}`, summary.closingReserved, 'money'),
    }),
  );
  for (const { name, isBalance, ...sides } of closingSteps(summary)) {
    const to = sheet.rows.length;
    const cell = (letter: 'E' | 'F', value: number): Cell =>
      isBalance ? total(`${letter}${to - 1}+${letter}${to}`, value, 'money') : money(value)!;
    const cells = { [SUMMARY.balance]: cell('E', sides.balance), [SUMMARY.reserved]: cell('F', sides.reserved) };
    sheet.add(
      spread(SUMMARY_WIDTHS.length, isBalance ? 'total' : 'plain', {
        1: text(labels.due.closing[name], isBalance ? 'total' : 'plain'),
        ...cells,
      }),
    );
  }
  const free = formula(`E${closing}-F${closing}`, summary.availableAtClose, MONEY);
  const available = both(words.available, free, null);
  const { control } = summary;
  const shown = (value: number): Cell => ({ value, formula: null, kind: 'check', style: value === 0 ? 'good' : 'bad' });
  both(words.control, shown(control.openingPlusMovementsMinusClosing), null);
  both(words.recorded, shown(control.recordedMinusRecomputed), shown(control.reservedRecordedMinusRecomputed));
  const place = (column: number, row: number): string => sheet.at({ column, row });
  return {
    opening: place(SUMMARY.balance, opening),
    openingReserved: place(SUMMARY.reserved, opening),
    closing: place(SUMMARY.balance, closing),
    closingReserved: place(SUMMARY.reserved, closing),
    available: place(SUMMARY.balance, available),
  };
}

function addKinds(sheet: SheetDraft, { labels, statement, language, words: figures }: SheetContext, ledger: Ledger) {
  const { movements, summary } = statement;
  const words = labels.workbook.summary;
  addSummarySection(sheet, words.kinds);
  // Only a kind that the documents do not name is shown as the service writes it.
  const isNamed = movements.every(({ kind }) => isEntryKind(kind));
  sheet.add(headers(words.kindColumns.map((name, i) => (isNamed && i + 1 === SUMMARY.code ? '' : name))));
  const range = rowRange(sheet.name, sheet.rows.length + 1, movements.length);
  for (const movement of movements) {
    const isLive = isCountable(movement, movements);
    sheet.add([
      text(nameMovement(movement, statement, { language, due: labels.due, amount: figures.amount })),
      isEntryKind(movement.kind) ? null : text(movement.kind),
      ...(isLive ? liveCells(movement, ledger.parts) : plainCells(movement)),
    ]);
  }
  const sum = (column: number): string => `SUM(${rangeName(range, column)})`;
  const row = sheet.add(
    spread(SUMMARY_WIDTHS.length, 'total', {
      1: text(words.total, 'total'),
      [SUMMARY.count]: total(sum(SUMMARY.count), summary.entryCount, 'count'),
      [SUMMARY.balance]: total(sum(SUMMARY.balance), summary.closingBalance - summary.openingBalance, 'money'),
      [SUMMARY.reserved]: total(sum(SUMMARY.reserved), summary.closingReserved - summary.openingReserved, 'money'),
    }),
  );
  return {
    kindsCount: sheet.at({ column: SUMMARY.count, row }),
    kindsBalance: sheet.at({ column: SUMMARY.balance, row }),
    kindsReserved: sheet.at({ column: SUMMARY.reserved, row }),
  };
}

/** Conditions in formulas ignore case and have wildcards: only kinds of the document, and none that resembles another. */
function isCountable({ kind }: MovementRow, all: readonly MovementRow[]): boolean {
  return isEntryKind(kind) && all.filter((other) => other.kind.toUpperCase() === kind).length === 1;
}

function liveCells({ kind, ...figures }: MovementRow, parts: readonly RowRange[]): Cells {
  const key = `"${kind}"`;
  const sum = (column: number): string => sumWhere(parts, { keyColumn: LEDGER.code, key, column });
  const debits = parts.length > 1 ? `(${sum(LEDGER.debit)})` : sum(LEDGER.debit);
  return [
    formula(countWhere(parts, { keyColumn: LEDGER.code, key }), figures.count, { kind: 'count' }),
    formula(sum(LEDGER.amount), figures.amount, MONEY),
    formula(`${sum(LEDGER.credit)}-${debits}`, figures.balanceEffect, MONEY),
    formula(sum(LEDGER.reservedMove), figures.reservedEffect, MONEY),
  ];
}

function plainCells(movement: MovementRow): Cells {
  return [count(movement.count), money(movement.amount), money(movement.balanceEffect), money(movement.reservedEffect)];
}

function addCollections(sheet: SheetDraft, { labels, statement }: SheetContext, { byOperator }: Operators): void {
  const { summary } = statement;
  const words = labels.workbook.summary;
  addSummarySection(sheet, words.collections);
  if (!hasOperations(statement)) {
    sheet.add([text(labels.document.operationsUnread, 'note')]);
    return;
  }
  const counted = formula(byOperator.total('count'), summary.paymentCount, { kind: 'count' });
  sheet.add(line(words.paymentCount, { [SUMMARY.count]: counted }));
  sheet.add(
    line(words.totalAmount, { [SUMMARY.amount]: formula(byOperator.total('amount'), summary.totalAmount, MONEY) }),
  );
  sheet.add(line(words.totalFees, { [SUMMARY.amount]: formula(byOperator.total('fees'), summary.totalFees, MONEY) }));
}

function addStatuses(sheet: SheetDraft, { labels, statement }: SheetContext): void {
  if (!hasOperations(statement)) return;
  addSummarySection(sheet, labels.workbook.summary.statuses);
  const states = Object.entries(statement.summary.byStatus) as [keyof typeof labels.workbook.statuses, number][];
  for (const [state, many] of states) {
    sheet.add(line(labels.workbook.statuses[state], { [SUMMARY.count]: count(many) }));
  }
}

/** Open roots by severity, what is at rest, and what follows: together all of the month's, and only what there is. */
function addFindings(sheet: SheetDraft, { labels, statement }: SheetContext): void {
  const { findings } = statement.summary;
  const { settled = 0, accepted = 0, total: all, roots } = findings;
  const words = labels.workbook.summary;
  addSummarySection(sheet, words.findings);
  if (all === 0) {
    sheet.add([text(labels.verdict.noFindings, 'note')]);
    return;
  }
  const row = (name: string, many: number): number => sheet.add(line(name, { [SUMMARY.count]: count(many) }));
  const ofSeverity = SEVERITIES.map((severity) => [labels.workbook.severities[severity], findings[severity]] as const);
  const atRest = [[words.settled, settled] as const, [words.accepted, accepted] as const];
  const shown = [...ofSeverity, ...atRest, [words.followers, all - roots] as const].filter(([, many]) => many > 0);
  const rows = shown.map(([name, many]) => row(name, many));
  sheet.add(
    spread(SUMMARY_WIDTHS.length, 'total', {
      1: text(words.total, 'total'),
      [SUMMARY.count]: total(`SUM(C${rows[0]}:C${rows.at(-1)})`, all, 'count'),
    }),
  );
  row(words.roots, roots);
}

function addMarks(sheet: SheetDraft, { labels, statement }: SheetContext): string {
  const { summary } = statement;
  const words = labels.workbook.summary;
  addSummarySection(sheet, words.marks);
  const row = sheet.add(line(words.entryCount, { [SUMMARY.count]: count(summary.entryCount) }));
  sheet.add(line(words.firstSequence, { [SUMMARY.count]: serial(summary.firstSequence) }));
  sheet.add(line(words.lastSequence, { [SUMMARY.count]: serial(summary.lastSequence) }));
  sheet.add(line(words.revision, { [SUMMARY.count]: serial(summary.revision) }));
  sheet.add(line(words.chainHead, { [SUMMARY.code]: text(summary.chainHead) }));
  return sheet.at({ column: SUMMARY.count, row });
}

/** Rows of the sheet that the charts cover, and the columns on which one ends and the other begins. */
const CHART_ROWS = 16;
const MIDDLE = 3;
const RIGHT = 6;

/** `top`: rows above the charts. */
function summaryDrawing(
  context: SheetContext,
  { days, operators }: { readonly days: Days; readonly operators: Operators },
  top: number,
): Drawing | null {
  const charts = [balanceChart(context, days, top), operatorChart(context, operators, top)].filter(
    (chart) => chart !== null,
  );
  return charts.length === 0 ? null : { charts };
}

function balanceChart(
  { statement, labels, language, words }: SheetContext,
  days: Days,
  top: number,
): PlacedChart | null {
  const rows = statement.days;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const { openingBalance, closingBalance } = statement.summary;
  return {
    chart: {
      form: 'line',
      title: `${said.balance} (${statement.currency})`,
      seriesName: said.balanceSeries,
      categories: { range: days.places.column('day'), values: rows.map((row) => day(row.day).value!) },
      values: { range: days.places.column('closing'), values: rows.map((row) => row.closing) },
      dayFormat: language === 'fr' ? 'dd/mm' : 'd mmm',
    },
    description: fill(said.balanceText, {
      period: statement.period.label[language],
      opening: words.amount(openingBalance),
      closing: words.amount(closingBalance),
      lowest: words.amount(Math.min(...rows.map((row) => row.closing))),
      highest: words.amount(Math.max(...rows.map((row) => row.closing))),
    }),
    from: { column: 0, row: top },
    to: { column: MIDDLE, row: top + CHART_ROWS },
  };
}

function operatorChart(
  { statement, labels, language, words }: SheetContext,
  operators: Operators,
  top: number,
): PlacedChart | null {
  const rows = statement.summary.byOperator;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const list = rows.map((row) => `${row.operator} ${words.amount(row.amount)}`).join(', ');
  return {
    chart: {
      form: 'bars',
      title: `${said.operators} (${statement.currency})`,
      seriesName: said.operatorSeries,
      categories: { range: operators.byOperator.column('operator'), values: rows.map((row) => row.operator) },
      values: { range: operators.byOperator.column('amount'), values: rows.map((row) => row.amount) },
      dayFormat: 'General',
    },
    description: fill(said.operatorText, { period: statement.period.label[language], list }),
    from: { column: MIDDLE, row: top },
    to: { column: RIGHT, row: top + CHART_ROWS },
  };
}
