// Whose document it is: pairs of a word and a value at its head, beside them the code with which it is verified.

import { drawQrCode } from '../page/charts.ts';
import type { Flow } from '../page/flow.ts';
import { tagged } from '../page/pen.ts';

const QR_SIZE = 66;

export type Pair = readonly [string, string];

/** `first` and `second` beside each other, `wide` below them. */
export type Identity = Readonly<Record<'first' | 'second' | 'wide', readonly Pair[]>>;

/** Pairs of a word and a value, beside them the code with which the document is verified. */
export function drawIdentity(flow: Flow, { first, second, wide }: Identity): void {
  const { left, right, width } = flow;
  const step = stepOf(flow);
  const top = flow.y;
  const room = width - QR_SIZE - 22;
  const rightColumn = room * 0.6;
  const draw = (
    pairs: readonly Pair[],
    at: { readonly x: number; readonly y: number; readonly width: number },
  ): number => {
    let y = at.y;
    for (const pair of pairs) y += drawPair(flow, pair, { ...at, y }) * step;
    return y;
  };
  const below = Math.max(
    draw(first, { x: left, y: top, width: rightColumn - 10 }),
    draw(second, { x: left + rightColumn, y: top, width: room - rightColumn }),
  );
  const end = draw(wide, { x: left, y: below, width: room });
  drawCode(flow, { x: right - QR_SIZE, y: top + 2 });
  flow.y = Math.max(end, top + QR_SIZE + 16) + 6;
}

function drawCode(flow: Flow, at: { readonly x: number; readonly y: number }): void {
  const { pen, layout, statement, regular } = flow;
  const size = layout.sizes.note;
  drawQrCode(flow, { ...at, size: QR_SIZE });
  const hash = regular.shape(statement.integrity.documentHash.slice(0, 12));
  const x = at.x + (QR_SIZE - (hash.width * size) / 1_000) / 2;
  tagged(pen, 'P', () =>
    pen.text({ x, y: at.y + QR_SIZE + size + 2 }, hash, { face: regular, size, colour: layout.colours.muted }),
  );
}

const INDENT = 58;
/** Names are not cut, unless they would fill the page. */
const MOST_LINES = 8;

/** Returns how many lines it took. */
function drawPair(
  flow: Flow,
  [name, value]: Pair,
  at: { readonly x: number; readonly y: number; readonly width: number },
): number {
  const { pen, layout, regular, bold } = flow;
  const size = layout.sizes.body;
  const base = at.y + size;
  const label = regular.cut(name, { size, width: INDENT - 4 });
  const lines = bold.wrap(value, { size, width: at.width - INDENT, mostLines: MOST_LINES });
  tagged(pen, 'P', () => {
    pen.text({ x: at.x, y: base }, label, { face: regular, size, colour: layout.colours.muted });
    lines.forEach((run, i) => {
      const place = { x: at.x + INDENT, y: base + i * stepOf(flow) };
      pen.text(place, run, { face: bold, size, colour: layout.colours.text });
    });
  });
  return lines.length;
}

const stepOf = ({ layout }: Flow): number => layout.sizes.body * 1.62;
