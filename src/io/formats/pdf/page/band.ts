// A coloured band across the page with a title and lines below it: a verdict and its reasons.

import { ensure, type PageFlow } from './flow.ts';
import { type Point, type TextRun, type TextStyle, tagged, tagLines } from './pen.ts';

const PADDING = 9;
/** A verdict that names all that was not read takes several. */
const MOST_TITLE_LINES = 6;

export interface Band {
  readonly title: string;
  /** Of the title and of the rule at the left. */
  readonly colour: string;
  readonly background: string;
  readonly lines: readonly { readonly run: TextRun; readonly style: TextStyle }[];
}

/** Points that a line of a band has for its text. */
export function roomInBand({ width }: PageFlow): number {
  return width - 2 * PADDING - 4;
}

export function drawBand(flow: PageFlow, { title, colour, background, lines }: Band): void {
  const { pen, layout, left, width, bold } = flow;
  const { body: size } = layout.sizes;
  const step = size * 1.45;
  const titleSize = size + 1.2;
  const titleStep = titleSize * 1.3;
  const titles = bold.wrap(title, { size: titleSize, width: roomInBand(flow), mostLines: MOST_TITLE_LINES });
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
    lines.forEach(({ run, style }, i) => {
      pen.text({ x, y: top + PADDING + size * 2.8 + below + i * step }, run, style);
    });
  });
  flow.y = top + height + 8;
}
