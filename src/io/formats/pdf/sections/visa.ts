// Where a person signs: a box for the issuer and one for the verifier, each with a line for name,
// date and seal.

import { fill } from '../../../../core/words/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { Part } from '../page/columns.ts';
import { drawSubheading, type Flow, type PageFlow } from '../page/flow.ts';
import { tagLines } from '../page/pen.ts';

const HEIGHT = 66;
/** Where the document is set close; a stamp has room in it. */
const CLOSE_HEIGHT = 44;
const GAP = 14;

/** Points that it takes, with its heading. */
export const VISA_HEIGHT = HEIGHT + 46;

/** The same as a part that may be beside others. */
export function visaPart(issuer: string | null): Part<Flow> {
  return {
    draw: (flow) => {
      flow.pen.open('Sect');
      drawVisa(flow, flow.labels.parties, issuer);
      flow.pen.close();
    },
    fits: ({ width }) => width >= 2 * FEWEST + GAP,
  };
}

/** Points in which a person can sign. */
const FEWEST = 105;

/** At the foot of what was drawn so far, never parted by a page. `issuer` null: without a name. */
export function drawVisa(flow: PageFlow, words: Labels['parties'], issuer: string | null): void {
  const { left, width } = flow;
  const height = heightIn(flow);
  drawSubheading(flow, words.visa, height + 12);
  const box = (width - GAP) / 2;
  const top = flow.y + 4;
  drawBox(flow, { x: left, y: top, width: box }, [
    issuer === null ? words.forIssuer : fill(words.forNamed, { name: issuer }),
    words.nameAndDate,
  ]);
  drawBox(flow, { x: left + box + GAP, y: top, width: box }, [words.verifiedBy, words.nameAndDate]);
  flow.y = top + height + 6;
}

const heightIn = ({ setting }: PageFlow): number => (setting.isClose ? CLOSE_HEIGHT : HEIGHT);

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
    { x: x + width, y: y + heightIn(flow) },
    { x, y: y + heightIn(flow) },
  ];
  pen.decoration(() => {
    corners.forEach((corner, i) => {
      pen.line(corner, corners[(i + 1) % corners.length]!, stroke);
    });
  });
  let base = y + 6 + size;
  lines.forEach((line, i) => {
    const face = i === 0 ? bold : regular;
    const colour = i === 0 ? layout.colours.text : layout.colours.muted;
    const runs = face.wrap(line, { size, width: width - 12, mostLines: 2 });
    const from = base;
    const at = (row: number) => ({ x: x + 6, y: from + row * size * 1.2 });
    tagLines(pen, 'P', { runs, at }, { face, size, colour });
    base = from + (runs.length - 1) * size * 1.2 + size * 1.5;
  });
}
