// An audit as a PDF for people: the document of `pointage audit --format json` on A4 pages. Tagged, with its fonts inside, and
// the same bytes for the same audit. Reads no file: fonts and layout come with the template that it is handed.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseInstant } from '../../../domain/instant.ts';
import { invariant } from '../../../domain/invariant.ts';
import type { Language } from '../../../statements/statement.ts';
import { fill } from '../../phrase.ts';
import type { StatementTemplate } from '../../template.ts';
import { openDrawingPen } from '../drawing-pen.ts';
import { openFace } from '../face.ts';
import { openPages, turnPage } from '../flow.ts';
import { documentInfo } from '../metadata.ts';
import { type Fonts, openFonts, openPdf, taken } from '../open-pdf.ts';
import { openCountingPen } from '../pen.ts';
import { wordingOf } from '../wording.ts';
import type { AuditedBooks, AuditFlow } from './audit-flow.ts';
import { asOfText, drawHeadOfAudit } from './first-page.ts';
import { drawMerchant } from './merchant-section.ts';

export interface AuditReportOptions {
  readonly language: Language;
  readonly template: StatementTemplate;
  /** SHA-256 of the document as compact JSON, 64 hexadecimal digits: ties the pages to it. */
  readonly hash: string;
}

/** Writes the whole document to `out`, and ends it; resolves when `out` has taken everything. */
export async function writeAuditReport(
  audited: AuditedBooks,
  options: AuditReportOptions,
  out: Writable,
): Promise<void> {
  await pipeline(Readable.from(piecesOf(audited, options)), out);
}

async function* piecesOf(audited: AuditedBooks, options: AuditReportOptions): AsyncGenerator<Uint8Array> {
  const at = parseInstant(audited.asOf);
  invariant(at !== null, 'an audit says as of when');
  const { language, template, hash } = options;
  const running = runningOf(audited, options);
  const { title, number: subject } = running;
  const info = documentInfo({ title: `${title} — ${running.name}`, subject, hash, engine: audited.engine, at });
  const pdf = await openPdf({ info, language });
  const fonts = openFonts(pdf, template);
  const { pen: counting, pages } = openCountingPen();
  const parts = partsOf(audited, { options, fonts, running });
  for (const _ of drawParts(openPages({ ...parts, pen: counting, pages: 0 })));
  const flow = openPages({ ...parts, pen: openDrawingPen(pdf, Object.values(fonts)), pages: pages() });
  for (const _ of drawParts(flow)) yield* taken(pdf);
  invariant(flow.page === pages(), 'as many pages are drawn as were counted');
  pdf.end();
  yield* taken(pdf);
}

/** Yields after each part, so that what was drawn can be taken away. */
function* drawParts(flow: AuditFlow): Generator<void> {
  const { merchants } = flow.audited;
  flow.pen.open('Sect');
  drawHeadOfAudit(flow);
  flow.pen.close();
  for (const report of merchants) {
    yield;
    if (merchants.length !== 1) turnPage(flow);
    flow.pen.open('Sect');
    drawMerchant(flow, report);
    flow.pen.close();
  }
  yield;
}

function runningOf(audited: AuditedBooks, { language, template, hash }: AuditReportOptions): AuditFlow['running'] {
  const { audit: said, ...labels } = template.labels[language];
  const words = wordingOf('UTC', labels);
  const [only] = audited.merchants;
  const count = audited.merchants.length;
  return {
    name: only !== undefined && count === 1 ? only.merchant : fill(said.manyMerchants, { count: words.amount(count) }),
    title: said.title,
    number: fill(said.number, { instant: asOfText({ audited, words, said }) }),
    hash: hash.slice(0, 12),
  };
}

function partsOf(
  audited: AuditedBooks,
  drawn: { readonly options: AuditReportOptions; readonly fonts: Fonts; readonly running: AuditFlow['running'] },
) {
  const { language, template, hash } = drawn.options;
  const labels = template.labels[language];
  return {
    audited,
    hash,
    said: labels.audit,
    running: drawn.running,
    labels: { document: { ...labels.document, more: labels.audit.more } },
    words: wordingOf('UTC', labels),
    layout: template.layout,
    regular: openFace(drawn.fonts.regular),
    bold: openFace(drawn.fonts.bold),
  };
}
