// Whose document it is: pairs of a word and a value at its head, beside them the code with which it
// is verified.

import QRCode from 'qrcode';
import { inFileName } from '../../../../core/domain/naming/names.ts';
import { fill } from '../../../../core/words/finding.ts';
import { apart, drawRule, drawTitle, ensure, type Flow, type PageFlow } from '../page/flow.ts';
import { type Box, tagged } from '../page/pen.ts';

const QR_SIZE = 66;

export type Pair = readonly [string, string];

/**
 * The head of a statement: its title, whose it is and of when, and beside both the code with which
 * it is verified.
 */
export function drawHead(flow: Flow, pairs: readonly Pair[]): void {
  const { right } = flow;
  const beside = QR_SIZE + 22;
  const top = flow.y;
  drawTitle(flow, beside);
  drawPairs(flow, pairs, beside);
  drawCode(flow, { x: right - QR_SIZE, y: top });
  flow.y = Math.max(flow.y + 4, top + QR_SIZE + 14);
  drawRule(flow, flow.y, 1.4);
  flow.y += apart(flow, 13);
}

/** `at` is its upper left corner; below it the head of the hash. */
function drawCode(flow: Flow, at: { readonly x: number; readonly y: number }): void {
  const { pen, layout, labels, statement, regular } = flow;
  const size = layout.sizes.note;
  const { modules } = QRCode.create(payloadOf(flow), { errorCorrectionLevel: 'M' });
  const side = QR_SIZE / modules.size;
  const boxes: Box[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let from = 0; from < modules.size; from++) {
      if (modules.get(row, from) === 0) continue;
      let to = from;
      while (to < modules.size && modules.get(row, to) !== 0) to++;
      boxes.push({
        x: at.x + from * side,
        y: at.y + row * side,
        width: (to - from) * side,
        height: side,
      });
      from = to;
    }
  }
  const short = statement.integrity.documentHash.slice(0, 12);
  const alt = fill(labels.charts.qrAlt, { hash: short });
  const bbox = [at.x, at.y, at.x + QR_SIZE, at.y + QR_SIZE] as const;
  tagged(pen, 'Figure', () => pen.fill(boxes, layout.colours.text), { alt, bbox });
  const hash = regular.shape(short);
  const x = at.x + (QR_SIZE - (hash.width * size) / 1_000) / 2;
  tagged(pen, 'P', () =>
    pen.text({ x, y: at.y + QR_SIZE + size + 2 }, hash, {
      face: regular,
      size,
      colour: layout.colours.muted,
    }),
  );
}

const INDENT = 62;
/** Names are not cut, unless they would fill the page. */
const MOST_LINES = 8;

/** One below the other. `beside`: points at the right that are left free. */
export function drawPairs(flow: PageFlow, pairs: readonly Pair[], beside = 0): void {
  const { pen, layout, left, width, regular, bold } = flow;
  const size = layout.sizes.body;
  const step = size * (flow.setting.isClose ? 1.4 : 1.62);
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

/**
 * The address and the whole hash of the document; without an address, `pointage 1`, merchant,
 * month, revision and hash.
 */
function payloadOf({ statement, verifyAt }: Pick<Flow, 'statement' | 'verifyAt'>): string {
  const { merchant, period, revision, integrity } = statement;
  if (verifyAt !== null) return `${verifyAt}${integrity.documentHash}`;
  return `pointage 1 ${inFileName(merchant.reference)} ${period.period} r${revision.number} sha256:${integrity.documentHash}`;
}
