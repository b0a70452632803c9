// Section 1, Synthèse: from opening over each kind of movement to closing, the control that comes to 0, two charts, and the figures of
// Report.summary in words.

import { fill } from '../../../../core/words/message.ts';
import { elided, sumInWords } from '../../sentences/amount-in-words.ts';
import { balanceBlocks, movementTable } from '../../tables/steps.ts';
import { figureBlocks } from '../../tables/summary.ts';
import { drawBalanceChart, drawOperatorChart } from '../page/charts.ts';
import { drawParagraph, ensure, type Flow } from '../page/flow.ts';
import { tagged } from '../page/pen.ts';
import { drawBlocks } from '../page/tables.ts';

export function drawSummary(flow: Flow): void {
  drawBlocks(flow, [movementTable(flow), ...balanceBlocks(flow)]);
  drawControl(flow);
  drawClosing(flow);
  flow.y += 4;
  drawCharts(flow);
  drawBlocks(flow, figureBlocks(flow));
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

/** The month's own sum, in one line. */
function drawControl(flow: Flow): void {
  const { pen, layout, left, right, width, regular, bold, labels, words } = flow;
  const value = flow.statement.summary.control.openingPlusMovementsMinusClosing;
  const size = layout.sizes.body;
  ensure(flow, size * 1.7);
  const base = flow.y + size + 1;
  const colour = value === 0 ? layout.colours.good : layout.colours.alert;
  const figure = bold.shape(words.amount(value));
  const label = regular.cut(labels.summary.control, { size, width: width - 110 });
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
