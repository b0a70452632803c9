// The pen that draws the pages: text, boxes, lines and the tags that a screen reader follows. There
// are two: one draws with pdfkit, the other only counts pages, so that "page 3 / 12" is known
// before the first page is written.

/** Points from the left edge and from the top edge. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** The font as a page refers to it. */
export interface FontResource {
  /** Its name in a page's resources. */
  readonly id: string;
  ref(): unknown;
}

/** Text ready to be drawn at any size. */
export interface TextRun {
  readonly text: string;
  /**
   * Operand and operator that show it, each character a byte; null where each character is one of
   * the face's glyphs.
   */
  readonly operator: string | null;
  /** In thousandths of the font size. */
  readonly width: number;
}

export interface Face {
  readonly font: FontResource;
  /** By character: the glyph's number in the font. */
  readonly glyphs: Uint16Array;
  /** The whole text, whatever its width. */
  shape(text: string): TextRun;
  /** As much of it as fits into that many points, with … where it was cut. */
  cut(text: string, room: { readonly size: number; readonly width: number }): TextRun;
  /** Lines that each fit; the last of `mostLines` ends in … where the text goes on. */
  wrap(
    text: string,
    room: { readonly size: number; readonly width: number; readonly mostLines: number },
  ): TextRun[];
}

export interface TextStyle {
  readonly face: Face;
  readonly size: number;
  readonly colour: string;
}

/** The standard structure types of PDF that statements use. */
export type Tag = 'Sect' | 'H1' | 'H2' | 'H3' | 'P' | 'Table' | 'TR' | 'TH' | 'TD' | 'Figure';

export interface TagOptions {
  readonly alt?: string;
  readonly bbox?: readonly [number, number, number, number];
  readonly scope?: 'Column';
}

export interface Pen {
  beginPage(): void;
  /** Call once, after the last page. */
  endPages(): void;
  /** `at` is where the text begins, on its base line. */
  text(at: Point, run: TextRun, style: TextStyle): void;
  fill(boxes: readonly Box[], colour: string): void;
  line(from: Point, to: Point, stroke: { readonly colour: string; readonly width: number }): void;
  /** Straight lines between points from `origin`; closed where it is filled. */
  path(origin: Point, points: readonly Point[], paint: Paint): void;
  logo(bytes: Uint8Array, box: Box): void;
  /**
   * Opens an element inside the one that is open; its content, a figure or text alone, is drawn
   * within `content`.
   */
  open(tag: Tag, options?: TagOptions): void;
  close(): void;
  content(draw: () => void): void;
  /**
   * Rules, bands, footers: a screen reader passes over them. They lie below all else on the page.
   */
  decoration(draw: () => void): void;
  /** The same for decoration of this page alone, as its number. */
  ownDecoration(draw: () => void): void;
  bookmark(title: string): void;
}

export interface Paint {
  /** One of the two. */
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
}

/** In points. */
export function widthOf({ width }: Pick<TextRun, 'width'>, size: number): number {
  return (width * size) / 1_000;
}

/** Opens an element, draws its content, and closes it. */
export function tagged(pen: Pen, tag: Tag, draw: () => void, options: TagOptions = {}): void {
  pen.open(tag, options);
  pen.content(draw);
  pen.close();
}

/** A line of text under a tag of its own. */
export function tagLine(pen: Pen, tag: Tag, at: Point, run: TextRun, style: TextStyle): void {
  tagged(pen, tag, () => pen.text(at, run, style));
}

/** Lines of text under one tag; `at`: the place of each, by its number from 0. */
export function tagLines(
  pen: Pen,
  tag: Tag,
  {
    runs,
    at,
  }: { readonly runs: readonly TextRun[]; readonly at: (line: number, run: TextRun) => Point },
  style: TextStyle,
): void {
  tagged(pen, tag, () => {
    for (const [line, run] of runs.entries()) pen.text(at(line, run), run, style);
  });
}

/** A pen that draws within content that is open already: its tags are left out. */
export function untagged(pen: Pen): Pen {
  const nothing = () => {};
  return { ...pen, open: nothing, close: nothing, content: (draw) => draw() };
}

/** Draws nothing; counts how many pages were begun. */
export function openCountingPen(): { readonly pen: Pen; readonly pages: () => number } {
  let pages = 0;
  const nothing = () => {};
  const pen: Pen = {
    beginPage: () => {
      pages += 1;
    },
    endPages: nothing,
    text: nothing,
    fill: nothing,
    line: nothing,
    path: nothing,
    logo: nothing,
    open: nothing,
    close: nothing,
    content: nothing,
    decoration: nothing,
    ownDecoration: nothing,
    bookmark: nothing,
  };
  return { pen, pages: () => pages };
}
