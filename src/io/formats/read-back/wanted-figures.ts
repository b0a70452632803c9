// Documents laid out for people: the figures of the summary must be in them as numbers. Its single figures must stand
// together in one place, a sheet or a page and the next, so that a ledger that happens to hold the right number does not
// hide a wrong one on the first page. Which number stands beside which word is not judged here.

import { figuresIn } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import type { FigureDifference } from './read-back.ts';

/** Plain digits, with `-` for a minus → where the summary has that number. */
type Figures = ReadonlyMap<string, readonly string[]>;

export interface FigureSearch {
  readonly together: Figures;
  /** Those of lists: by operator, country and day. */
  readonly anywhere: Figures;
  readonly seen: Set<string>;
  /** The single figures that the best place so far does not have. */
  missing: readonly string[];
}

/** For every number of a statement's summary but those left out, and for its payments by link by operator and country. */
export function searchOf(
  { summary, paymentsByLink }: Statement,
  leftOut: readonly (keyof StatementSummary)[] = [],
): FigureSearch {
  if (paymentsByLink === null) return beginSearch(summary, leftOut);
  const { paymentCount, totalAmount, byOperator, byCountry } = paymentsByLink.summary;
  const ofLinks = [{ name: 'total', count: paymentCount, amount: totalAmount }, ...byOperator, ...byCountry];
  return beginSearch({ ...summary, paymentsByLink: ofLinks }, leftOut);
}

/** For every number of the summary but those under the keys left out. Words are not looked for. */
export function beginSearch(summary: object, leftOut: readonly (keyof StatementSummary)[] = []): FigureSearch {
  const kept = Object.entries(summary).filter(([key]) => !(leftOut as readonly string[]).includes(key));
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

/** Notes a number in the place that is being read, if anybody looks for it. */
export function seeNumber(search: FigureSearch, place: Set<string>, digits: string): void {
  if (search.together.has(digits)) place.add(digits);
  if (search.anywhere.has(digits)) search.seen.add(digits);
}

export function leavePlace(search: FigureSearch, ...place: readonly ReadonlySet<string>[]): void {
  const missing = [...search.together.keys()].filter((digits) => !place.some((part) => part.has(digits)));
  if (missing.length < search.missing.length) search.missing = missing;
}

export function foundAll(search: FigureSearch): boolean {
  return search.missing.length === 0 && search.seen.size === search.anywhere.size;
}

export function missingFigures(search: FigureSearch): readonly FigureDifference[] {
  const unseen = [...search.anywhere.keys()].filter((digits) => !search.seen.has(digits));
  return [
    ...search.missing.flatMap((stated) => differencesOf(stated, search.together)),
    ...unseen.flatMap((stated) => differencesOf(stated, search.anywhere)),
  ];
}

function differencesOf(stated: string, figures: Figures): readonly FigureDifference[] {
  return figures.get(stated)!.map((figure) => ({ figure, stated, found: null }));
}
