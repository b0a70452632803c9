// Section 1, Synthèse: from opening over each kind of movement to closing, the control that comes to 0, the figures of
// Report.summary in words, and two charts.

import type { MovementRow } from '../../../../core/statements/section-movements.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import type { WalletFigures } from '../../../../core/statements/summary.ts';
import type { Tone } from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameMovement } from '../../port/kind-names.ts';
import { DASH } from '../../port/wording.ts';
import { elided, sumInWords } from '../../sentences/amount-in-words.ts';
import { closingSteps } from '../../sentences/closing-steps.ts';
import { drawBalanceChart } from '../page/balance-chart.ts';
import { drawHeading, drawParagraph, drawSubheading, ensure, type Flow } from '../page/flow.ts';
import { drawOperatorChart } from '../page/operator-chart.ts';
import { tagged } from '../page/pen.ts';
import { type Column, drawNote, drawTable, textColumn } from '../page/tables.ts';

interface MovementLine {
  readonly name: string;
  readonly count: string;
  readonly amount: string;
  readonly balance: string;
  readonly reserved: string;
  readonly tone: 'plain' | 'strong' | 'muted';
}

export function drawSummary(flow: Flow): void {
  drawHeading(flow, flow.labels.summary.heading);
  drawMovements(flow);
  drawBalances(flow);
  drawCharts(flow);
  drawFigures(flow);
}

function drawMovements(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { summary, movements } = statement;
  const said = labels.summary;
  const bound = (name: string, balance: number, reserved: number): MovementLine => ({
    name,
    count: '',
    amount: '',
    balance: words.amount(balance),
    reserved: words.amount(reserved),
    tone: 'strong',
  });
  const speaker = { language: flow.language, due: labels.due, amount: words.amount };
  const lineOf = (row: MovementRow): MovementLine => ({
    name: nameMovement(row, statement, speaker),
    count: words.amount(row.count),
    amount: words.amount(row.amount),
    balance: words.amount(row.balanceEffect),
    reserved: words.amount(row.reservedEffect),
    tone: row.count === 0 ? 'muted' : 'plain',
  });
  const columns: readonly Column<MovementLine>[] = [
    { title: said.movement, share: 36, holds: 'text', cell: (row) => row.name },
    { title: said.count, share: 12, holds: 'figure', cell: (row) => row.count },
    { title: said.amount, share: 18, holds: 'figure', cell: (row) => row.amount },
    { title: said.balanceEffect, share: 18, holds: 'figure', cell: (row) => row.balance },
    { title: said.reservedEffect, share: 18, holds: 'figure', cell: (row) => row.reserved },
  ];
  const rows = [
    bound(said.opening, summary.openingBalance, summary.openingReserved),
    ...movements.map(lineOf),
    bound(said.closing, summary.closingBalance, summary.closingReserved),
    ...closingSteps(summary).map((step) => ({
      ...bound(labels.due.closing[step.name], step.balance, step.reserved),
      tone: step.isBalance ? ('strong' as const) : ('plain' as const),
    })),
  ];
  drawTable(flow, { columns, rows, toneOf: ({ tone }) => tone });
}

interface Balances {
  readonly name: string;
  readonly figures: Readonly<Record<keyof WalletFigures, string>>;
  readonly tone: Tone;
}

/** What the service recorded, what it owes, what its lines make. */
export function drawBalanceTable(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { recorded, due, recomputed } = statement.due;
  const said = labels.due;
  const row = (name: string, figures: WalletFigures | null, tone: Tone = 'plain'): Balances => ({
    name,
    figures: mapFigures(figures, (figure) => (figure === null ? said.unknownRow : words.amount(figure))),
    tone,
  });
  const less = (name: string, from: WalletFigures): Balances => {
    const off = mapFigures(recorded, (figure, key) => figure! - from[key]);
    return row(name, off, Object.values(off).every((figure) => figure === 0) ? 'muted' : 'alert');
  };
  const rows = [
    row(said.recordedRow, recorded, 'strong'),
    row(said.dueRow, due, 'strong'),
    ...(due === null ? [] : [less(said.recordedLessDue, due)]),
    row(said.recomputedRow, recomputed),
    less(said.recordedLessRecomputed, recomputed),
  ];
  const column = (key: keyof WalletFigures): Column<Balances> => ({
    title: said[key],
    share: 18,
    holds: 'figure',
    cell: ({ figures }) => figures[key],
  });
  drawSubheading(flow, said.title);
  drawTable<Balances>(flow, {
    columns: [
      textColumn(said.figure, 40, ({ name }) => name),
      column('balance'),
      column('reserved'),
      column('available'),
    ],
    rows,
    toneOf: ({ tone }) => tone,
  });
}

/** With the control of the month's own sum. */
function drawBalances(flow: Flow): void {
  const { statement, labels, words } = flow;
  drawBalanceTable(flow);
  const { control, controlFormula } = labels.summary;
  const value = statement.summary.control.openingPlusMovementsMinusClosing;
  drawControl(flow, { name: `${control} (${controlFormula})`, value: words.amount(value), holds: value === 0 });
  drawClosing(flow);
  flow.y += 4;
}

