// The part of pdfkit's embedded font that we draw with, which its published types leave out. Nothing else reaches into it.

/** One glyph's place in a run, in thousandths of the font size. */
interface GlyphPlace {
  readonly xAdvance: number;
  readonly advanceWidth: number;
}

export interface PdfFont {
  /** Its name in a page's resources. */
  readonly id: string;
  /** The glyphs' numbers in the embedded subset, four hexadecimal digits each, in the order in which they are drawn. */
  encode(text: string): readonly [readonly string[], readonly GlyphPlace[]];
  /** The font's object in the file. */
  ref(): unknown;
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
}

/** The font that was selected last with `document.font(…)`. */
export function currentFont(document: PDFKit.PDFDocument): PdfFont {
  return (document as unknown as { readonly _font: PdfFont })._font;
}

/** Makes the font known to the page that is open. */
export function useOnPage(document: PDFKit.PDFDocument, font: PdfFont): void {
  const { fonts } = document.page as unknown as { readonly fonts: Record<string, unknown> };
  fonts[font.id] ??= font.ref();
}
