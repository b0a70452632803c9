// The place on the pages: the next free line, page breaks, the head and foot of every page, and
// headings and paragraphs. Sections draw through it from top to bottom, and never outside its
// margins.

import { markText } from '../../../../core/domain/snapshot.ts';
import type { Statement } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { StatementTemplate } from '../../port/template.ts';
import type { DocumentContext, Wording } from '../../port/wording.ts';
import {
  type Face,
  openCountingPen,
  type Pen,
  type TextStyle,
  tagLine,
  tagLines,
  widthOf,
} from './pen.ts';
import type { Setting } from './setting.ts';

export const PAGE = { width: 595.28, height: 841.89 };

/**
 * On every page: at its head the name and the title, at its foot the number and the marks: document
 * hash, chain of lines.
 */
export type Running = Readonly<Record<'name' | 'title' | 'number' | 'hash', string>>;

/** For every part of any document: its words and its layout, and the place on the page. */
export interface PageFlow {
  readonly setting: Setting;
  readonly running: Running;
  readonly labels: Pick<Labels, 'document'>;
  readonly words: Wording;
  readonly layout: StatementTemplate['layout'];
  readonly regular: Face;
  readonly bold: Face;
  readonly pen: Pen;
  readonly left: number;
  readonly right: number;
  readonly width: number;
  readonly top: number;
  /** Pages of the whole document; 0 while they are being counted. */
  readonly pages: number;
  /** Its headings, noted while pages are counted. */
  readonly contents: { readonly title: string; readonly page: number }[];
  /** The section that is being drawn, at the head of every page that it begins. */
  section: string;
  /** The page that is open, from 1; 0 before the first. */
  page: number;
  /** The upper edge of the next thing to draw. */
  y: number;
  /** The lower edge of what is drawn on the page that is open. */
  bottom: number;
}

/** For every section of a statement. */
export interface Flow extends PageFlow, DocumentContext {
  readonly labels: Labels;
  readonly logo: Uint8Array | null;
  readonly verifyAt: string | null;
}

type Place = 'left' | 'right' | 'width' | 'top' | 'bottom' | 'page' | 'y' | 'section';

/** Before the first page. */
export function openPages<Parts extends Omit<PageFlow, Place>>(
  parts: Parts,
): Parts & Pick<PageFlow, Place> {
  const { margins } = parts.layout.page;
  return {
    ...parts,
    left: margins.left,
    right: PAGE.width - margins.right,
    width: PAGE.width - margins.left - margins.right,
    top: margins.top,
    bottom: 0,
    page: 0,
    y: 0,
    section: '',
  };
}

/**
 * The first digits of the document's hash, and of the chain over the lines that it was made from.
 */
export function marksOf(
  { integrity, circumstances }: Statement,
  { document }: Pick<Labels, 'document'>,
): string {
  const { chain } = circumstances.coverage;
  const hash = integrity.documentHash.slice(0, 12);
  return chain === undefined
    ? hash
    : `${hash} · ${fill(document.chain, { mark: markText(chain, 12) })}`;
}

/** Begins a page, with its footer and, from the second page on, its running head. */
export function turnPage(flow: PageFlow): void {
  flow.pen.beginPage();
  flow.page += 1;
  Object.assign(flow, { y: flow.top, bottom: lowestOf(flow) });
  const numberWidth = drawPageNumber(flow);
  flow.pen.decoration(() => {
    if (flow.page > 1) drawHead(flow);
    drawFooter(flow, numberWidth);
  });
}

/** Begins a page unless that many points are left on this one. */
export function ensure(flow: PageFlow, height: number): void {
  if (flow.y + height > flow.bottom) turnPage(flow);
}

/** Points left between things: fewer where the document is set close. */
export const apart = ({ setting }: Pick<PageFlow, 'setting'>, points: number): number =>
  setting.isClose ? points * CLOSER : points;

const CLOSER = 0.38;

/** Of small grey text. */
export const smallStyle = ({ regular, layout }: PageFlow): TextStyle => ({
  face: regular,
  size: layout.sizes.note,
  colour: layout.colours.muted,
});

