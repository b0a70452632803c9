// The parts of pdfkit that its published types leave out: its embedded font, open bookmarks,
// metadata of our own, and objects as they end, which we write in a form of file that it does not
// know. No other file reaches into it.

import type { Instant } from '../../../../core/domain/instant.ts';
import type { Seal } from '../../../seals/seal.ts';
import { ENCODING_NAME, encodingMap, unicodeMap } from './glyph-codes.ts';
import { openObjectFile } from './object-file.ts';
import type { FontResource } from './pen.ts';

/** One glyph's place in a run, in thousandths of the font size. */
interface GlyphPlace {
  readonly xAdvance: number;
  readonly advanceWidth: number;
}

export interface Reference {
  readonly id: number;
  readonly data: Record<string, unknown>;
  compress: boolean;
  write(bytes: Uint8Array): void;
  end(content?: Uint8Array): void;
}

export interface PdfFont extends FontResource {
  /**
   * The glyphs' numbers in the embedded subset, four hexadecimal digits each, in the order in which
   * they are drawn.
   */
  encode(
    text: string,
    features?: readonly string[],
  ): readonly [readonly string[], readonly GlyphPlace[]];
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
}

/** The font that was selected last with `document.font(…)`. */
export function currentFont(document: PDFKit.PDFDocument): PdfFont {
  return (document as unknown as { readonly _font: PdfFont })._font;
}

function addObject(document: PDFKit.PDFDocument, data: object): Reference {
  return document.ref(data) as unknown as Reference;
}

/** For every font of the document. */
export function addEncoding(document: PDFKit.PDFDocument): Reference {
  const CIDSystemInfo = {
    Registry: new String('Adobe'),
    Ordering: new String('Identity'),
    Supplement: 0,
  };
  const encoding = addObject(document, {
    Type: 'CMap',
    CMapName: ENCODING_NAME,
    CIDSystemInfo,
    WMode: 0,
  });
  encoding.end(Buffer.from(encodingMap()));
  return encoding;
}

/**
 * Pages name the font's glyphs by codes of ours, in the place of two bytes for each. Call before it
 * is drawn with.
 */
export function nameGlyphs(document: PDFKit.PDFDocument, font: PdfFont, encoding: Reference): void {
  const inner = font as unknown as {
    readonly unicode: readonly (readonly number[])[];
    toUnicodeCmap: () => Reference;
    ref(): Reference;
  };
  inner.toUnicodeCmap = () => {
    const map = addObject(document, {});
    map.end(Buffer.from(unicodeMap(inner.unicode)));
    return map;
  };
  const dictionary = inner.ref();
  const end = dictionary.end.bind(dictionary);
  dictionary.end = () => {
    dictionary.data.Encoding = encoding;
    end();
  };
}

/** Makes the font known to the page that is open. */
export function useOnPage(document: PDFKit.PDFDocument, font: FontResource): void {
  const { fonts } = document.page as unknown as { readonly fonts: Record<string, unknown> };
  fonts[font.id] ??= font.ref();
}

/** Gives the element content on the page that is open; returns the number to mark it with. */
export function markContent(
  document: PDFKit.PDFDocument,
  element: PDFKit.PDFStructureElement,
  tag: string,
): number {
  const content = document.markStructureContent(tag);
  element.add(content);
  document.endMarkedContent();
  return (content as unknown as { readonly refs: readonly [{ readonly mcid: number }] }).refs[0]
    .mcid;
}

interface OpenPage {
  readonly width: number;
  readonly height: number;
  readonly content: Reference;
  readonly xobjects: Record<string, Reference>;
}

const pageOf = (document: PDFKit.PDFDocument): OpenPage => document.page as unknown as OpenPage;

/** All content of the page that is open, compressed already. */
export function writeContent(document: PDFKit.PDFDocument, deflated: Uint8Array): void {
  writeDeflated(pageOf(document).content, deflated);
}

function writeDeflated(reference: Reference, deflated: Uint8Array): void {
  reference.compress = false;
  reference.data.Filter = 'FlateDecode';
  reference.write(deflated);
}

/** Content for several pages as large as the one that is open, compressed already. */
export function addForm(
  document: PDFKit.PDFDocument,
  { fonts, deflated }: { readonly fonts: readonly FontResource[]; readonly deflated: Uint8Array },
): Reference {
  const { width, height } = pageOf(document);
  const Font = Object.fromEntries(fonts.map((font) => [font.id, font.ref()]));
  const BBox = [0, 0, width, height];
  const form = addObject(document, { Type: 'XObject', Subtype: 'Form', BBox, Resources: { Font } });
  writeDeflated(form, deflated);
  form.end();
  return form;
}

