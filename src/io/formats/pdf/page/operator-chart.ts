// The small chart of what came in and went out by operator, as bars beside each other. A picture of the table of operators,
// with a text for those who cannot see it.

import { scaleLinear } from 'd3-scale';
import type { OperatorRow } from '../../../../core/statements/section-movements.ts';
import { fill } from '../../../../core/words/message.ts';
import { drawChartTitle } from './chart-title.ts';
import type { Flow } from './flow.ts';
import { type Box, tagged } from './pen.ts';

/** The document names five operators; books may name others. */
const MOST_OPERATORS = 7;

export function drawOperatorChart(flow: Flow, box: Box): void {
  const { labels, pen, statement, words } = flow;
  const rows = statement.operators.byOperator.filter(({ operator }) => operator !== null).slice(0, MOST_OPERATORS);
  const ends = drawChartTitle(flow, labels.charts.operators, box);
  if (rows.length === 0) return;
  const said = rows.map(({ operator, grossIn, grossOut }) =>
    fill(labels.charts.operatorAlt, {
      operator: operator!.slice(0, 40),
      in: words.amount(grossIn),
      out: words.amount(grossOut),
    }),
  );
  const alt = fill(labels.charts.operatorsAlt, { list: said.join(' ; ') });
  tagged(pen, 'Figure', () => drawPicture(flow, box, rows), {
    alt,
    bbox: [box.x, box.y, box.x + box.width, box.y + box.height],
  });
  tagged(pen, 'P', () => drawLegend(flow, box, ends + 10));
}

function drawPicture(flow: Flow, box: Box, rows: readonly OperatorRow[]): void {
  const { pen, layout, words, regular } = flow;
  const { colours } = layout;
  const { note: size } = layout.sizes;
  const step = Math.min(22, (box.height - 20) / rows.length);
  const bar = step * 0.34;
  const names = rows.map(({ operator }) => regular.cut(operator!, { size, width: 60 }));
  const figures = rows.map((row) => [
    regular.shape(words.amount(row.grossIn)),
    regular.shape(words.amount(row.grossOut)),
  ]);
  const widthOf = (run: { readonly width: number }): number => (run.width * size) / 1_000;
  const start = box.x + Math.max(...names.map(widthOf)) + 6;
  const room = box.x + box.width - start - Math.max(...figures.flat().map(widthOf)) - 4;
  const most = Math.max(1, ...rows.map(({ grossIn, grossOut }) => Math.max(grossIn, grossOut)));
  const length = scaleLinear([0, most], [0, Math.max(10, room)]).clamp(true);
  rows.forEach((row, i) => {
    const top = box.y + 18 + i * step;
    pen.text({ x: box.x, y: top + bar + size * 0.35 }, names[i]!, { face: regular, size, colour: colours.text });
    const bars = [
      { value: row.grossIn, colour: colours.chartIn },
      { value: row.grossOut, colour: colours.chartOut },
    ];
    bars.forEach(({ value, colour }, which) => {
      const y = top + which * bar;
      const width = length(value);
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
    x += 7.5 + (run.width * size) / 1_000 + 10;
  }
}
