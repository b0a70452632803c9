// A month of few operations is a short document, in both languages: the quick part of
// page-counts.test, of books in memory.

import { afterAll, expect, test } from 'vitest';
import { COUNTED, countedBooks } from '../support/counted-books.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, stateBooks } from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

test.skipIf(!areInstalled('pdftotext')).each([
  [0, 1],
  [1, 2],
  [10, 2],
])('of %i operations it has at most %i pages', async (operations, most) => {
  const counted = COUNTED.find((one) => one.operations === operations && !one.withLinks)!;
  const document = documentOf(
    await stateBooks(decodeBooks(countedBooks(counted)), { period: '2026-10' }),
  );
  for (const language of ['fr', 'en'] as const)
    expect(pagesOf(await folder.write(document, { language })).length).toBeLessThanOrEqual(most);
});
