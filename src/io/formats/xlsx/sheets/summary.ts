// Synthèse: the month on one page, from opening to closing, and every key figure of the summary,
// below two charts.

import { isEntryKind } from '../../../../core/domain/ledger-entry.ts';
import { markText } from '../../../../core/domain/snapshot.ts';
import type { MovementRow } from '../../../../core/statements/section-movements.ts';
import type { Language } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import { nameKind } from '../../port/wording.ts';
import { type Block, heading, pairs, SHEET } from '../../tables/block.ts';
import { bridgeBlock, measureBlocks } from '../../tables/bridge.ts';
import {
  balanceBlocks,
  comparedBlocks,
  dueBlocks,
  movementTable,
  occurring,
  stepBlocks,
} from '../../tables/steps.ts';
import { figureBlocks } from '../../tables/summary.ts';
import { countWhere, sumWhere } from '../sheet/address.ts';
import { day, text } from '../sheet/cell.ts';
import {
  addHeading,
  type Drawing,
  type PlacedChart,
  planOf,
  type SheetContext,
  startSheet,
} from '../sheet/sheet.ts';
import { addBlocks, type LongSheets, type Places, type PlannedSheet } from '../sheet/table.ts';
import { addVerdict, periodText } from './read-me.ts';

type Ledger = LongSheets<'kind' | 'amount' | 'credit' | 'debit' | 'reservedMove'>;

interface SummaryParts {
  readonly days: Places;
  readonly operators: Places;
  readonly ledger: Ledger;
}

export function planSummary(context: SheetContext, parts: SummaryParts): PlannedSheet {
  const { labels } = context;
  const sheet = startSheet(labels.workbook.sheets.summary);
  addHeading(sheet, context, labels.workbook.frame.title);
  sheet.add([text(periodText(context), 'note')]);
  addVerdict(sheet, context, COLUMNS);
  sheet.skip();
  const bridge = bridgeBlock(context, liveMovements(parts.operators.table('byBoth').total));
  addBlocks(sheet, context, [bridge, ...measureBlocks(context)]);
  sheet.skip();
  const drawing = summaryDrawing(context, parts, sheet.rows.length);
  if (drawing !== null) for (let row = 0; row <= CHART_ROWS; row++) sheet.skip();
  const places = addBlocks(sheet, context, summaryBlocks(context, parts));
  return {
    plan: planOf(sheet, { frozenRows: 2, portrait: true, drawing }),
    places,
  };
}

function summaryBlocks(
  context: SheetContext,
  { operators, ledger }: SummaryParts,
): readonly Block[] {
  const { labels, statement } = context;
  const { revision, chainHead } = statement.summary;
  const { chain } = statement.circumstances.coverage;
  const collected = operators.table('collectedByOperator');
  const formulas = {
    paymentCount: collected.total('count'),
    totalAmount: collected.total('amount'),
    totalFees: collected.total('fees'),
  };
  return [
    movementTable(context, liveFormulas(context, ledger)),
    ...balanceBlocks(context),
    ...figureBlocks(context, formulas),
    ...dueBlocks(context),
    ...stepBlocks(context),
    ...comparedBlocks(context),
    heading(labels.workbook.marks, SHEET),
    pairs(
      [labels.identity.revision, revision, 'serial'],
      [labels.annex.chainHead, chainHead],
      ...(chain === undefined ? [] : [[labels.annex.chain, markText(chain)] as const]),
    ),
  ];
}

/** What moved the balance, by the totals of the operators' sheet. */
function liveMovements(total: (key: string) => string): (row: string) => string | null {
  return (row) => {
    if (row === 'fees') return `0-${total('feesIn')}-${total('feesOut')}`;
    if (row === 'disbursed') return `0-${total('grossOut')}`;
    const keys: Readonly<Record<string, string>> = {
      collected: 'grossIn',
      reversals: 'reversals',
      adjustments: 'adjustments',
      otherMovements: 'other',
    };
    return keys[row] === undefined ? null : total(keys[row]);
  };
}

