// Writes the statement on A4 pages. Tagged, with its fonts inside, as PDF/A-1a wants it, and the same bytes for the
// same statement. Reads no file: fonts, words and layout come with the template that it is handed.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invariant } from '../../domain/invariant.ts';
import type { FormatOptions, StatementDocument } from '../format.ts';
import type { StatementTemplate } from '../template.ts';
import { countPages, drawPages } from './document.ts';
import { openDrawingPen } from './drawing-pen.ts';
import { openFace } from './face.ts';
import { type FlowParts, openFlow } from './flow.ts';
import { infoOf } from './metadata.ts';
import { type Fonts, openFonts, openPdf, taken } from './open-pdf.ts';
import { openCountingPen } from './pen.ts';
import { wordingOf } from './wording.ts';

/** Ends `out`. */
export async function writePdf(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void> {
  await pipeline(Readable.from(piecesOf(document, options)), out);
}

async function* piecesOf(document: StatementDocument, options: FormatOptions): AsyncGenerator<Uint8Array> {
  const { template } = options;
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const { statement } = document;
  const { language } = options;
  const info = infoOf({ statement, language, labels: template.labels[language] });
  const pdf = await openPdf({ info, language });
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
    words: wordingOf(statement.period.zone, labels),
    layout: template.layout,
    logo: template.logo,
    verifyAt,
    regular: openFace(fonts.regular),
    bold: openFace(fonts.bold),
  };
}
