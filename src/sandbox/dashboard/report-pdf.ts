// The file behind a report: one page of PDF with its figures, made by hand. The same report always gives the same bytes.

import type { ServedReport } from './served-dashboard.ts';

/** A whole PDF document, ASCII only. */
export function reportPdf({ period, summary }: Pick<ServedReport, 'period' | 'summary'>): Buffer {
  const lines = [
    `Rapport mensuel ${period}`,
    `Paiements : ${summary?.paymentCount ?? 0}`,
    `Montant : ${summary?.totalAmount ?? 0} ${summary?.currency ?? ''}`,
  ];
  const text = lines.map((line, i) => `1 0 0 1 72 ${760 - 24 * i} Tm (${line}) Tj`).join('\n');
  const content = `BT /F1 14 Tf\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}
