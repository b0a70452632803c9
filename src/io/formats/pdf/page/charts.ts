// The pictures on the pages: the balance at the end of each day, receipts and payments by operator, and the QR code with which a
// reader verifies the document. Charts repeat figures of tables, with a text for readers who cannot see them.

import { scaleLinear } from 'd3-scale';
import QRCode from 'qrcode';
import type { DayRow, OperatorRow } from '../../../../core/statements/section-movements.ts';
import { fill } from '../../../../core/words/message.ts';
import type { Flow } from './flow.ts';
import { type Box, tagged, widthOf } from './pen.ts';

export function drawBalanceChart(flow: Flow, box: Box): void {
  const { labels, statement } = flow;
  const { days } = statement;
  if (days.length === 0) return;
  drawTitle(flow, labels.charts.balance, box);
  drawFigure(flow, box, { alt: balanceAlt(flow, days), draw: () => drawBalances(flow, box, days) });
}

/** In the upper left corner of the chart's box; returns where it ends. */
function drawTitle({ pen, layout, bold }: Flow, title: string, box: Box): number {
  const size = layout.sizes.note;
  const run = bold.cut(title, { size, width: box.width });
  const style = { face: bold, size, colour: layout.colours.text };
  tagged(pen, 'P', () => pen.text({ x: box.x, y: box.y + size }, run, style));
  return box.x + widthOf(run, size);
}

function drawFigure(
  { pen }: Flow,
  { x, y, width, height }: Box,
  { alt, draw }: { readonly alt: string; readonly draw: () => void },
): void {
  tagged(pen, 'Figure', draw, { alt, bbox: [x, y, x + width, y + height] });
}

function balanceAlt({ labels, words, statement }: Flow, days: readonly DayRow[]): string {
  const { openingBalance, closingBalance } = statement.summary;
  const lowest = days.reduce((least, day) => (day.closing < least.closing ? day : least));
  const highest = days.reduce((most, day) => (day.closing > most.closing ? day : most));
  return fill(labels.charts.balanceAlt, {
    opening: words.amount(openingBalance),
    closing: words.amount(closingBalance),
    lowest: words.amount(lowest.closing),
    lowestDay: words.day(lowest.day),
    highest: words.amount(highest.closing),
    highestDay: words.day(highest.day),
  });
}

/** The zero line is always shown, so that a small change does not look large. */
function drawBalances(flow: Flow, box: Box, days: readonly DayRow[]): void {
  const { pen, layout, words, regular } = flow;
  const { colours } = layout;
  const { note: size } = layout.sizes;
  const closings = days.map(({ closing }) => closing);
  const y = scaleLinear([Math.min(0, ...closings), Math.max(1, ...closings)], [box.height - 12, 16]).nice(3);
  const ticks = y.ticks(3).map((value) => ({ value, run: regular.shape(words.amount(value)) }));
  const axis = Math.max(...ticks.map(({ run }) => widthOf(run, size))) + 6;
  const x = scaleLinear([0, Math.max(1, days.length - 1)], [axis, box.width]);
  const style = { face: regular, size, colour: colours.muted };
  for (const { value, run } of ticks) {
    const at = box.y + y(value);
    const colour = value === 0 ? colours.muted : colours.rule;
    pen.line({ x: box.x + axis, y: at }, { x: box.x + box.width, y: at }, { colour, width: 0.5 });
    pen.text({ x: box.x + axis - 5 - widthOf(run, size), y: at + size * 0.35 }, run, style);
  }
  const line = closings.map((closing, i) => ({ x: x(i), y: y(closing) }));
  const zero = line.map((point) => ({ x: point.x, y: y(0) })).reverse();
  pen.path(box, [...line, ...zero], { fill: colours.band });
  pen.path(box, line, { stroke: colours.chartIn, width: 1.3 });
  days.forEach(({ day }, i) => {
    const mark = markOf(day, days.length);
    if (mark === null) return;
    const run = regular.shape(mark);
    pen.text({ x: box.x + x(i) - widthOf(run, size) / 2, y: box.y + box.height - 2 }, run, style);
  });
}

/** Below the axis: the first day and every fifth; of a year, the number of each month. */
function markOf(day: string, days: number): string | null {
  const date = Number(day.slice(8));
  if (days > 100) return date === 1 ? String(Number(day.slice(5, 7))) : null;
  return date === 1 || date % 5 === 0 ? String(date) : null;
}

/** The document names five operators; books may name others. */
const MOST_OPERATORS = 7;

