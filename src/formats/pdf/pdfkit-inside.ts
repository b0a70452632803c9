// What we use of pdfkit that its published types leave out: its embedded font, open bookmarks, metadata of our own. Nothing
// else reaches into it.

import type { FontResource } from './pen.ts';

/** One glyph's place in a run, in thousandths of the font size. */
interface GlyphPlace {
  readonly xAdvance: number;
  readonly advanceWidth: number;
}

export interface PdfFont extends FontResource {
  /** The glyphs' numbers in the embedded subset, four hexadecimal digits each, in the order in which they are drawn. */
  encode(text: string): readonly [readonly string[], readonly GlyphPlace[]];
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
}

/** The font that was selected last with `document.font(…)`. */
export function currentFont(document: PDFKit.PDFDocument): PdfFont {
  return (document as unknown as { readonly _font: PdfFont })._font;
}

/** Makes the font known to the page that is open. */
export function useOnPage(document: PDFKit.PDFDocument, font: FontResource): void {
  const { fonts } = document.page as unknown as { readonly fonts: Record<string, unknown> };
  fonts[font.id] ??= font.ref();
}

/** Bookmarks stand open: PDF/A wants their number in the root, which pdfkit writes only then. */
export function openBookmarks(document: PDFKit.PDFDocument): void {
  (document.outline as unknown as { options: object }).options = { expanded: true };
}

/** `xmp` is asked when the document ends. */
export function replaceXmp(document: PDFKit.PDFDocument, xmp: () => string): void {
  const internals = document as unknown as { _addInfo: () => void; appendXML: (xml: string) => void };
  internals._addInfo = () => internals.appendXML(xmp());
}