/** Makes the form known to the page that is open. */
export function showForm(document: PDFKit.PDFDocument, name: string, form: Reference): void {
  pageOf(document).xobjects[name] = form;
}

/** Bookmarks are expanded: PDF/A wants their number in the root, which pdfkit writes only then. */
export function openBookmarks(document: PDFKit.PDFDocument): void {
  (document.outline as unknown as { options: object }).options = { expanded: true };
}

/** `xmp` is called when the document ends. */
export function replaceXmp(document: PDFKit.PDFDocument, xmp: () => string): void {
  const internals = document as unknown as {
    _addInfo: () => void;
    appendXML: (xml: string) => void;
  };
  internals._addInfo = () => internals.appendXML(xmp());
}

interface Writing {
  readonly _offsets: unknown[];
  readonly _root: Reference;
  readonly _info: Reference;
  readonly _id: Uint8Array;
  _write: (piece: string | Uint8Array) => void;
  _refEnd: (reference: Reference) => void;
  _finalize: () => void;
  endAcroForm: () => void;
  push(bytes: Uint8Array | null): void;
}

/**
 * Call before the first drawing: objects that end from now on go into packs, and the file has only
 * a packed table.
 */
export function packObjects(document: PDFKit.PDFDocument, sealed: Sealed | null): void {
  // Drop the head that pdfkit has written: the file gets another one.
  document.read();
  const writing = document as unknown as Writing;
  const file = openObjectFile({
    newId: () => writing._offsets.push(null),
    write: (bytes) => writing.push(bytes),
    signing: sealed?.seal.open() ?? null,
  });
  const refEnd = writing._refEnd.bind(document);
  let pieces: (string | Uint8Array)[] = [];
  writing._write = (piece) => pieces.push(piece);
  writing._refEnd = (reference) => {
    const [, dictionary, , content] = pieces as [string, string | number, string, Uint8Array?];
    pieces = [];
    // A signature comes last, when the bytes that it covers are known.
    if (signatures.get(document) !== reference) {
      if (content === undefined) file.add(reference.id, String(dictionary));
      else file.addStream(reference.id, String(dictionary), content);
    }
    refEnd(reference);
  };
  writing._finalize = () => {
    const identity = Buffer.from(writing._id).toString('hex');
    const { _root: root, _info: info } = writing;
    const keys = `/Root ${root.id} 0 R/Info ${info.id} 0 R/ID[<${identity}><${identity}>]`;
    const signature = signatures.get(document);
    if (sealed === null || signature === undefined) file.end(keys);
    else file.endSigned(keys, { id: signature.id, ...signatureOf(sealed) });
    writing.push(null);
  };
}

/** By what a document is sealed, and the instant that it states for it. */
export interface Sealed {
  readonly seal: Seal;
  readonly at: Instant;
}

/** The signature of each document that has one. */
const signatures = new WeakMap<PDFKit.PDFDocument, Reference>();

/**
 * Adds a signature field without a size to the page that is open, as an element of the structure,
 * with the appearance and the flags that PDF/A asks of it. Call after `packObjects` with a seal.
 */
export function addSignatureField(
  document: PDFKit.PDFDocument,
  element: PDFKit.PDFStructureElement,
  { seal }: Sealed,
): void {
  const signature = addObject(document, {});
  signatures.set(document, signature);
  signature.end();
  const form = addObject(document, { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 0, 0] });
  form.end(Buffer.from('q Q'));
  const annotations = document.page as unknown as { readonly annotations: readonly Reference[] };
  document.annotate(0, 0, 0, 0, {
    Subtype: 'Widget',
    FT: 'Sig',
    T: new String('Seal'),
    TU: new String(seal.name),
    F: PRINTED_AND_LOCKED,
    V: signature,
    AP: { N: form },
    structParent: element,
  } as PDFKit.Mixins.AnnotationOption);
  const writing = document as unknown as Writing;
  writing._root.data.AcroForm = { Fields: [annotations.annotations.at(-1)], SigFlags: 3 };
  // pdfkit knows forms with fields of its own alone.
  writing.endAcroForm = () => {};
}

const PRINTED_AND_LOCKED = 4 + 128;

/** The keys of a signature's dictionary as PAdES wants them: the time is here and not inside. */
function signatureOf({ seal, at }: Sealed): { readonly keys: string; readonly room: number } {
  const time = new Date(at).toISOString().replaceAll(/[-:T]|\..*/g, '');
  const name = Buffer.from(`\ufeff${seal.name}`, 'utf16le').swap16().toString('hex');
  const kind = '/Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached';
  return { keys: `${kind}/M(D:${time}Z)/Name<${name}>`, room: seal.room };
}
