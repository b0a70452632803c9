// Bars, drawn on the server: a table with the same figures comes below, and alone bears them on a
// narrow page.

import { type Html, html } from './html.ts';

export interface Bar {
  readonly label: string;
  /** Beside it, as the table has it. */
  readonly text: string;
  /** From left to right; `tone` is a class of the style sheet. */
  readonly parts: readonly { readonly tone: string; readonly amount: number }[];
}

/** In pixels. */
const ROW = 28;
const THICK = 18;
/** In hundredths of the width: where bars begin, and how long the longest is. */
const [START, LONGEST] = [32, 36];

/** All on one scale. */
export function barsOf(title: string, bars: readonly Bar[]): Html {
  const lengthOf = ({ parts }: Bar): number => parts.reduce((sum, { amount }) => sum + amount, 0);
  const scale = LONGEST / Math.max(1, ...bars.map(lengthOf));
  const drawn = bars.map((bar, i) => {
    const [top, middle] = [i * ROW + (ROW - THICK) / 2, i * ROW + ROW / 2 + 5];
    let at = START;
    const parts = bar.parts.map(({ tone, amount }) => {
      const [from, width] = [at, amount * scale];
      at += width;
      return html`<rect class="${tone}" x="${from}%" y="${top}" width="${width}%" height="${THICK}"></rect>`;
    });
    return html`<text x="0" y="${middle}">${bar.label}</text>${parts}<text class="figure" x="${at + 1.5}%" y="${middle}">${bar.text}</text>`;
  });
  return html`<figure class="chart"><figcaption>${title}</figcaption><svg role="img" aria-label="${title}" width="100%" height="${bars.length * ROW}">${drawn}</svg></figure>`;
}
