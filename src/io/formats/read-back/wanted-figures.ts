// Documents laid out for people, pages and workbooks: the figures of the summary must be in them as
// numbers. Its single figures must be together in one place, a sheet, or the first page with one of
// the next and the one after it, so that a ledger that happens to hold the right number does not
// hide a wrong one on the first page. Which word a number belongs to is not judged here.

import { Readable } from 'node:stream';
import { figuresIn } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { type FigureDifference, type ReadBack, wholeOf } from './read-back.ts';

/** Plain digits, with `-` for a minus → where the summary has that number. */
type Figures = ReadonlyMap<string, readonly string[]>;

interface FigureSearch {
  readonly together: Figures;
  /** Those of lists: by operator, country and day. */
  readonly anywhere: Figures;
  readonly seen: Set<string>;
  /** The single figures that the best place so far does not have. */
  missing: readonly string[];
}

/**
 * For every number of a statement's summary but those left out, and for its payments by link by
 * operator and country.
 */
function searchOf(
  { summary, paymentsByLink }: Statement,
  leftOut: readonly (keyof StatementSummary)[] = [],
): FigureSearch {
  if (paymentsByLink === null) return beginSearch(summary, leftOut);
  const { paymentCount, totalAmount, byOperator, byCountry } = paymentsByLink.summary;
  const { opening = 0, closing = 0 } = paymentsByLink.account ?? {};
  const ofAccount = [{ name: 'account', opening, closing }];
  const ofLinks = [
    { name: 'total', count: paymentCount, amount: totalAmount },
    ...byOperator,
    ...byCountry,
    ...ofAccount,
  ];
  return beginSearch({ ...summary, paymentsByLink: ofLinks }, leftOut);
}

/** For every number of the summary but those under the keys left out. Words are not looked for. */
function beginSearch(
  summary: object,
  leftOut: readonly (keyof StatementSummary)[] = [],
): FigureSearch {
  const kept = Object.entries(summary).filter(
    ([key]) => !(leftOut as readonly string[]).includes(key),
  );
  const together = numbersOf(Object.fromEntries(kept.filter(([, value]) => !Array.isArray(value))));
  const anywhere = numbersOf(Object.fromEntries(kept.filter(([, value]) => Array.isArray(value))));
  return { together, anywhere, seen: new Set(), missing: [...together.keys()] };
}

function numbersOf(summary: object): Figures {
  const numbers = new Map<string, readonly string[]>();
  for (const [figure, text] of figuresIn(summary)) {
    if (text === null || !/^-?\d+$/.test(text)) continue;
    numbers.set(text, [...(numbers.get(text) ?? []), figure]);
  }
  return numbers;
}

/** Notes a number that is searched for, in the place that is being read. */
function seeNumber(search: FigureSearch, place: Set<string>, digits: string): void {
  if (search.together.has(digits)) place.add(digits);
  if (search.anywhere.has(digits)) search.seen.add(digits);
}

function leavePlace(search: FigureSearch, ...place: readonly ReadonlySet<string>[]): void {
  const missing = [...search.together.keys()].filter(
    (digits) => !place.some((part) => part.has(digits)),
  );
  if (missing.length < search.missing.length) search.missing = missing;
}

function foundAll(search: FigureSearch): boolean {
  return search.missing.length === 0 && search.seen.size === search.anywhere.size;
}

function missingFigures(search: FigureSearch): readonly FigureDifference[] {
  const unseen = [...search.anywhere.keys()].filter((digits) => !search.seen.has(digits));
  return [
    ...search.missing.flatMap((stated) => differencesOf(stated, search.together)),
    ...unseen.flatMap((stated) => differencesOf(stated, search.anywhere)),
  ];
}

function differencesOf(stated: string, figures: Figures): readonly FigureDifference[] {
  return figures.get(stated)!.map((figure) => ({ figure, stated, found: null }));
}

