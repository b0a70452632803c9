// PDF: the statement on A4 pages, for people. Tagged, with its fonts inside, as PDF/A-1a wants it, and the same bytes for the
// same statement. Reads no file: fonts, words and looks come with the template that it is handed.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invariant } from '../../domain/invariant.ts';
import type { FormatOptions, StatementDocument, StatementFormat } from '../format.ts';
import type { StatementTemplate } from '../template.ts';
import { countPages, drawPages } from './document.ts';
import { openDrawingPen } from './drawing-pen.ts';
import { openFace } from './face.ts';
import { type FlowParts, openFlow } from './flow.ts';
import { infoOf, writeXmp } from './metadata.ts';
import { currentFont, type PdfFont } from './pdf-font.ts';
import { openCountingPen } from './pen.ts';
import { wordingOf } from './wording.ts';

export const pdfFormat: StatementFormat = {
  name: 'pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  write: async (document, options, out) => {
    await pipeline(Readable.from(piecesOf(document, options)), out);
  },
};

async function* piecesOf(document: StatementDocument, options: FormatOptions): AsyncGenerator<Uint8Array> {
  const { template } = options;
  invariant(template !== undefined, 'whoever asks for a PDF hands a template over');
  const pdf = await openPdf(document, options, template);
  const fonts = openFonts(pdf, template);
  const { pen: counting, pages } = openCountingPen();
  const parts = partsOf(document, options, { template, fonts });
  countPages(openFlow({ ...parts, pen: counting, pages: 0 }));
  const flow = openFlow({ ...parts, pen: openDrawingPen(pdf, Object.values(fonts)), pages: pages() });
  for await (const _ of drawPages(flow, document)) yield* taken(pdf);
  invariant(flow.page === pages(), 'as many pages are drawn as were counted');
  pdf.end();
  yield* taken(pdf);
}

/** What the document has written so far; it keeps nothing of it. */
function* taken(pdf: PDFKit.PDFDocument): Generator<Uint8Array> {
  const bytes: Uint8Array | null = pdf.read();
  if (bytes !== null) yield bytes;
}

async function openPdf(
  { statement }: StatementDocument,
  { language }: FormatOptions,
  { labels }: StatementTemplate,
): Promise<PDFKit.PDFDocument> {
  // Loaded when the first PDF is written: it takes longer to load than most commands to run.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.4',
    subset: 'PDF/A-1a',
    tagged: true,
    lang: language,
    displayTitle: true,
    // No standard font: each would have to be embedded, and none has the sign between thousands.
    font: '',
    // Faces remember glyphs; remembering each word as well would keep every reference of a long ledger.
    fontLayoutCache: false,
    info: infoOf({ statement, language, labels: labels[language] }),
  });
  writeXmp(pdf);
  return pdf;
}

interface Fonts {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
}

function openFonts(pdf: PDFKit.PDFDocument, { fonts }: StatementTemplate): Fonts {
  const open = (name: string, bytes: Uint8Array): PdfFont => {
    pdf.registerFont(name, Buffer.from(bytes));
    pdf.font(name);
    return currentFont(pdf);
  };
  return { regular: open('regular', fonts.regular), bold: open('bold', fonts.bold) };
}

function partsOf(
  { statement }: StatementDocument,
  { language, verifyAt }: FormatOptions,
  { template, fonts }: { readonly template: StatementTemplate; readonly fonts: Fonts },
): Omit<FlowParts, 'pen' | 'pages'> {
  const labels = template.labels[language];
  return {
    statement,
    language,
    labels,
    words: wordingOf(statement, labels),
    look: template.layout,
    logo: template.logo,
    verifyAt,
    regular: openFace(fonts.regular),
    bold: openFace(fonts.bold),
  };
}
