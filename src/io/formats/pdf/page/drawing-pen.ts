// The pen that draws: writes a page as its own operators, several times faster than pdfkit's text,
// and keeps the structure tree. Decoration, which a screen reader skips, is drawn first; all else
// lies above it.

import { deflateSync } from 'node:zlib';
import { type Layer, openForms, openLayer } from './layer.ts';
import {
  addSignatureField,
  markContent,
  openBookmarks,
  type PdfFont,
  type Sealed,
  useOnPage,
  writeContent,
} from './pdfkit-inside.ts';
import type { Pen, Tag, TagOptions } from './pen.ts';

interface DrawingPen extends Pen {
  /** Gives the document the field of its signature, on the page that is open. */
  addSignature(sealed: Sealed): void;
}

export function openDrawingPen(
  document: PDFKit.PDFDocument,
  fonts: readonly PdfFont[],
): DrawingPen {
  const layers = { recurring: openLayer(), own: openLayer(), marked: openLayer() };
  const shownFrom = openForms(document, fonts);
  let drawing = layers.marked;
  const drawOn = (layer: Layer, draw: () => void): void => {
    drawing = layer;
    draw();
    drawing = layers.marked;
  };
  /**
   * Hands over the content of the page that is open, if there is one: decoration that other pages
   * may repeat, the page's own, the rest.
   */
  const endPage = (): void => {
    if (document.page === null) return;
    const turned = `1 0 0 -1 0 ${document.page.height} cm\n/Artifact<</Type/Layout>>BDC\n`;
    const parts = [
      asBytes(turned),
      shownFrom(layers.recurring.take()),
      layers.own.take(),
      asBytes('EMC\n'),
    ];
    writeContent(document, deflateSync(Buffer.concat([...parts, layers.marked.take()])));
  };
  return {
    ...openTree(document, layers.marked),
    beginPage: () => {
      endPage();
      document.addPage();
      for (const font of fonts) useOnPage(document, font);
    },
    endPages: endPage,
    text: (at, run, style) => drawing.text(at, run, style),
    fill: (boxes, colour) => drawing.fill(boxes, colour),
    line: (from, to, stroke) => drawing.line(from, to, stroke),
    path: (origin, points, paint) => drawing.path(origin, points, paint),
    logo: openPictures(document, layers.marked),
    decoration: (draw) => drawOn(layers.recurring, draw),
    ownDecoration: (draw) => drawOn(layers.own, draw),
  };
}

/** The structure tree, whose content is on one layer, and the bookmarks. */
function openTree(
  document: PDFKit.PDFDocument,
  layer: Layer,
): Pick<DrawingPen, 'open' | 'close' | 'content' | 'bookmark' | 'addSignature'> {
  openBookmarks(document);
  const root = document.struct('Document');
  document.addStructure(root);
  const elements: {
    readonly element: PDFKit.PDFStructureElement;
    readonly tag: Tag | 'Document';
  }[] = [{ element: root, tag: 'Document' }];
  return {
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
      layer.mark(tag, markContent(document, element, tag));
      draw();
      layer.endMark();
    },
    bookmark: (title) => {
      document.outline.addItem(title);
    },
    addSignature: (sealed) => {
      const element = document.struct('Form');
      root.add(element);
      addSignatureField(document, element, sealed);
      element.end();
    },
  };
}

/** Of all that pdfkit draws by itself, only pictures are taken. */
function openPictures(document: PDFKit.PDFDocument, layer: Layer): Pen['logo'] {
  let isPicture = false;
  document.addContent = (operators: string) => {
    if (isPicture) layer.add(operators);
    return document;
  };
  return (bytes, { x, y, width, height }) => {
    isPicture = true;
    document.image(Buffer.from(bytes), x, y, { fit: [width, height] });
    isPicture = false;
  };
}

const asBytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
