// Writes any of our documents on A4 pages: tagged, with its fonts inside, as PDF/A-2a wants it. It is drawn twice, first by the
// pen that counts, so that every footer knows the number of pages.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invariant } from '../../../core/domain/invariant.ts';
import type { Language } from '../../../core/statements/statement.ts';
import type { StatementTemplate } from '../template.ts';
import { openDrawingPen } from './drawing-pen.ts';
import { openFace } from './face.ts';
import type { PageFlow } from './flow.ts';
import { openFonts, openPdf, taken } from './open-pdf.ts';
import { openCountingPen } from './pen.ts';

/** What a flow is begun with. */
export type Drawn = Pick<PageFlow, 'layout' | 'regular' | 'bold' | 'pen' | 'pages'>;

export interface PagedDocument<Flow extends PageFlow> {
  readonly info: PDFKit.DocumentInfo;
  readonly language: Language;
  readonly template: StatementTemplate;
  /** Before the first page. */
  readonly begin: (drawn: Drawn) => Flow;
  /** Yields after each part, so that what was drawn can be taken away. `isCounted`: only its pages are wanted. */
  readonly draw: (flow: Flow, isCounted: boolean) => Iterable<void> | AsyncIterable<void>;
}

/** Ends `out`; resolves when it has taken everything. */
export async function writePages<Flow extends PageFlow>(document: PagedDocument<Flow>, out: Writable): Promise<void> {
  await pipeline(Readable.from(piecesOf(document)), out);
}

async function* piecesOf<Flow extends PageFlow>(document: PagedDocument<Flow>): AsyncGenerator<Uint8Array> {
  const { template, begin, draw } = document;
  const pdf = await openPdf(document);
  const fonts = openFonts(pdf, template);
  const looks = { layout: template.layout, regular: openFace(fonts.regular), bold: openFace(fonts.bold) };
  const { pen: counting, pages } = openCountingPen();
  for await (const _ of draw(begin({ ...looks, pen: counting, pages: 0 }), true));
  const flow = begin({ ...looks, pen: openDrawingPen(pdf, Object.values(fonts)), pages: pages() });
  for await (const _ of draw(flow, false)) yield* taken(pdf);
  invariant(flow.page === pages(), 'as many pages are drawn as were counted');
  flow.pen.endPages();
  pdf.end();
  yield* taken(pdf);
}
