// What several pages have alike: rules, bands, the head and the foot of the pages of a long table stand in the file once, and
// each page shows them from there.

import { deflateSync } from 'node:zlib';
import { addForm, type PdfFont, type Reference, showForm } from '../pdfkit-inside.ts';

interface Forms {
  /** What a page shows of what was drawn for it: that itself, or the place where it stands. */
  shown(drawn: Uint8Array): Uint8Array;
}

/** Of a whole statement there are not as many. */
const MOST_REMEMBERED = 50;

export function openForms(document: PDFKit.PDFDocument, fonts: readonly PdfFont[]): Forms {
  // Null: on one page so far.
  const known = new Map<string, Form | null>();
  let count = 0;
  const formOf = (key: string, drawn: Uint8Array): Form | null => {
    const form = known.get(key);
    if (form === undefined) {
      if (known.size >= MOST_REMEMBERED) known.clear();
      known.set(key, null);
      return null;
    }
    if (form !== null) return form;
    count += 1;
    const added = { name: `X${count}`, reference: addForm(document, { fonts, deflated: deflateSync(drawn) }) };
    known.set(key, added);
    return added;
  };
  return {
    shown: (drawn) => {
      const form = formOf(Buffer.from(drawn).toString('latin1'), drawn);
      if (form === null) return drawn;
      showForm(document, form.name, form.reference);
      return Buffer.from(`/${form.name} Do\n`, 'latin1');
    },
  };
}

interface Form {
  readonly name: string;
  readonly reference: Reference;
}