/** The balance in words, of books that agree: a figure that is disputed closes no account. */
function drawClosing(flow: Flow): void {
  const { statement, labels, words, language } = flow;
  const { summary, days, currency } = statement;
  if (summary.verdict.state !== 'clean' || summary.due === null) return;
  const sum = sumInWords(summary.recorded.balance, currency, { labels, language });
  flow.y += 5;
  drawParagraph(flow, elided(fill(labels.due.closed, { day: words.day(days.at(-1)!.day), sum })));
}

function mapFigures<To>(
  figures: WalletFigures | null,
  map: (figure: number | null, key: keyof WalletFigures) => To,
): Readonly<Record<keyof WalletFigures, To>> {
  const one = (key: keyof WalletFigures): To => map(figures === null ? null : figures[key], key);
  return { balance: one('balance'), reserved: one('reserved'), available: one('available') };
}

function drawControl(
  flow: Flow,
  { name, value, holds }: { readonly name: string; readonly value: string; readonly holds: boolean },
): void {
  const { pen, layout, left, right, width, regular, bold } = flow;
  const size = layout.sizes.body;
  ensure(flow, size * 1.7);
  const base = flow.y + size + 1;
  const colour = holds ? layout.colours.good : layout.colours.alert;
  const figure = bold.shape(value);
  const label = regular.cut(name, { size, width: width - 110 });
  tagged(pen, 'P', () => {
    pen.text({ x: left + 3, y: base }, label, { face: regular, size, colour: layout.colours.text });
    pen.text({ x: right - 3 - (figure.width * size) / 1_000, y: base }, figure, { face: bold, size, colour });
  });
  flow.y += size * 1.7;
}

function drawCharts(flow: Flow): void {
  const gap = 18;
  const height = 118;
  ensure(flow, height + 16);
  flow.y += 6;
  const top = flow.y;
  const half = (flow.width - gap) / 2;
  drawBalanceChart(flow, { x: flow.left, y: top, width: half, height });
  drawOperatorChart(flow, { x: flow.left + half + gap, y: top, width: half, height });
  flow.y = top + height + 4;
}

type Figure = readonly [string, string];

const FINDING_COUNTS = ['total', 'roots', 'critical', 'error', 'warning', 'info', 'settled', 'accepted'] as const;

/** Report.summary in words: what operations state, and what the ledger's lines add up to, kept apart. */
function drawFigures(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { summary } = statement;
  const said = labels.summary;
  const amount = words.amount;
  const { byStatus, findings } = summary;
  const statuses = Object.entries(byStatus).map(
    ([status, count]): Figure => [said.status[status as keyof typeof byStatus], amount(count)],
  );
  const isRead = hasOperations(statement);
  if (isRead) {
    drawPairs(flow, said.operationsPopulation, [
      [said.paymentCount, amount(summary.paymentCount)],
      [said.totalAmount, amount(summary.totalAmount)],
      [said.totalFees, amount(summary.totalFees)],
    ]);
  } else drawNote(flow, labels.document.operationsUnread);
  const { firstSequence, lastSequence } = summary;
  const sequences =
    firstSequence === null || lastSequence === null ? DASH : `${amount(firstSequence)} – ${amount(lastSequence)}`;
  drawPairs(flow, said.linesPopulation, [
    [said.collected, amount(summary.collected)],
    [said.disbursed, amount(summary.disbursed)],
    [said.fees, amount(summary.fees)],
    [said.reversals, amount(summary.reversals)],
    [said.adjustments, amount(summary.adjustments)],
    [said.otherMovements, amount(summary.otherMovements)],
    [said.entryCount, amount(summary.entryCount)],
    [said.sequences, sequences],
  ]);
  if (isRead) drawPairs(flow, said.statuses, statuses);
  const counted = FINDING_COUNTS.filter((name) => (findings[name] ?? 0) > 0);
  if (counted.length === 0) return;
  drawPairs(
    flow,
    said.findingCounts,
    counted.map((name) => [said.counts[name], amount(findings[name] ?? 0)]),
  );
}

/** Figures in three columns under a small heading. */
function drawPairs(flow: Flow, title: string, figures: readonly Figure[]): void {
  const { pen, layout, left, width, regular, bold } = flow;
  const size = layout.sizes.body;
  const step = size * 1.65;
  const gap = 18;
  const column = (width - 2 * gap) / 3;
  const rows = Math.ceil(figures.length / 3);
  drawSubheading(flow, title, rows * step);
  const top = flow.y;
  figures.forEach(([name, value], i) => {
    const x = left + (i % 3) * (column + gap);
    const base = top + Math.floor(i / 3) * step + size;
    const figure = bold.shape(value);
    const figureWidth = (figure.width * size) / 1_000;
    const label = regular.cut(name, { size, width: column - figureWidth - 6 });
    tagged(pen, 'P', () => {
      pen.text({ x, y: base }, label, { face: regular, size, colour: layout.colours.muted });
      pen.text({ x: x + column - figureWidth, y: base }, figure, { face: bold, size, colour: layout.colours.text });
    });
  });
  flow.y = top + rows * step;
}