const NOT_PRINTED: readonly (keyof StatementSummary)[] = [
  'byOperator',
  'byCountry',
  'byDay',
  'chainHead',
];

/**
 * Reads the text of a PDF back. Its tables of operators and days count ledger lines, so the
 * summary's collections by operator, country and day are not in it; its chain head is there as the
 * short hash's origin, not in full.
 */
export const readPdf: ReadBack = (file, { statement }) => {
  const { fees, disbursed } = statement.summary;
  // The first page shows what they did to the balance.
  const summary = { ...statement.summary, fees: 0 - fees, disbursed: 0 - disbursed };
  return readPages(file, searchOf({ ...statement, summary }, NOT_PRINTED));
};

/** An attestation has the three balances at the end of its day. */
export const readAttestation: ReadBack = (file, { statement: { summary, due } }) =>
  readPages(
    file,
    beginSearch({ recorded: summary.recorded, due: summary.due, recomputed: due.recomputed }),
  );

/**
 * The last page on which the key figures that the first page lacks may begin: a letter to the
 * service may lie between.
 */
const KEY_FIGURES = 4;

async function readPages(
  file: AsyncIterable<Uint8Array>,
  search: FigureSearch,
): Promise<readonly FigureDifference[]> {
  // Loaded when it is needed: it is large, and most commands never read a PDF.
  const { getDocumentProxy } = await import('unpdf');
  const pdf = await getDocumentProxy(await wholeOf(file), { verbosity: 0 });
  let first: ReadonlySet<string> | undefined;
  let before: ReadonlySet<string> = new Set();
  for (let number = 1; number <= pdf.numPages && !foundAll(search); number++) {
    const page = new Set<string>();
    // With its marks, the cells of a tagged table come apart, also where they are close.
    const { items } = await (await pdf.getPage(number)).getTextContent({
      includeMarkedContent: true,
    });
    for (const item of items) {
      if ('str' in item) for (const digits of numbersIn(item.str)) seeNumber(search, page, digits);
    }
    first ??= page;
    leavePlace(search, number <= KEY_FIGURES ? first : page, before, page);
    before = page;
  }
  await pdf.loadingTask.destroy();
  return missingFigures(search);
}

/**
 * After a minus or none: digits in groups of three, with one and the same sign or space between
 * them, or ungrouped.
 */
const NUMBER =
  /(?<![\d.,])[−-]?(?:\d{1,3}([ \u00a0\u202f\u2009,.'’])\d{3}(?:\1\d{3})*|\d+)(?!\d)/gu;

/** `−12 345` → `-12345`. Whole numbers only: decimals are a number of their own here. */
export function numbersIn(text: string): readonly string[] {
  return [...text.matchAll(NUMBER)].map(([found]) =>
    found.replace('−', '-').replace(/[^\d-]/gu, ''),
  );
}

export const readXlsx: ReadBack = async (file, { statement }) => {
  const search = searchOf(statement);
  // Loaded when it is needed: it is large, and most commands never read a workbook.
  const { default: exceljs } = await import('exceljs');
  const workbook = new exceljs.stream.xlsx.WorkbookReader(Readable.from(file), {
    entries: 'emit',
    worksheets: 'emit',
    sharedStrings: 'ignore',
    styles: 'ignore',
    hyperlinks: 'ignore',
  });
  // A workbook written as a stream has its sheets before its list of sheets and texts. The reader
  // would wait for those in temporary files, and break; only numbers are wanted, so it is made to
  // believe that it has them.
  Object.assign(workbook, { model: { sheets: [] }, workbookRels: [], sharedStrings: [] });
  for await (const sheet of workbook) {
    const place = new Set<string>();
    for await (const row of sheet) {
      row.eachCell((cell) => {
        const shown = cell.formula === undefined ? cell.value : cell.result;
        if (typeof shown === 'number') seeNumber(search, place, String(shown));
      });
    }
    leavePlace(search, place);
  }
  return missingFigures(search);
};
