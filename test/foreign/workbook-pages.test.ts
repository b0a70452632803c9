// The workbook on paper: how many pages LibreOffice prints of a month of some 950 lines, and that
// every page of a long sheet has its titles.

import { expect, test } from 'vitest';
import { formatNamed } from '../../src/io/formats/register.ts';
import { COUNTED, countedBooks } from '../support/counted-books.ts';
import { hasLibreOffice, printed } from '../support/libre-office.ts';
import { documentOf, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

/** The entries, a row for each side, are the most of them. */
const MOST_PAGES = 65;

test.skipIf(!hasLibreOffice)(
  'a month of 455 operations prints on no more pages than its rows need, each list under its titles',
  async () => {
    const counted = COUNTED.find((one) => one.operations === 455 && !one.withLinks)!;
    const books = decodeBooks(countedBooks(counted));
    const document = documentOf(await stateBooks(books, { period: '2026-10' }));
    const write = (language: 'fr' | 'en') => bytesOf(formatNamed('xlsx')!, document, { language });
    const texts = await printed({ fr: await write('fr'), en: await write('en') });
    for (const text of Object.values(texts)) {
      const pages = text.split('\f').slice(0, -1);
      const untitled = pages.filter(
        (page) =>
          (page.match(/GUI-C[IO]-/g)?.length ?? 0) > 10 &&
          !/R[ée]f[ée]rence|Pièce|Piece|Document/.test(page),
      );
      expect(pages.length).toBeLessThanOrEqual(MOST_PAGES);
      expect(untitled).toEqual([]);
    }
  },
  90_000,
);
