// PDF as a format: the statement on pages, for people. What draws them is loaded when the first document is written.

import type { StatementFormat } from '../port/format.ts';

export const pdfFormat: StatementFormat = {
  name: 'pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  write: async (document, options, out) => {
    const { writePdf } = await import('./write-pdf.ts');
    await writePdf(document, options, out);
  },
};
