// A layer of a page as the operators that draw it, as few as it takes: a colour, font or place is
// written when it changes, and texts that follow each other are one text object. Coordinates are
// points from the top left.

import { deflateSync } from 'node:zlib';
import { invariant } from '../../../../core/domain/invariant.ts';
import { valueIn } from '../../../../core/domain/value-in.ts';
import { writeCode } from './glyph-codes.ts';
import { addForm, type PdfFont, type Reference, showForm } from './pdfkit-inside.ts';
import type { Pen, Point, Tag, TextRun, TextStyle } from './pen.ts';

type Stroke = Parameters<Pen['line']>[2];

export interface Layer extends Pick<Pen, 'text' | 'fill' | 'line' | 'path'> {
  /** Operators of pdfkit, which restore what they change. */
  add(operators: string): void;
  /** Within a tag other than a figure there is only text. */
  mark(tag: Tag | 'Document', id: number): void;
  endMark(): void;
  /** All operators since the last call; valid until the next drawing. */
  take(): Uint8Array;
}

export function openLayer(): Layer {
  const drawn: Drawn = {
    bytes: openBytes(),
    isText: false,
    isLine: false,
    marked: null,
    x: 0,
    y: 0,
    ...NOTHING_CHOSEN,
  };
  const { put } = drawn.bytes;
  return {
    text: (at, run, style) => drawText(drawn, at, { run, style }),
    fill: (boxes, colour) => {
      beginShape(drawn);
      endLine(drawn);
      chooseFill(drawn, colour);
      for (const { x, y, width, height } of boxes)
        put(`${pair({ x, y })}${short(width)}${short(height)}re\n`);
      put('f\n');
    },
    line: (from, to, stroke) => {
      beginShape(drawn);
      chooseStroke(drawn, stroke);
      put(`${pair(from)}m ${pair(to)}l\n`);
      drawn.isLine = true;
    },
    path: (origin, points, { fill, stroke, width = 1 }) => {
      beginShape(drawn);
      endLine(drawn);
      if (fill !== undefined) chooseFill(drawn, fill);
      if (stroke !== undefined) chooseStroke(drawn, { colour: stroke, width });
      const lines = points.map((point, i) => `${pair(point)}${i === 0 ? 'm' : 'l'}\n`).join('');
      // A single point is shown only where it is closed.
      const end = fill === undefined && points.length > 1 ? '' : 'h\n';
      put(`q 1 0 0 1 ${pair(origin)}cm 1 j\n${lines}${end}${fill === undefined ? 'S' : 'f'} Q\n`);
    },
    add: (operators) => {
      beginShape(drawn);
      endLine(drawn);
      put(`${operators}\n`);
    },
    mark: (tag, id) => mark(drawn, tag, id),
    endMark: () => endMark(drawn),
    take: () => {
      endText(drawn);
      endLine(drawn);
      Object.assign(drawn, NOTHING_CHOSEN);
      return drawn.bytes.take();
    },
  };
}

/** The operators so far, and the colours and font in force. */
interface Drawn {
  readonly bytes: Bytes;
  isText: boolean;
  /** Lines wait for their stroke. */
  isLine: boolean;
  marked: Tag | 'Document' | null;
  /** Where the last text of the text object begins, in hundredths of a point. */
  x: number;
  y: number;
  font: string;
  fontSize: number;
  filled: string;
  stroked: string;
  strokeWidth: number;
}

const NOTHING_CHOSEN = { font: '', fontSize: 0, filled: '', stroked: '', strokeWidth: 0 };

function beginText(drawn: Drawn): void {
  if (drawn.isText) return;
  endLine(drawn);
  // The page has its y axis turned down; letters are turned up again.
  drawn.bytes.put('BT 1 0 0 -1 0 0 Tm\n');
  drawn.isText = true;
  drawn.x = 0;
  drawn.y = 0;
}

function endText(drawn: Drawn): void {
  if (drawn.isText) drawn.bytes.put('ET\n');
  drawn.isText = false;
}

function beginShape(drawn: Drawn): void {
  invariant(
    drawn.marked === null || drawn.marked === 'Figure',
    'content tagged as text holds only text',
  );
  endText(drawn);
}

function endLine(drawn: Drawn): void {
  if (drawn.isLine) drawn.bytes.put('S\n');
  drawn.isLine = false;
}

function chooseFill(drawn: Drawn, colour: string): void {
  if (colour !== drawn.filled) drawn.bytes.put(`${rgbOf(colour)}rg\n`);
  drawn.filled = colour;
}

function chooseStroke(drawn: Drawn, { colour, width }: Stroke): void {
  if (colour === drawn.stroked && width === drawn.strokeWidth) return;
  endLine(drawn);
  if (colour !== drawn.stroked) drawn.bytes.put(`${rgbOf(colour)}RG\n`);
  if (width !== drawn.strokeWidth) drawn.bytes.put(`${short(width)}w\n`);
  drawn.stroked = colour;
  drawn.strokeWidth = width;
}