function drawHead(flow: PageFlow): void {
  const { pen, running, layout, left, right, width, regular, top } = flow;
  const style = smallStyle(flow);
  const y = top - 14;
  const run = regular.shape(
    [running.title, flow.section].filter((text) => text !== '').join(' · '),
  );
  const taken = widthOf(run, style.size);
  pen.text({ x: right - taken, y }, run, style);
  pen.text(
    { x: left, y },
    regular.cut(running.name, { size: style.size, width: width - taken - 20 }),
    style,
  );
  pen.line(
    { x: left, y: y + 4.5 },
    { x: right, y: y + 4.5 },
    { colour: layout.colours.rule, width: 0.5 },
  );
}

/** The lower edge of what is drawn on any page but the first. */
export const lowestOf = ({ layout }: PageFlow): number => PAGE.height - layout.page.margins.bottom;
const footOf = (flow: PageFlow): number => lowestOf(flow) + 20;

/** Returns how wide it is. */
function drawPageNumber(flow: PageFlow): number {
  const { pen, labels, right, regular, page, pages } = flow;
  const style = smallStyle(flow);
  const number = regular.shape(
    fill(labels.document.page, { page: String(page), pages: String(pages) }),
  );
  const width = widthOf(number, style.size);
  pen.ownDecoration(() => pen.text({ x: right - width, y: footOf(flow) }, number, style));
  return width;
}

function drawFooter(flow: PageFlow, numberWidth: number): void {
  const { pen, running, layout, left, right, width, regular } = flow;
  const style = smallStyle(flow);
  const y = footOf(flow);
  pen.line(
    { x: left, y: y - 10 },
    { x: right, y: y - 10 },
    { colour: layout.colours.rule, width: 0.5 },
  );
  const hash = regular.shape(` · ${running.hash}`);
  const hashWidth = widthOf(hash, style.size);
  const room = { size: style.size, width: width - numberWidth - hashWidth - 20 };
  const reference = regular.cut(running.number, room);
  pen.text({ x: left, y }, reference, style);
  pen.text({ x: left + widthOf(reference, style.size), y }, hash, style);
}

/**
 * The title of the document and its number, on the first page. `beside`: points at the right that
 * are left free, for then no rule is drawn.
 */
export function drawTitle(flow: PageFlow, beside = 0): void {
  const { pen, layout, left, bold, regular, running } = flow;
  const width = flow.width - beside;
  const { sizes, colours } = layout;
  const base = flow.y + sizes.title;
  const title = { face: bold, size: sizes.title, colour: colours.accent };
  tagLine(
    pen,
    'H1',
    { x: left, y: base },
    bold.cut(running.title, { size: sizes.title, width }),
    title,
  );
  const number = { face: regular, size: sizes.body, colour: colours.muted };
  const below = base + sizes.body + 5;
  tagLine(
    pen,
    'P',
    { x: left, y: below },
    regular.cut(running.number, { size: sizes.body, width }),
    number,
  );
  if (beside === 0) drawRule(flow, below + 6, 1.4);
  flow.y = below + (beside === 0 ? 14 : 6);
}

export function drawRule({ pen, layout, left, right }: PageFlow, y: number, width: number): void {
  pen.decoration(() =>
    pen.line({ x: left, y }, { x: right, y }, { colour: layout.colours.accent, width }),
  );
}

/**
 * The heading of a section; never the last thing on a page. `reserve`: points for what follows it
 * on the same page.
 */
export function drawHeading(flow: PageFlow, text: string, reserve = 90): void {
  const { pen, layout, left, bold, width } = flow;
  const size = layout.sizes.heading;
  ensure(flow, size * 2 + reserve);
  if (flow.y > flow.top) flow.y += apart(flow, 14);
  pen.bookmark(text);
  if (flow.pages === 0) flow.contents.push({ title: text, page: flow.page });
  const base = flow.y + size;
  const style = { face: bold, size, colour: layout.colours.accent };
  tagLine(pen, 'H2', { x: left, y: base }, bold.cut(text, { size, width }), style);
  drawRule(flow, base + 5 - (flow.setting.isClose ? 1 : 0), 0.9);
  flow.y = base + 5 + apart(flow, 8);
}

