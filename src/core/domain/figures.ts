// The named values that a finding's sentence is made of. Amounts, sequences and counts are whole
// numbers, instants are ISO 8601 texts in UTC. No sentence is made here or in a check; the room
// `words` makes them, in each language.

import { printable } from './printable.ts';

export type Figure = string | number | bigint | boolean | null | readonly Figure[] | NamedFigures;
export interface NamedFigures {
  readonly [name: string]: Figure;
}

/**
 * Figures as a report holds them: every number is a decimal string, because it may pass 2^53, and
 * no text acts on the terminal or page that shows it.
 */
export type Reported<F> = F extends number | bigint
  ? string
  : F extends readonly (infer One)[]
    ? readonly Reported<One>[]
    : F extends object
      ? { readonly [Name in keyof F]: Reported<F[Name]> }
      : F;
export type ReportedFigure = string | boolean | null | readonly ReportedFigure[] | ReportedFigures;
export interface ReportedFigures {
  readonly [name: string]: ReportedFigure;
}

export function reportFigures(figures: NamedFigures): ReportedFigures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, reportFigure(figure)]),
  );
}

function reportFigure(figure: Figure): ReportedFigure {
  if (typeof figure === 'string') return printable(figure);
  if (typeof figure === 'number' || typeof figure === 'bigint') return figure.toString();
  if (typeof figure === 'boolean' || figure === null) return figure;
  return isList(figure) ? figure.map(reportFigure) : reportFigures(figure);
}

/** `Array.isArray` that also narrows readonly lists. */
export function isList<Value>(value: Value): value is Extract<Value, readonly unknown[]> {
  return Array.isArray(value);
}
