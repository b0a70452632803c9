// What a format writes, taken up in memory.

import { PassThrough } from 'node:stream';
import type { StatementDocument, StatementFormat } from '../../src/formats/format.ts';

export async function bytesOf(format: StatementFormat, document: StatementDocument, language: 'fr' | 'en' = 'fr') {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on('data', (chunk: Buffer) => chunks.push(chunk));
  await format.write(document, { language, verifyAt: null }, out);
  return Buffer.concat(chunks);
}
