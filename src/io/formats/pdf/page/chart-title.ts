// The line above a chart.

import type { Flow } from './flow.ts';
import { type Box, tagged } from './pen.ts';

/** In the upper left corner of the chart's box; returns where it ends. */
export function drawChartTitle({ pen, layout, bold }: Flow, title: string, box: Box): number {
  const size = layout.sizes.note;
  const run = bold.cut(title, { size, width: box.width });
  tagged(pen, 'P', () =>
    pen.text({ x: box.x, y: box.y + size }, run, { face: bold, size, colour: layout.colours.text }),
  );
  return box.x + (run.width * size) / 1_000;
}
