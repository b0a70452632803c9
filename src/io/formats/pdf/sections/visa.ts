// Where a person signs: a box for the issuer and one for the verifier, each with a line for name,
// date and seal.

import { fill } from '../../../../core/words/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import { drawSubheading, type PageFlow } from '../page/flow.ts';
import { tagged } from '../page/pen.ts';

const HEIGHT = 66;
const GAP = 14;

/** Points that it takes, with its heading. */
export const VISA_HEIGHT = HEIGHT + 46;

/** At the foot of what was drawn so far, never parted by a page. `issuer` null: without a name. */
export function drawVisa(flow: PageFlow, words: Labels['parties'], issuer: string | null): void {
  const { left, width } = flow;
  drawSubheading(flow, words.visa, HEIGHT + 12);
  const box = (width - GAP) / 2;
  const top = flow.y + 4;
  drawBox(flow, { x: left, y: top, width: box }, [
    issuer === null ? words.forIssuer : fill(words.forNamed, { name: issuer }),
    words.nameAndDate,
  ]);
  drawBox(flow, { x: left + box + GAP, y: top, width: box }, [words.verifiedBy, words.nameAndDate]);
  flow.y = top + HEIGHT + 6;
}

function drawBox(
  flow: PageFlow,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  lines: readonly string[],
): void {
  const { pen, layout, regular, bold } = flow;
  const size = layout.sizes.body;
  const stroke = { colour: layout.colours.muted, width: 0.6 };
  const corners = [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + HEIGHT },
    { x, y: y + HEIGHT },
  ];
  pen.decoration(() => {
    corners.forEach((corner, i) => {
      pen.line(corner, corners[(i + 1) % corners.length]!, stroke);
    });
  });
  lines.forEach((line, i) => {
    const face = i === 0 ? bold : regular;
    const colour = i === 0 ? layout.colours.text : layout.colours.muted;
    const run = face.cut(line, { size, width: width - 12 });
    tagged(pen, 'P', () =>
      pen.text({ x: x + 6, y: y + 6 + size + i * size * 1.5 }, run, { face, size, colour }),
    );
  });
}