/** What counts the lines of a kind, by its name in the ledger. */
function liveFormulas({ statement, language }: SheetContext, { parts, columnOf }: Ledger) {
  const kinds = occurring(statement);
  const columns = { amount: 'amount', reserved: 'reservedMove' } as const;
  return ({ key }: { readonly key: string }, index: number): string | null => {
    const movement = kinds[index - 1];
    if (movement === undefined || !isCountable(movement, kinds, language)) return null;
    const of = { keyColumn: columnOf('kind'), key: `"${nameKind(movement.kind, language)}"` };
    const sum = (column: number): string => sumWhere(parts, { ...of, column });
    if (key === 'count') return countWhere(parts, of);
    if (key === 'balance') return `${sum(columnOf('credit'))}-(${sum(columnOf('debit'))})`;
    return key === 'amount' || key === 'reserved' ? sum(columnOf(columns[key])) : null;
  };
}

/**
 * Conditions in formulas ignore case and have wildcards: only kinds of the document, and none whose
 * name another has.
 */
function isCountable(
  { kind }: MovementRow,
  all: readonly MovementRow[],
  language: Language,
): boolean {
  const nameOf = (one: string): string => nameKind(one, language).toUpperCase();
  return (
    isEntryKind(kind) && all.filter((other) => nameOf(other.kind) === nameOf(kind)).length === 1
  );
}

/**
 * Columns of the sheet's widest table; rows that the charts cover, and the columns on which one
 * ends and the other begins.
 */
const COLUMNS = 6;
const CHART_ROWS = 16;
const MIDDLE = 2;
const RIGHT = 5;

type Chart = Pick<PlacedChart, 'chart' | 'description'>;

/** `top`: rows above the charts. */
function summaryDrawing(
  context: SheetContext,
  { days, operators }: SummaryParts,
  top: number,
): Drawing | null {
  const place = (chart: Chart | null, left: number, right: number): readonly PlacedChart[] =>
    chart === null
      ? []
      : [
          {
            ...chart,
            from: { column: left, row: top },
            to: { column: right, row: top + CHART_ROWS },
          },
        ];
  const charts = [
    ...place(balanceChart(context, days), 0, MIDDLE),
    ...place(operatorChart(context, operators), MIDDLE, RIGHT),
  ];
  return charts.length === 0 ? null : { charts };
}

function balanceChart(
  { statement, labels, language, words }: SheetContext,
  days: Places,
): Chart | null {
  const rows = statement.days;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const { openingBalance, closingBalance } = statement.summary;
  return {
    chart: {
      form: 'line',
      title: `${said.balance} (${statement.currency})`,
      seriesName: labels.due.balance,
      categories: {
        range: days.table('days').column('day'),
        values: rows.map((row) => day(row.day).value!),
      },
      values: {
        range: days.table('days').column('closing'),
        values: rows.map((row) => row.closing),
      },
      dayFormat: language === 'fr' ? 'dd/mm' : 'd mmm',
    },
    description: fill(said.balanceText, {
      period: statement.period.label[language],
      opening: words.amount(openingBalance),
      closing: words.amount(closingBalance),
      lowest: words.amount(Math.min(...rows.map((row) => row.closing))),
      highest: words.amount(Math.max(...rows.map((row) => row.closing))),
    }),
  };
}

function operatorChart(
  { statement, labels, language, words }: SheetContext,
  operators: Places,
): Chart | null {
  const rows = statement.summary.byOperator;
  if (rows.length === 0) return null;
  const said = labels.workbook.charts;
  const list = rows.map((row) => `${row.operator} ${words.amount(row.amount)}`).join(', ');
  return {
    chart: {
      form: 'bars',
      title: `${labels.operators.collections} (${statement.currency})`,
      seriesName: labels.operators.amount,
      categories: {
        range: operators.table('collectedByOperator').column('operator'),
        values: rows.map((row) => row.operator),
      },
      values: {
        range: operators.table('collectedByOperator').column('amount'),
        values: rows.map((row) => row.amount),
      },
      dayFormat: 'General',
    },
    description: fill(said.operatorText, { period: statement.period.label[language], list }),
  };
}