export function drawOperatorChart(flow: Flow, box: Box): void {
  const { labels, pen, statement, words } = flow;
  const rows = statement.operators.byOperator.filter(({ operator }) => operator !== null).slice(0, MOST_OPERATORS);
  if (rows.length === 0) return;
  const end = drawTitle(flow, labels.charts.operators, box);
  const list = rows.map(({ operator, grossIn, grossOut }) =>
    fill(labels.charts.operatorAlt, {
      operator: operator!.slice(0, 40),
      in: words.amount(grossIn),
      out: words.amount(grossOut),
    }),
  );
  const alt = fill(labels.charts.operatorsAlt, { list: list.join(' ; ') });
  drawFigure(flow, box, { alt, draw: () => drawBars(flow, box, rows) });
  tagged(pen, 'P', () => drawLegend(flow, box, end + 10));
}

function drawBars(flow: Flow, box: Box, rows: readonly OperatorRow[]): void {
  const { pen, layout, words, regular } = flow;
  const { colours } = layout;
  const { note: size } = layout.sizes;
  const step = Math.min(22, (box.height - 20) / rows.length);
  const bar = step * 0.34;
  const names = rows.map(({ operator }) => regular.cut(operator!, { size, width: 60 }));
  const figures = rows.map((row) => [row.grossIn, row.grossOut].map((value) => regular.shape(words.amount(value))));
  const widest = (runs: typeof names): number => Math.max(...runs.map((run) => widthOf(run, size)));
  const start = box.x + widest(names) + 6;
  const room = Math.max(10, box.x + box.width - start - widest(figures.flat()) - 4);
  const most = Math.max(1, ...rows.flatMap(({ grossIn, grossOut }) => [grossIn, grossOut]));
  rows.forEach((row, i) => {
    const top = box.y + 18 + i * step;
    pen.text({ x: box.x, y: top + bar + size * 0.35 }, names[i]!, { face: regular, size, colour: colours.text });
    const bars = [
      { value: row.grossIn, colour: colours.chartIn },
      { value: row.grossOut, colour: colours.chartOut },
    ];
    bars.forEach(({ value, colour }, which) => {
      const y = top + which * bar;
      const width = room * Math.max(0, value / most);
      if (width > 0) pen.fill([{ x: start, y, width, height: bar - 0.6 }], colour);
      const at = { x: start + width + 3, y: y + bar / 2 + size * 0.33 };
      pen.text(at, figures[i]![which]!, { face: regular, size, colour: colours.muted });
    });
  });
}

function drawLegend({ pen, layout, labels, regular }: Flow, box: Box, from: number): void {
  const { note: size } = layout.sizes;
  let x = from;
  for (const [name, colour] of [
    [labels.charts.in, layout.colours.chartIn],
    [labels.charts.out, layout.colours.chartOut],
  ] as const) {
    const run = regular.cut(name, { size, width: 80 });
    const swatch = { x, y: box.y + size - 4, width: 5, height: 5 };
    pen.decoration(() => pen.fill([swatch], colour));
    pen.text({ x: x + 7.5, y: box.y + size + 0.6 }, run, { face: regular, size, colour: layout.colours.muted });
    x += 7.5 + widthOf(run, size) + 10;
  }
}

/** `at` is the upper left corner, `size` the length of a side in points. */
export function drawQrCode(flow: Flow, at: { readonly x: number; readonly y: number; readonly size: number }): void {
  const { pen, layout, labels, statement } = flow;
  const { modules } = QRCode.create(payloadOf(flow), { errorCorrectionLevel: 'M' });
  const side = at.size / modules.size;
  const boxes: Box[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let from = 0; from < modules.size; from++) {
      if (modules.get(row, from) === 0) continue;
      let to = from;
      while (to < modules.size && modules.get(row, to) !== 0) to++;
      boxes.push({ x: at.x + from * side, y: at.y + row * side, width: (to - from) * side, height: side });
      from = to;
    }
  }
  const alt = fill(labels.charts.qrAlt, { hash: statement.integrity.documentHash.slice(0, 12) });
  const box = { ...at, width: at.size, height: at.size };
  drawFigure(flow, box, { alt, draw: () => pen.fill(boxes, layout.colours.text) });
}

/** The address and the whole hash of the document; without an address, `pointage 1`, merchant, month, revision and hash. */
function payloadOf({ statement, verifyAt }: Pick<Flow, 'statement' | 'verifyAt'>): string {
  const { merchant, period, revision, integrity } = statement;
  if (verifyAt !== null) return `${verifyAt}${integrity.documentHash}`;
  const reference = merchant.reference.replace(/[^\p{L}\p{N}_-]/gu, '_').slice(0, 80);
  return `pointage 1 ${reference} ${period.period} r${revision.number} sha256:${integrity.documentHash}`;
}
