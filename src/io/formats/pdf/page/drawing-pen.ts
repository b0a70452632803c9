// The pen that draws: writes a page as its own operators, several times faster than pdfkit's text, and keeps the structure
// tree. Decoration, which a screen reader skips, is drawn first; all else lies above it.

import { deflateSync } from 'node:zlib';
import { type Layer, openForms, openLayer } from './layer.ts';
import { markContent, openBookmarks, type PdfFont, useOnPage, writeContent } from './pdfkit-inside.ts';
import type { Pen, Tag, TagOptions } from './pen.ts';

export function openDrawingPen(document: PDFKit.PDFDocument, fonts: readonly PdfFont[]): Pen {
  openBookmarks(document);
  const root = document.struct('Document');
  document.addStructure(root);
  const elements: { readonly element: PDFKit.PDFStructureElement; readonly tag: Tag | 'Document' }[] = [
    { element: root, tag: 'Document' },
  ];
  const page = openPageContent(document, fonts);
  const { layers, drawOn } = page;
  return {
    beginPage: () => {
      page.end();
      document.addPage();
      for (const font of fonts) useOnPage(document, font);
    },
    endPages: page.end,
    text: (at, run, style) => page.drawing().text(at, run, style),
    fill: (boxes, colour) => page.drawing().fill(boxes, colour),
    line: (from, to, stroke) => page.drawing().line(from, to, stroke),
    path: (origin, points, paint) => page.drawing().path(origin, points, paint),
    logo: page.drawPicture,
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
      layers.marked.mark(tag, markContent(document, element, tag));
      draw();
      layers.marked.endMark();
    },
    decoration: (draw) => drawOn(layers.recurring, draw),
    ownDecoration: (draw) => drawOn(layers.own, draw),
    bookmark: (title) => {
      document.outline.addItem(title);
    },
  };
}

interface PageContent {
  readonly layers: Readonly<Record<'recurring' | 'own' | 'marked', Layer>>;
  readonly drawing: () => Layer;
  readonly drawOn: (layer: Layer, draw: () => void) => void;
  readonly drawPicture: Pen['logo'];
  /** Hands over the content of the page that is open, if there is one. */
  readonly end: () => void;
}

/** One page after the other: first the decoration that other pages may repeat, then the page's own, then all else. */
function openPageContent(document: PDFKit.PDFDocument, fonts: readonly PdfFont[]): PageContent {
  const layers = { recurring: openLayer(), own: openLayer(), marked: openLayer() };
  const shownFrom = openForms(document, fonts);
  let drawing = layers.marked;
  // Of what pdfkit draws by itself, only pictures are taken.
  let isPicture = false;
  document.addContent = (operators: string) => {
    if (isPicture) layers.marked.add(operators);
    return document;
  };
  return {
    layers,
    drawing: () => drawing,
    drawOn: (layer, draw) => {
      drawing = layer;
      draw();
      drawing = layers.marked;
    },
    drawPicture: (bytes, { x, y, width, height }) => {
      isPicture = true;
      document.image(Buffer.from(bytes), x, y, { fit: [width, height] });
      isPicture = false;
    },
    end: () => {
      if (document.page === null) return;
      const turned = `1 0 0 -1 0 ${document.page.height} cm\n/Artifact<</Type/Layout>>BDC\n`;
      const parts = [asBytes(turned), shownFrom(layers.recurring.take()), layers.own.take(), asBytes('EMC\n')];
      writeContent(document, deflateSync(Buffer.concat([...parts, layers.marked.take()])));
    },
  };
}

const asBytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
