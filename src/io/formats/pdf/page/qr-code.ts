// The QR code with which a reader verifies the document, with a text for readers who cannot see it.

import QRCode from 'qrcode';
import { fill } from '../../../../core/words/finding.ts';
import type { Flow } from './flow.ts';
import { type Box, tagged } from './pen.ts';

/** `at` is the upper left corner, `size` the length of a side in points. */
export function drawQrCode(flow: Flow, at: { readonly x: number; readonly y: number; readonly size: number }): void {
  const { pen, layout, labels, statement } = flow;
  const { modules } = QRCode.create(payloadOf(flow), { errorCorrectionLevel: 'M' });
  const side = at.size / modules.size;
  const boxes: Box[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let from = 0; from < modules.size; from++) {
      if (modules.get(row, from) === 0) continue;
      let to = from;
      while (to < modules.size && modules.get(row, to) !== 0) to++;
      boxes.push({ x: at.x + from * side, y: at.y + row * side, width: (to - from) * side, height: side });
      from = to;
    }
  }
  const alt = fill(labels.charts.qrAlt, { hash: statement.integrity.documentHash.slice(0, 12) });
  const bbox = [at.x, at.y, at.x + at.size, at.y + at.size] as const;
  tagged(pen, 'Figure', () => pen.fill(boxes, layout.colours.text), { alt, bbox });
}

/** The address and the whole hash of the document; without an address, `pointage 1`, merchant, month, revision and hash. */
function payloadOf({ statement, verifyAt }: Pick<Flow, 'statement' | 'verifyAt'>): string {
  const { merchant, period, revision, integrity } = statement;
  if (verifyAt !== null) return `${verifyAt}${integrity.documentHash}`;
  const reference = merchant.reference.replace(/[^\p{L}\p{N}_-]/gu, '_').slice(0, 80);
  return `pointage 1 ${reference} ${period.period} r${revision.number} sha256:${integrity.documentHash}`;
}