function drawText(
  drawn: Drawn,
  at: Point,
  { run, style }: { readonly run: TextRun; readonly style: TextStyle },
): void {
  const { bytes } = drawn;
  const { face, size, colour } = style;
  beginText(drawn);
  const { id } = face.font;
  if (id !== drawn.font || size !== drawn.fontSize) bytes.put(`/${id} ${size} Tf\n`);
  drawn.font = id;
  drawn.fontSize = size;
  chooseFill(drawn, colour);
  const x = hundredths(at.x);
  const y = hundredths(at.y);
  bytes.put(written(x - drawn.x));
  bytes.put(written(drawn.y - y));
  bytes.put('Td');
  drawn.x = x;
  drawn.y = y;
  if (run.operator === null) {
    bytes.putGlyphs(run.text, face.glyphs);
    bytes.put('Tj\n');
  } else {
    bytes.put(`${run.operator}\n`);
  }
}

/**
 * Marks and text objects are nested properly: text is marked within its object, a figure outside of
 * any.
 */
function mark(drawn: Drawn, tag: Tag | 'Document', id: number): void {
  invariant(drawn.marked === null, 'marked content ends before the next begins');
  if (tag === 'Figure') endText(drawn);
  else beginText(drawn);
  drawn.marked = tag;
  drawn.bytes.put(`/${tag}<</MCID ${id}>>BDC\n`);
}

function endMark(drawn: Drawn): void {
  if (drawn.marked === 'Figure') {
    endText(drawn);
    endLine(drawn);
  }
  drawn.marked = null;
  drawn.bytes.put('EMC\n');
}

const pair = ({ x, y }: Point): string => `${short(x)}${short(y)}`;

const short = (points: number): string => written(hundredths(points));

const hundredths = (points: number): number => Math.round(points * 100);

/** By hundredths of a point: pages repeat the same few. */
const texts = new Map<number, string>();

/** `1234` as `12.34 `, and `-50` as `-.5 `. */
function written(figure: number): string {
  return valueIn(texts, figure, (own) => `${String(own / 100).replace(/^(-?)0\./, '$1.')} `);
}

const colours = new Map<string, string>();

/** `#1f3a5f` as three shares of one. */
function rgbOf(colour: string): string {
  return valueIn(colours, colour, () => {
    const shares = [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16) / 255);
    return shares.map((share) => `${Math.round(share * 1_000) / 1_000} `).join('');
  });
}

interface Bytes {
  /** Each character is a byte. */
  put(text: string): void;
  /** A string of a page's content: for each character its glyph. */
  putGlyphs(text: string, glyphs: Uint16Array): void;
  /** All since the last call; valid until the next `put`. */
  take(): Uint8Array;
}

/**
 * Bytes in one buffer that grows: a page is some ten thousand short texts, which cost more to join
 * than to write.
 */
export function openBytes(): Bytes {
  let bytes = new Uint8Array(1 << 14);
  let length = 0;
  const roomFor = (more: number): Uint8Array => {
    if (length + more > bytes.length) {
      const larger = new Uint8Array(2 * (length + more));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    return bytes;
  };
  return {
    put: (text) => {
      const into = roomFor(text.length);
      const at = length;
      for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
      length = at + text.length;
    },
    putGlyphs: (text, glyphs) => {
      const into = roomFor(4 * text.length + 2);
      let at = length;
      into[at++] = 0x28;
      for (let i = 0; i < text.length; i++) at = writeCode(into, at, glyphs[text.charCodeAt(i)]!);
      into[at++] = 0x29;
      length = at;
    },
    take: () => {
      const taken = bytes.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

/** Of a whole statement there are not as many. */
const MOST_REMEMBERED = 50;

/**
 * Content that several pages repeat, as the rules, bands, head and foot of a long table, is in the
 * file once. Returns what a page shows: the content itself the first time, and a reference to it
 * from then on.
 */
export function openForms(
  document: PDFKit.PDFDocument,
  fonts: readonly PdfFont[],
): (drawn: Uint8Array) => Uint8Array {
  // Null: on one page so far.
  const known = new Map<string, Form | null>();
  let count = 0;
  return (drawn) => {
    const key = Buffer.from(drawn).toString('latin1');
    let form = known.get(key);
    if (form === undefined) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(key, null);
      return drawn;
    }
    if (form === null) {
      count += 1;
      form = {
        name: `X${count}`,
        reference: addForm(document, { fonts, deflated: deflateSync(drawn) }),
      };
      known.set(key, form);
    }
    showForm(document, form.name, form.reference);
    return Buffer.from(`/${form.name} Do\n`, 'latin1');
  };
}

interface Form {
  readonly name: string;
  readonly reference: Reference;
}
