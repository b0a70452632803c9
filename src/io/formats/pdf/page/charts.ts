// The pictures on the pages: the balance at the end of each day, and the QR code with which a reader verifies the document. A chart
// repeats figures of tables, with a text for readers who cannot see it.

import { scaleLinear } from 'd3-scale';
import QRCode from 'qrcode';
import type { DayRow } from '../../../../core/statements/section-movements.ts';
import { fill } from '../../../../core/words/message.ts';
import type { Flow } from './flow.ts';
import { type Box, tagged, tagLine, widthOf } from './pen.ts';

export function drawBalanceChart(flow: Flow, box: Box): void {
  const { labels, statement, pen, layout, bold } = flow;
  const { days } = statement;
  const { note: size } = layout.sizes;
  const style = { face: bold, size, colour: layout.colours.text };
  tagLine(pen, 'P', { x: box.x, y: box.y + size }, bold.cut(labels.charts.balance, { size, width: box.width }), style);
  drawFigure(flow, box, { alt: balanceAlt(flow, days), draw: () => drawBalances(flow, box, days) });
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
