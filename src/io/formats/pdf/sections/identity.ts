// Whose document it is: pairs of a word and a value at its head, beside them the code with which it is verified.

import { drawRule, drawTitle, ensure, type Flow, type PageFlow } from '../page/flow.ts';
import { tagged } from '../page/pen.ts';
import { drawQrCode } from '../page/qr-code.ts';

const QR_SIZE = 66;

export type Pair = readonly [string, string];

/** The head of a statement: its title, whose it is and of when, and beside both the code with which it is verified. */
export function drawHead(flow: Flow, pairs: readonly Pair[]): void {
  const { right } = flow;
  const beside = QR_SIZE + 22;
  const top = flow.y;
  drawTitle(flow, beside);
  drawPairs(flow, pairs, beside);
  drawCode(flow, { x: right - QR_SIZE, y: top });
  flow.y = Math.max(flow.y + 4, top + QR_SIZE + 14);
  drawRule(flow, flow.y, 1.4);
  flow.y += 13;
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

const INDENT = 62;
/** Names are not cut, unless they would fill the page. */
const MOST_LINES = 8;

/** One below the other. `beside`: points at the right that are left free. */
export function drawPairs(flow: PageFlow, pairs: readonly Pair[], beside = 0): void {
  const { pen, layout, left, width, regular, bold } = flow;
  const size = layout.sizes.body;
  const step = size * 1.62;
  for (const [name, value] of pairs) {
    const label = regular.cut(name, { size, width: INDENT - 4 });
    const lines = bold.wrap(value, { size, width: width - beside - INDENT, mostLines: MOST_LINES });
    ensure(flow, lines.length * step);
    const base = flow.y + size;
    tagged(pen, 'P', () => {
      pen.text({ x: left, y: base }, label, { face: regular, size, colour: layout.colours.muted });
      lines.forEach((run, i) => {
        const place = { x: left + INDENT, y: base + i * step };
        pen.text(place, run, { face: bold, size, colour: layout.colours.text });
      });
    });
    flow.y += lines.length * step;
  }
}
