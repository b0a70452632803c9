// Writes any of our documents on A4 pages: tagged, with its fonts inside, as PDF/A-2a wants it. It
// is drawn twice, first by the pen that counts, so that every footer knows the number of pages.

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { formatInstant, type Instant } from '../../../../core/domain/instant.ts';
import { invariant } from '../../../../core/domain/invariant.ts';
import { StatementRefused } from '../../../../core/statements/exact.ts';
import type { Language, Statement } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { Seal } from '../../../seals/seal.ts';
import type { FormatOptions } from '../../port/format.ts';
import { labelsOf, type StatementTemplate } from '../../port/template.ts';
import { wordingOf } from '../../port/wording.ts';
import { openDrawingPen } from './drawing-pen.ts';
import { openFace } from './face.ts';
import { type Flow, marksOf, openPages, type PageFlow } from './flow.ts';
import { documentInfo, writeXmp } from './metadata.ts';
import {
  addEncoding,
  currentFont,
  nameGlyphs,
  type PdfFont,
  packObjects,
  type Sealed,
} from './pdfkit-inside.ts';
import { openCountingPen } from './pen.ts';
import { AMPLE, layoutIn, type Setting } from './setting.ts';

/** For beginning a flow. */
export type Drawn = Pick<
  PageFlow,
  'setting' | 'layout' | 'regular' | 'bold' | 'pen' | 'pages' | 'contents'
>;

export interface PagedDocument<Own extends PageFlow> {
  readonly info: PDFKit.DocumentInfo;
  readonly language: Language;
  readonly template: StatementTemplate;
  /** Absent or `null`: the document is not sealed. */
  readonly sealed?: Sealed | null;
  /** The first of those that need the fewest pages is taken; absent: there is one, the ample. */
  readonly settings?: readonly Setting[];
  /** Before the first page. */
  readonly begin: (drawn: Drawn) => Own;
  /**
   * Yields after each part, so that its bytes can be taken away. `isCounted`: only its pages are
   * counted.
   */
  readonly draw: (flow: Own, isCounted: boolean) => Iterable<void> | AsyncIterable<void>;
}

/** Ends `out`; resolves when it has taken everything. */
export async function writePages<Own extends PageFlow>(
  document: PagedDocument<Own>,
  out: Writable,
): Promise<void> {
  await pipeline(Readable.from(piecesOf(document)), out);
}

interface StatementPages extends Pick<PagedDocument<Flow>, 'draw' | 'settings'> {
  readonly statement: Statement;
  /** `number`: the phrase for it, with places for merchant, period and revision. */
  readonly named: (labels: Labels, period: string) => Readonly<Record<'title' | 'number', string>>;
}

/** Pages about one statement. As `writePages`. */
export async function writeStatementPages(
  { statement, named, draw, settings = [AMPLE] }: StatementPages,
  { template, language, verifyAt, sealFor }: FormatOptions,
  out: Writable,
): Promise<void> {
  invariant(template !== undefined, 'a caller that asks for a PDF hands a template over');
  const labels = labelsOf(template, statement)[language];
  const { merchant, period, revision, integrity, engine, generatedAt: at } = statement;
  const { title, number: phrase } = named(labels, period.label[language]);
  const [reference, issue] = [merchant.reference.slice(0, 80), String(revision.number)];
  const number = fill(phrase, { reference, period: period.period, revision: issue });
  const name = (merchant.name ?? merchant.reference) || labels.document.unknown;
  const words = wordingOf(period.zone, { labels, language });
  const running = { name, title, number, hash: marksOf(statement, labels) };
  const document = { statement, language, labels, words, logo: template.logo, verifyAt, running };
  const hash = integrity.documentHash;
  const info = documentInfo({ title: `${title} — ${name}`, subject: number, hash, engine, at });
  const sealed = sealedAt((await sealFor?.(merchant)) ?? null, at);
  await writePages<Flow>(
    {
      info,
      language,
      template,
      sealed,
      settings,
      begin: (drawn) => openPages({ ...drawn, ...document }),
      draw,
    },
    out,
  );
}