/** Whether the heading of a section is whole in the width of that flow. */
export const fitsHeading = ({ layout, bold, width }: PageFlow, text: string): boolean =>
  widthOf(bold.shape(text), layout.sizes.heading) <= width;

/** Whether all that is drawn so has room on the page that is open. */
export function hasRoom<Own extends PageFlow>(flow: Own, draw: (probe: Own) => void): boolean {
  const probe = { ...flow, pen: openCountingPen().pen, contents: [] };
  draw(probe);
  return probe.page === flow.page && probe.y <= flow.bottom;
}

/**
 * At the foot of the first page, above which all else ends: what is where. The same room while
 * pages are counted.
 */
export function drawContents(flow: PageFlow): void {
  const { pen, labels, layout, left, width, regular } = flow;
  const style = smallStyle(flow);
  const { size } = style;
  const list = flow.contents.map(({ title, page }) =>
    fill(labels.document.entry, { title, page: String(page) }),
  );
  const text = fill(labels.document.contents, { list: list.join(' · ') });
  const runs = regular.wrap(text, { size, width, mostLines: CONTENTS_LINES });
  const top = flow.bottom - CONTENTS_LINES * size * 1.4;
  flow.bottom = top - 12;
  tagLines(
    pen,
    'P',
    { runs, at: (line) => ({ x: left, y: top + (line + 1) * size * 1.4 }) },
    style,
  );
  pen.decoration(() =>
    pen.line(
      { x: left, y: top - 1 },
      { x: left + width, y: top - 1 },
      { colour: layout.colours.rule, width: 0.5 },
    ),
  );
}

const CONTENTS_LINES = 2;

/**
 * The heading of a table within a section, in two lines where it is long. `reserve`: points for its
 * rows on the same page.
 */
export function drawSubheading(flow: PageFlow, text: string, reserve = 48): void {
  const { pen, layout, left, bold, width } = flow;
  const size = layout.sizes.subheading;
  const runs = bold.wrap(text, { size, width, mostLines: SUBHEADING_LINES });
  const step = size * 1.25;
  const lower = (runs.length - 1) * step;
  ensure(flow, size + 16 + lower + reserve);
  const base = flow.y + apart(flow, 8) + size;
  const style = { face: bold, size, colour: layout.colours.text };
  tagLines(pen, 'H3', { runs, at: (line) => ({ x: left, y: base + line * step }) }, style);
  flow.y = base + lower + (flow.setting.isClose ? 4.5 : 6);
}

const SUBHEADING_LINES = 2;

/** Whether it is whole in the width of that flow. */
export function fitsSubheading({ layout, bold, width }: PageFlow, text: string): boolean {
  const size = layout.sizes.subheading;
  return (
    bold.wrap(text, { size, width, mostLines: SUBHEADING_LINES + 1 }).length <= SUBHEADING_LINES
  );
}

/** A paragraph, wrapped; at most `mostLines` lines. */
export function drawParagraph(
  flow: PageFlow,
  text: string,
  form: {
    readonly tone?: 'text' | 'muted' | 'alert';
    readonly size?: number;
    readonly mostLines?: number;
  } = {},
): void {
  const { pen, layout, left, width, regular } = flow;
  const { tone = 'text', size = layout.sizes.body, mostLines = 12 } = form;
  const runs = regular.wrap(text, { size, width, mostLines });
  const style = { face: regular, size, colour: layout.colours[tone] };
  const step = size * (flow.setting.isClose ? 1.2 : 1.4);
  ensure(flow, runs.length * step);
  const top = flow.y;
  tagLines(pen, 'P', { runs, at: (line) => ({ x: left, y: top + line * step + size }) }, style);
  flow.y = top + runs.length * step + (flow.setting.isClose ? 2 : 3);
}

/** A name and its value as the language writes them: `Journal : MM`. */
export function pair({ labels }: Pick<PageFlow, 'labels'>, name: string, value: string): string {
  return fill(labels.document.pair, { name, value });
}
