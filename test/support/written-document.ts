// Collects in memory what a format writes.

import { PassThrough } from 'node:stream';
import type {
  FormatOptions,
  StatementDocument,
  StatementFormat,
} from '../../src/io/formats/port/format.ts';
import {
  DEFAULT_TEMPLATE_FOLDER,
  loadTemplate,
} from '../../src/service/templates/load-template.ts';

/** The template that comes with pointage. */
export const TEMPLATE = loadTemplate(DEFAULT_TEMPLATE_FOLDER);

export async function bytesOf(
  format: Pick<StatementFormat, 'write'>,
  document: StatementDocument,
  options: Partial<FormatOptions> = {},
): Promise<Buffer> {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on('data', (chunk: Buffer) => chunks.push(chunk));
  await format.write(
    document,
    { language: 'fr', verifyAt: null, template: TEMPLATE, ...options },
    out,
  );
  return Buffer.concat(chunks);
}
