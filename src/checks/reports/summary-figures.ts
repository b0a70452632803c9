// The figures of a report's summary, one by one, under a name each: lists of members ("by operator") are told apart by
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
}

/** Fields that name a member of a list, the most telling first. */
const NAMING = 'operator operateur senderoperateur country pays status statut day date jour month period'.split(' ');
const NAMING_AT_LAST = 'kind type name nom code key label'.split(' ');

/** Path, joined → figure. Members whose names differ in casing alone are one, and their numbers are added. */
export function figuresOf(summary: Summary): ReadonlyMap<string, SummaryFigure> {
  const figures = new Map<string, SummaryFigure>();
  collect(summary, [], figures);
  return figures;
}

export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

function collect(value: SummaryValue, names: readonly string[], figures: Map<string, SummaryFigure>): void {
  if (Array.isArray(value)) {
    const naming = namingFieldOf(value);
    value.forEach((member, index) => {
      if (naming === null) collect(member, [...names, String(index)], figures);
      else collectMember(member as Summary, naming, { names, figures });
    });
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) collect(inner, [...names, key], figures);
    return;
  }
  add(figures, { name: names.join('.'), path: names.map((name) => name.toLowerCase()), value: value as SummaryScalar });
}

function collectMember(
  member: Summary,
  naming: string,
  at: { readonly names: readonly string[]; readonly figures: Map<string, SummaryFigure> },
): void {
  for (const [key, inner] of Object.entries(member)) {
    if (key !== naming) collect(inner, [...at.names, String(member[naming]), key], at.figures);
  }
}

/** The field that names the members: the first of the known ones that every member has as a text of its own. */
function namingFieldOf(list: readonly SummaryValue[]): string | null {
  const members = list.filter((member) => typeof member === 'object' && member !== null && !Array.isArray(member));
  if (members.length === 0 || members.length < list.length) return null;
  const keys = Object.keys(members[0]!);
  const known = [...NAMING, ...NAMING_AT_LAST].flatMap((name) => keys.find((key) => key.toLowerCase() === name) ?? []);
  return known.find((key) => members.every((member) => typeof (member as Summary)[key] === 'string')) ?? null;
}

function add(figures: Map<string, SummaryFigure>, figure: SummaryFigure): void {
  const key = pathKey(figure.path);
  const known = figures.get(key);
  const [a, b] = [asDecimal(known?.value), asDecimal(figure.value)];
  if (known === undefined) figures.set(key, figure);
  else if (a !== null && b !== null) figures.set(key, { ...known, value: decimalText(a.plus(b)) });
}
