// Reads the text of a PDF back. Its tables of operators and days count ledger lines, so the summary's collections by
// operator, country and day are not in it; its chain head is there as the short hash's origin, not in full.

import type { StatementSummary } from '../../../core/statements/summary.ts';
import { type FigureDifference, type ReadBack, wholeOf } from './read-back.ts';
import {
  beginSearch,
  type FigureSearch,
  foundAll,
  leavePlace,
  missingFigures,
  searchOf,
  seeNumber,
} from './wanted-figures.ts';

const NOT_PRINTED: readonly (keyof StatementSummary)[] = ['byOperator', 'byCountry', 'byDay', 'chainHead'];

export const readPdf: ReadBack = (file, { statement }) => readPages(file, searchOf(statement, NOT_PRINTED));

/** An attestation has the three balances at the end of its day. */
export const readAttestation: ReadBack = (file, { statement: { summary, due } }) =>
  readPages(file, beginSearch({ recorded: summary.recorded, due: summary.due, recomputed: due.recomputed }));

async function readPages(file: AsyncIterable<Uint8Array>, search: FigureSearch): Promise<readonly FigureDifference[]> {
  // Loaded when it is needed: it is large, and most commands never read a PDF.
  const { getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(await wholeOf(file), { verbosity: 0 });
  let before: ReadonlySet<string> = new Set();
  for (let number = 1; number <= pdf.numPages && !foundAll(search); number++) {
    const page = new Set<string>();
    // With its marks, the cells of a tagged table come apart, however close they stand.
    const { items } = await (await pdf.getPage(number)).getTextContent({ includeMarkedContent: true });
    for (const item of items) {
      if ('str' in item) for (const digits of numbersIn(item.str)) seeNumber(search, page, digits);
    }
    leavePlace(search, before, page);
    before = page;
  }
  await pdf.loadingTask.destroy();
  return missingFigures(search);
}

/** After a minus or none: digits in groups of three, with one and the same sign or space between them, or ungrouped. */
const NUMBER = /(?<![\d.,])[−-]?(?:\d{1,3}([ \u00a0\u202f\u2009,.'’])\d{3}(?:\1\d{3})*|\d+)(?!\d)/gu;

/** `−12 345` → `-12345`. Whole numbers only: what follows a decimal sign is a number of its own here. */
export function numbersIn(text: string): readonly string[] {
  return [...text.matchAll(NUMBER)].map(([found]) => found.replace('−', '-').replace(/[^\d-]/gu, ''));
}
