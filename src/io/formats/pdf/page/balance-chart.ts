// The small chart of the balance at the end of each day. A picture of figures that stand in the table of days, with a text
// for those who cannot see it; the zero line is always shown, so that a small change does not look large.

import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { DayRow } from '../../../../core/statements/section-movements.ts';
import { fill } from '../../../../core/words/message.ts';
import { drawChartTitle } from './chart-title.ts';
import type { Flow } from './flow.ts';
import { type Box, tagged } from './pen.ts';

export function drawBalanceChart(flow: Flow, box: Box): void {
  const { labels, pen, statement } = flow;
  const { days } = statement;
  if (days.length === 0) return;
  const alt = altOf(flow, days);
  drawChartTitle(flow, labels.charts.balance, box);
  tagged(pen, 'Figure', () => drawPicture(flow, box, days), {
    alt,
    bbox: [box.x, box.y, box.x + box.width, box.y + box.height],
  });
}

function drawPicture(flow: Flow, box: Box, days: readonly DayRow[]): void {
  const { pen, layout, words, regular } = flow;
  const { colours } = layout;
  const { note: size } = layout.sizes;
  const closings = days.map(({ closing }) => closing);
  const y = scaleLinear([Math.min(0, ...closings), Math.max(1, ...closings)], [box.height - 12, 16]).nice(3);
  const ticks = y.ticks(3).map((value) => ({ value, run: regular.shape(words.amount(value)) }));
  const axis = Math.max(...ticks.map(({ run }) => (run.width * size) / 1_000)) + 6;
  const x = scaleLinear([0, Math.max(1, days.length - 1)], [axis, box.width]);
  const style = { face: regular, size, colour: colours.muted };
  for (const { value, run } of ticks) {
    const at = box.y + y(value);
    const colour = value === 0 ? colours.muted : colours.rule;
    pen.line({ x: box.x + axis, y: at }, { x: box.x + box.width, y: at }, { colour, width: 0.5 });
    pen.text({ x: box.x + axis - 5 - (run.width * size) / 1_000, y: at + size * 0.35 }, run, style);
  }
  const below = area<number>(
    (_, i) => x(i),
    y(0),
    (closing) => y(closing),
  )(closings)!;
  pen.path(box, below, { fill: colours.band });
  pen.path(
    box,
    line<number>(
      (_, i) => x(i),
      (closing) => y(closing),
    )(closings)!,
    { stroke: colours.chartIn, width: 1.3 },
  );
  days.forEach(({ day }, i) => {
    const mark = markOf(day, days.length);
    if (mark === null) return;
    const run = regular.shape(mark);
    pen.text({ x: box.x + x(i) - (run.width * size) / 2_000, y: box.y + box.height - 2 }, run, style);
  });
}

/** Below the axis: the first day and every fifth; of a year, the number of each month. */
function markOf(day: string, days: number): string | null {
  const date = Number(day.slice(8));
  if (days > 100) return date === 1 ? String(Number(day.slice(5, 7))) : null;
  return date === 1 || date % 5 === 0 ? String(date) : null;
}

function altOf({ labels, words, statement }: Flow, days: readonly DayRow[]): string {
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
