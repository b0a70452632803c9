// The pen that draws: writes text, boxes and lines straight into the page's content, several times faster than pdfkit's own
// text, and keeps the structure tree. Coordinates are points from the top left, as pdfkit's pages have them.

import { openBookmarks, type PdfFont, useOnPage } from './pdfkit-inside.ts';
import type { Box, Paint, Pen, Point, Tag, TagOptions, TextStyle } from './pen.ts';

export function openDrawingPen(document: PDFKit.PDFDocument, fonts: readonly PdfFont[]): Pen {
  openBookmarks(document);
  const root = document.struct('Document');
  document.addStructure(root);
  const elements: { readonly element: PDFKit.PDFStructureElement; readonly tag: Tag | 'Document' }[] = [
    { element: root, tag: 'Document' },
  ];
  // Handed over together: pdfkit keeps each piece as a buffer of its own until the page ends.
  let pending: string[] = [];
  const write = (operators: string): void => void pending.push(operators);
  const flush = (): void => {
    if (pending.length > 0) document.addContent(pending.join('\n'));
    pending = [];
  };
  const chosen: Chosen = { colour: '' };
  return {
    beginPage: () => {
      document.addPage();
      chosen.colour = '';
      for (const font of fonts) useOnPage(document, font);
    },
    text: (at, run, style) => write(`${choose(chosen, style.colour)}${textOperators(at, run.operator, style)}`),
    fill: (boxes, colour) => write(`${choose(chosen, colour)}${boxes.map(boxOperator).join(' ')} f`),
    line: (from, to, { colour, width }) =>
      write(`${rgbOf(colour)} RG ${short(width)} w ${pair(from)} m ${pair(to)} l S`),
    path: (origin, shape, paint) => {
      flush();
      drawPath(document, origin, shape, paint);
    },
    logo: (bytes, { x, y, width, height }) => {
      flush();
      document.image(Buffer.from(bytes), x, y, { fit: [width, height] });
    },
    open: (tag, options = {}) => {
      const element = document.struct(tag, options as Omit<TagOptions, 'scope' | 'bbox'>);
      elements.at(-1)!.element.add(element);
      elements.push({ element, tag });
    },
    close: () => {
      elements.pop()!.element.end();
    },
    content: (draw) => {
      const { element, tag } = elements.at(-1)!;
      element.add(document.markStructureContent(tag));
      draw();
      flush();
      document.endMarkedContent();
    },
    decoration: (draw) => {
      document.markContent('Artifact', { type: 'Layout' });
      draw();
      flush();
      document.endMarkedContent();
    },
    bookmark: (title) => {
      document.outline.addItem(title);
    },
  };
}

/** The colour that the page's content fills with; a path is drawn between a save and a restore, and changes nothing. */
interface Chosen {
  colour: string;
}

function choose(chosen: Chosen, colour: string): string {
  if (colour === chosen.colour) return '';
  chosen.colour = colour;
  return `${rgbOf(colour)} rg `;
}

function drawPath(document: PDFKit.PDFDocument, origin: Point, shape: string, { fill, stroke, width }: Paint): void {
  document.save().translate(origin.x, origin.y).path(shape);
  if (fill !== undefined) document.fill(fill);
  if (stroke !== undefined) {
    document
      .lineWidth(width ?? 1)
      .lineJoin('round')
      .stroke(stroke);
  }
  document.restore();
}

/** pdfkit's page has its y axis turned down; the letters are turned up again. */
function textOperators(at: Point, operator: string, { face, size }: TextStyle): string {
  return `BT /${face.font.id} ${size} Tf 1 0 0 -1 ${pair(at)} Tm ${operator} ET`;
}

const boxOperator = ({ x, y, width, height }: Box): string => `${pair({ x, y })} ${short(width)} ${short(height)} re`;

const pair = ({ x, y }: Point): string => `${short(x)} ${short(y)}`;

const short = (points: number): number => Math.round(points * 100) / 100;

const colours = new Map<string, string>();

/** `#1f3a5f` as three shares of one. */
function rgbOf(colour: string): string {
  const known = colours.get(colour);
  if (known !== undefined) return known;
  const parts = [1, 3, 5].map(
    (from) => Math.round((Number.parseInt(colour.slice(from, from + 2), 16) / 255) * 1_000) / 1_000,
  );
  const rgb = parts.join(' ');
  colours.set(colour, rgb);
  return rgb;
}
