// Gives a document the hash that is printed on it: over everything that any form of it shows, but for the hash itself.

import { createHash } from 'node:crypto';
import type { StatementDocument } from '../../../io/formats/port/format.ts';

/** Reads its lines and operations once. Words and layout are the template's: the hash is the same in both languages. */
export async function sealDocument(document: StatementDocument): Promise<StatementDocument> {
  const { statement } = document;
  const { documentHash: _, ...integrity } = statement.integrity;
  const hash = createHash('sha256').update(JSON.stringify({ ...statement, integrity }));
  // One by one: batches are cut as the source pleases.
  for await (const lines of document.lines()) for (const line of lines) hash.update(`\n${JSON.stringify(line)}`);
  for await (const some of document.operations()) for (const one of some) hash.update(`\n${JSON.stringify(one)}`);
  const documentHash = hash.digest('hex');
  return { ...document, statement: { ...statement, integrity: { ...integrity, documentHash } } };
}
