// The figures of a summary of our own form, one by one, under a name each: lists of members ("by operator") are told apart by
// what a member is called, so that two summaries can be laid beside each other whatever the order of their lists.

import { asDecimal, decimalText } from '../../domain/decimal.ts';
import type { Summary, SummaryValue } from '../../domain/service-report.ts';

export type SummaryScalar = string | number | boolean | null;

export interface SummaryFigure {
  /** As a person reads it: `byOperator.Wave.amount`. */
  readonly name: string;
  /** The same in parts and in lower case ("casing varies, compare in lower case"). */
  readonly path: readonly string[];
  readonly value: SummaryScalar;
  /** It belongs to a row that is known by its place alone: it says of nobody what they have. */
  readonly isUnnamed: boolean;
}

/** Fields that name a member of a list. */
const NAMING = ['operator', 'country', 'status', 'day'];

/** Path, joined → figure, in the order of the summary. Names that differ in casing alone are one, their numbers added. */
export function figuresOf(summary: Summary): ReadonlyMap<string, SummaryFigure> {
  const figures = new Map<string, SummaryFigure>();
  collect(summary, { names: [], isUnnamed: false }, figures);
  return figures;
}

export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

interface Place {
  readonly names: readonly string[];
  readonly isUnnamed: boolean;
}

function collect(value: SummaryValue, at: Place, figures: Map<string, SummaryFigure>): void {
  const { names, isUnnamed } = at;
  if (typeof value !== 'object' || value === null) {
    add(figures, { name: names.join('.'), path: names.map((part) => part.toLowerCase()), value, isUnnamed });
  } else if (isList(value)) collectList(value, at, figures);
  else for (const [key, inner] of Object.entries(value)) collect(inner, { names: [...names, key], isUnnamed }, figures);
}

function collectList(
  list: readonly SummaryValue[],
  { names, isUnnamed }: Place,
  figures: Map<string, SummaryFigure>,
): void {
  const naming = namingFieldOf(list, names.at(-1) ?? '');
  for (const [index, member] of list.entries()) {
    const called = naming === null ? null : nameIn(member, naming);
    if (called !== null) {
      const { [naming!]: _, ...rest } = member as Summary;
      collect(rest, { names: [...names, called], isUnnamed }, figures);
      continue;
    }
    // Beside rows with names, a bare number could be taken for one.
    const place = naming === null ? String(index) : `#${index + 1}`;
    collect(member, { names: [...names, place], isUnnamed: true }, figures);
  }
}

/** The field that the list is called after (`byOperator`), where any row has it as a text, else the first that any has. */
function namingFieldOf(list: readonly SummaryValue[], listName: string): string | null {
  const known = NAMING.filter((key) => list.some((row) => nameIn(row, key) !== null));
  return known.find((key) => listName.toLowerCase().includes(key)) ?? known[0] ?? null;
}

function nameIn(row: SummaryValue, field: string): string | null {
  const name = isObject(row) ? row[field] : null;
  return typeof name === 'string' && name.trim() !== '' ? name : null;
}

function isList(value: SummaryValue): value is readonly SummaryValue[] {
  return Array.isArray(value);
}

function isObject(value: SummaryValue): value is Summary {
  return typeof value === 'object' && value !== null && !isList(value);
}

function add(figures: Map<string, SummaryFigure>, figure: SummaryFigure): void {
  const key = pathKey(figure.path);
  const known = figures.get(key);
  if (known === undefined || known.value === null) {
    figures.set(key, figure);
    return;
  }
  const [a, b] = [asDecimal(known.value), asDecimal(figure.value)];
  // What is no number cannot be added, and must not hide behind one.
  if (a !== null && b !== null) figures.set(key, { ...known, value: decimalText(a.plus(b)) });
  else if (a !== null && figure.value !== null) figures.set(key, { ...known, value: figure.value });
}
