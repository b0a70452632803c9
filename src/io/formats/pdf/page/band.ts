// A coloured band across the page with a title and lines below it: a verdict and its reasons.

import { ensure, type PageFlow } from './flow.ts';
import { type Point, tagged, tagLines } from './pen.ts';

const PADDING = 9;
/** A verdict that names all that was not read takes several. */
const MOST_TITLE_LINES = 6;
/** No sentence of ours is as long. */
const MOST_LINES = 12;

export interface Band {
  readonly title: string;
  /** Of the title and of the rule at the left. */
  readonly colour: string;
  readonly background: string;
  readonly sentences: readonly string[];
}

export function drawBand(flow: PageFlow, { title, colour, background, sentences }: Band): void {
  const { pen, layout, left, width, bold, regular } = flow;
  const { body: size } = layout.sizes;
  const step = size * 1.45;
  const titleSize = size + 1.2;
  const titleStep = titleSize * 1.3;
  const room = width - 2 * PADDING - 4;
  const titles = bold.wrap(title, { size: titleSize, width: room, mostLines: MOST_TITLE_LINES });
  const lines = sentences.flatMap((sentence) =>
    regular.wrap(sentence, { size, width: room, mostLines: MOST_LINES }),
  );
  const below = (titles.length - 1) * titleStep;
  const height = 2 * PADDING + size * 1.3 + below + lines.length * step;
  ensure(flow, height);
  const top = flow.y;
  pen.decoration(() => {
    pen.fill([{ x: left, y: top, width, height }], background);
    pen.fill([{ x: left, y: top, width: 3, height }], colour);
  });
  const x = left + PADDING + 4;
  const at = (line: number): Point => ({ x, y: top + PADDING + size + line * titleStep });
  tagLines(pen, 'P', { runs: titles, at }, { face: bold, size: titleSize, colour });
  tagged(pen, 'P', () => {
    lines.forEach((run, i) => {
      const y = top + PADDING + size * 2.8 + below + i * step;
      pen.text({ x, y }, run, { face: regular, size, colour: layout.colours.text });
    });
  });
  flow.y = top + height + 8;
}
