// Opens a PDF of any of our documents: A4, tagged, with its fonts inside, and takes its bytes away as they are written.

import type { Language } from '../../../core/statements/statement.ts';
import type { StatementTemplate } from '../template.ts';
import { writeXmp } from './metadata.ts';
import { addEncoding, currentFont, nameGlyphs, type PdfFont, packObjects } from './pdfkit-inside.ts';

/** What the document has written so far; it keeps nothing of it. */
export function* taken(pdf: PDFKit.PDFDocument): Generator<Uint8Array> {
  const bytes: Uint8Array | null = pdf.read();
  if (bytes !== null) yield bytes;
}

/** An empty document, tagged and ready to be PDF/A-2a. */
export async function openPdf({
  info,
  language,
}: {
  readonly info: PDFKit.DocumentInfo;
  readonly language: Language;
}): Promise<PDFKit.PDFDocument> {
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
    // Faces remember glyphs; remembering each word as well would keep every reference of a long ledger.
    fontLayoutCache: false,
    info,
  });
  packObjects(pdf);
  writeXmp(pdf);
  return pdf;
}

export interface Fonts {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
}

export function openFonts(pdf: PDFKit.PDFDocument, { fonts }: StatementTemplate): Fonts {
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