/** Refuses to seal a document with a certificate that was not valid when it was made. */
function sealedAt(seal: Seal | null, at: Instant): Sealed | null {
  if (seal === null) return null;
  if (at >= seal.validFrom && at <= seal.validUntil) return { seal, at };
  const [from, until] = [seal.validFrom, seal.validUntil].map(formatInstant);
  throw new StatementRefused(
    'SEAL_NOT_VALID',
    `The document is of ${formatInstant(at)}, and the certificate ${seal.name} that is to seal it is valid from ${from} to ${until}: give the issuer another.`,
  );
}

async function* piecesOf<Own extends PageFlow>(
  document: PagedDocument<Own>,
): AsyncGenerator<Uint8Array> {
  const { template, sealed = null, begin, draw } = document;
  const pdf = await openPdf(document);
  const fonts = openFonts(pdf, template);
  const faces = { regular: openFace(fonts.regular), bold: openFace(fonts.bold) };
  const { pages, ...looks } = await countPages(document, faces);
  const pen = openDrawingPen(pdf, Object.values(fonts));
  const flow = begin({ ...faces, ...looks, pen, pages });
  for await (const _ of draw(flow, false)) yield* taken(pdf);
  invariant(flow.page === pages, 'as many pages are drawn as were counted');
  if (sealed !== null) pen.addSignature(sealed);
  flow.pen.endPages();
  pdf.end();
  yield* taken(pdf);
}

/** Points of text that is larger than it need be. */
const LARGE = 9;

/** Draws with the pen that counts in each setting, and returns the one that is taken. */
async function countPages<Own extends PageFlow>(
  { template, settings = [AMPLE], begin, draw }: PagedDocument<Own>,
  faces: Pick<Drawn, 'regular' | 'bold'>,
): Promise<Pick<Drawn, 'setting' | 'layout' | 'pages' | 'contents'>> {
  let best: Pick<Drawn, 'setting' | 'layout' | 'pages' | 'contents'> | null = null;
  for (const setting of settings) {
    const { mostPages = Number.POSITIVE_INFINITY, isClose } = setting;
    // Who chose large type is not given less.
    if (isClose && template.layout.sizes.body > LARGE) continue;
    // None of them saves more than a page or two.
    if (best !== null && (best.pages === 1 || best.pages > mostPages + 2)) continue;
    const { pen, pages } = openCountingPen();
    const looks = { setting, layout: layoutIn(template.layout, setting), contents: [] };
    for await (const _ of draw(begin({ ...faces, ...looks, pen, pages: 0 }), true));
    const isShorter = best === null || pages() < best.pages;
    if (pages() <= mostPages && isShorter) best = { ...looks, pages: pages() };
  }
  invariant(best !== null, 'one setting is for documents of any length');
  return best;
}

/** The bytes that the document has written since the last call; it keeps none of them. */
function* taken(pdf: PDFKit.PDFDocument): Generator<Uint8Array> {
  const bytes: Uint8Array | null = pdf.read();
  if (bytes !== null) yield bytes;
}

/** An empty document, tagged and ready to be PDF/A-2a. */
async function openPdf({
  info,
  language,
  sealed = null,
}: Pick<PagedDocument<never>, 'info' | 'language' | 'sealed'>): Promise<PDFKit.PDFDocument> {
  // Loaded when the first PDF is written: it takes longer to load than most commands to run.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    subset: 'PDF/A-2a',
    tagged: true,
    lang: language,
    displayTitle: true,
    // No standard font: each would have to be embedded, and none has the sign between thousands.
    font: '',
    // Faces remember glyphs; remembering each word as well would keep every reference of a long
    // ledger.
    fontLayoutCache: false,
    info,
  });
  packObjects(pdf, sealed);
  writeXmp(pdf);
  return pdf;
}

type Fonts = Readonly<Record<'regular' | 'bold', PdfFont>>;

function openFonts(pdf: PDFKit.PDFDocument, { fonts }: StatementTemplate): Fonts {
  const encoding = addEncoding(pdf);
  const open = (name: string, bytes: Uint8Array): PdfFont => {
    pdf.registerFont(name, Buffer.from(bytes));
    pdf.font(name);
    const font = currentFont(pdf);
    nameGlyphs(pdf, font, encoding);
    return font;
  };
  return { regular: open('regular', fonts.regular), bold: open('bold', fonts.bold) };
}
