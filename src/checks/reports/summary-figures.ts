// The figures of a report's summary, one by one, under a name each: lists of members ("by operator") are told apart by
// what a member is called, so that two summaries can be laid beside each other whatever the order of their lists.

import { asDecimal, decimalText } from '../../domain/decimal.ts';
import type { Summary, SummaryValue } from '../../domain/service-report.ts';

export type SummaryScalar = string | number | boolean | null;

/** A row of a list that nothing names. */
export interface UnnamedRow {
  /** The list, as a person reads it and in parts. */
  readonly list: string;
  readonly path: readonly string[];
  /** From 1. */
  readonly number: number;
}

export interface SummaryFigure {
  /** As a person reads it: `byOperator.Wave.amount`. */
  readonly name: string;
  /** The same in parts and in lower case ("casing varies, compare in lower case"). */
  readonly path: readonly string[];
  readonly value: SummaryScalar;
  /** The row that it belongs to, where that is known by its place alone: it says of nobody what he has. */
  readonly row: UnnamedRow | null;
}

/** An object or a list, empty ones included, that is not within an unnamed row. */
export interface SummaryHolder {
  readonly name: string;
  readonly path: readonly string[];
  readonly value: SummaryValue;
}

export interface SummaryParts {
  /** Path, joined → figure. Members whose names differ in casing alone are one, and their numbers are added. */
  readonly figures: ReadonlyMap<string, SummaryFigure>;
  readonly holders: readonly SummaryHolder[];
}

/** Fields that name a member of a list, the most telling first. */
const NAMING = 'operator operateur senderoperateur country pays status statut day date jour month period'.split(' ');
const NAMING_AT_LAST = 'kind type name nom code key label'.split(' ');

export function figuresOf(summary: Summary): SummaryParts['figures'] {
  return partsOf(summary).figures;
}

/** In the order of the summary. */
export function partsOf(summary: Summary): SummaryParts {
  const parts: Collected = { figures: new Map(), holders: [] };
  collect(summary, { names: [], row: null }, parts);
  return parts;
}

export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

interface Collected {
  readonly figures: Map<string, SummaryFigure>;
  readonly holders: SummaryHolder[];
}

interface Place {
  readonly names: readonly string[];
  readonly row: UnnamedRow | null;
}

function collect(value: SummaryValue, at: Place, parts: Collected): void {
  const name = at.names.join('.');
  const path = at.names.map((part) => part.toLowerCase());
  if (typeof value !== 'object' || value === null) {
    add(parts.figures, { name, path, value, row: at.row });
    return;
  }
  if (at.row === null) parts.holders.push({ name, path, value });
  if (isList(value)) collectList(value, at, parts);
  else for (const [key, inner] of Object.entries(value)) collect(inner, within(at, key), parts);
}

function collectList(list: readonly SummaryValue[], at: Place, parts: Collected): void {
  const naming = namingFieldOf(list, at.names.at(-1) ?? '');
  for (const [index, member] of list.entries()) {
    const called = naming === null ? null : nameIn(member, naming);
    if (called !== null) {
      const { [naming!]: _, ...rest } = member as Summary;
      collect(rest, within(at, called), parts);
      continue;
    }
    const path = at.names.map((part) => part.toLowerCase());
    const row = at.row ?? { list: at.names.join('.'), path, number: index + 1 };
    // Beside rows with names, a bare number could be taken for one.
    const place = naming === null ? String(index) : `#${index + 1}`;
    collect(member, { names: [...at.names, place], row }, parts);
  }
}

function within({ names, row }: Place, key: string): Place {
  return { names: [...names, key], row };
}

/**
 * The field that names the rows of a list: the one that the list itself is called after (`byOperator`), where any row has
 * it as a text, else the first of the known ones that every row has, else the first that any has.
 */
function namingFieldOf(list: readonly SummaryValue[], listName: string): string | null {
  const keys = [...new Set(list.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))];
  const known = [...NAMING, ...NAMING_AT_LAST]
    .flatMap((name) => keys.find((key) => key.toLowerCase() === name) ?? [])
    .filter((key) => list.some((row) => nameIn(row, key) !== null));
  return (
    known.find((key) => listName.toLowerCase().includes(key.toLowerCase())) ??
    known.find((key) => list.every((row) => nameIn(row, key) !== null)) ??
    known[0] ??
    null
  );
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
