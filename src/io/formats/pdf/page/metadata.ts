// The metadata of a PDF, twice over: as information dictionary and as XMP, which PDF/A wants to
// agree. pdfkit writes texts into the XMP as they are, so that an `&` in a name breaks the file;
// here they are escaped.

import type { Instant } from '../../../../core/domain/instant.ts';
import { cutTo, oneLine } from '../../port/one-line.ts';
import { visibleText } from '../../port/xml-text.ts';
import { replaceXmp } from './pdfkit-inside.ts';

/** The same for the same document: `at` is both dates. */
export function documentInfo(document: {
  readonly title: string;
  readonly subject: string;
  readonly hash: string;
  readonly engine: string;
  readonly at: Instant;
}): PDFKit.DocumentInfo {
  const { title, subject, hash, engine } = document;
  const at = new Date(document.at - (document.at % 1_000));
  return {
    Title: shown(title),
    Author: engine,
    Subject: shown(subject),
    Keywords: hash,
    Creator: engine,
    Producer: `${engine}, PDFKit`,
    CreationDate: at,
    ModDate: at,
  };
}

/** Puts our XMP in the place of pdfkit's own, for this document. */
export function writeXmp(document: PDFKit.PDFDocument): void {
  replaceXmp(document, () => xmpOf(document.info));
}

function xmpOf(info: PDFKit.DocumentInfo): string {
  const text = (value: unknown): string =>
    String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const date = (value: unknown): string => `${(value as Date).toISOString().slice(0, 19)}Z`;
  return `
  <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
    <xmp:CreateDate>${date(info.CreationDate)}</xmp:CreateDate>
    <xmp:ModifyDate>${date(info.ModDate)}</xmp:ModifyDate>
    <xmp:CreatorTool>${text(info.Creator)}</xmp:CreatorTool>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${text(info.Title)}</rdf:li></rdf:Alt></dc:title>
    <dc:creator><rdf:Seq><rdf:li>${text(info.Author)}</rdf:li></rdf:Seq></dc:creator>
    <dc:description><rdf:Alt><rdf:li xml:lang="x-default">${text(info.Subject)}</rdf:li></rdf:Alt></dc:description>
  </rdf:Description>
  <rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
    <pdf:Producer>${text(info.Producer)}</pdf:Producer>
    <pdf:Keywords>${text(info.Keywords)}</pdf:Keywords>
  </rdf:Description>`;
}

/** At most 200 characters, without those that XML and text fields cannot hold. */
const shown = (text: string): string => cutTo(visibleText(oneLine(text)), 200);
