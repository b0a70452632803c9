// Finds the figures of a report's summary by the keys that are mapped, and lists what it cannot
// read under them. Numbers under other keys are listed too, so that they can be mapped; they are
// not used.

import { asDecimal, type Decimal } from '../../../domain/decimal.ts';
import { isList } from '../../../domain/figures.ts';
import { PAYMENT_STATUSES } from '../../../domain/payment.ts';
import type { Summary, SummaryValue } from '../../../domain/service-report.ts';
import type { Breakdown, SummaryKey } from '../../../domain/summary-keys.ts';
import type { Meaning } from './payment-tally.ts';

/** A figure under a mapped key. */
export interface NamedFigure {
  /** As a person reads it: `byOperator.Wave.amount`. */
  readonly name: string;
  readonly meaning: Meaning;
}

export interface KnownFigure extends NamedFigure {
  readonly stated: Decimal;
}

/** The figures of one measure of a breakdown. */
export interface FigureGroup {
  readonly key: SummaryKey & { readonly by: Breakdown };
  /** Figures by member, in lower case; a day is `YYYY-MM-DD`. */
  readonly known: Map<string, KnownFigure>;
  /** Members whose figure is no number. */
  readonly unreadable: Set<string>;
  /** All members that the breakdown lists, with a figure or without. */
  readonly listed: Set<string>;
  /** The breakdown has figures of an unknown member: so none can be said to be missing. */
  isPartlyNamed: boolean;
}

/** What was found in a summary. All names are in the order of the summary. */
export interface ReadSummary {
  readonly totals: KnownFigure[];
  readonly groups: FigureGroup[];
  /**
   * Figures that the summary has as `null` or empty, which is right where there is nothing to
   * state.
   */
  readonly unstated: NamedFigure[];
  readonly unreadable: Map<string, SummaryValue>;
  /** Rows of lists that name no member: `byOperator row 2`. */
  readonly unnamedRows: Set<string>;
  /** Days that are not written as a date: `byDay.10`. */
  readonly uninterpretedDays: Set<string>;
  /** Numbers under keys that are not mapped: `parPays.CI`, `operateurs[].montant`. */
  readonly unmapped: Set<string>;
}

export function readSummary(summary: Summary, keys: readonly SummaryKey[]): ReadSummary {
  const read: ReadSummary = {
    totals: [],
    groups: [],
    unstated: [],
    unreadable: new Map(),
    unnamedRows: new Set(),
    uninterpretedDays: new Set(),
    unmapped: unmappedIn(summary, keys),
  };
  for (const key of keys) {
    if (key.by === null) takeTotal(read, key, valueAt(summary, key.holder));
    else takeMembers(read, { ...key, by: key.by }, valueAt(summary, key.holder));
  }
  return read;
}

/**
 * Returns the paths of numbers that no key reaches, each once. Rows of a list are `[]`:
 * `operateurs[].montant`.
 */
export function unmappedIn(summary: Summary, keys: readonly SummaryKey[]): Set<string> {
  const unmapped = numbersIn(summary, []).filter((path) => !keys.some((key) => reaches(key, path)));
  return new Set(unmapped.map((path) => path.join('.').replaceAll('.[]', '[]')));
}

function numbersIn(value: SummaryValue, path: readonly string[]): readonly (readonly string[])[] {
  if (isList(value)) return value.flatMap((row) => numbersIn(row, [...path, '[]']));
  if (isObject(value))
    return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, [...path, key]));
  return asDecimal(value) === null ? [] : [path];
}

function reaches({ by, holder, naming, within }: SummaryKey, path: readonly string[]): boolean {
  if (!holder.every((part, i) => path[i] === part)) return false;
  const rest = path.slice(holder.length);
  if (by === null) return rest.length === 0 || rest[0] === '[]';
  const [member, ...inner] = rest;
  if (member === '[]' && inner.length === 1 && inner[0] === naming) return true;
  return (
    member !== undefined &&
    inner.length === within.length &&
    within.every((part, i) => inner[i] === part)
  );
}

function takeTotal(
  read: ReadSummary,
  { holder, measure, status }: SummaryKey,
  value: SummaryValue | undefined,
): void {
  if (value === undefined) return;
  const figure = { name: holder.join('.'), meaning: { ...WHOLE, measure, status } };
  const stated = asDecimal(value);
  if (stated !== null) read.totals.push({ ...figure, stated });
  else if (value === null || (isObject(value) && Object.keys(value).length === 0))
    read.unstated.push(figure);
  // Numbers inside an object have paths of their own.
  else if (!isObject(value)) read.unreadable.set(figure.name, value);
}

const WHOLE: Omit<Meaning, 'measure'> = { status: null, operator: null, country: null, day: null };

function takeMembers(
  read: ReadSummary,
  key: FigureGroup['key'],
  held: SummaryValue | undefined,
): void {
  if (held === undefined || !(isList(held) || isObject(held))) return;
  const group: FigureGroup = {
    key,
    known: new Map(),
    unreadable: new Set(),
    listed: new Set(),
    isPartlyNamed: false,
  };
  read.groups.push(group);
  const holder = key.holder.join('.');
  if (!isList(held)) {
    for (const [name, member] of Object.entries(held)) takeMember(read, group, { name, member });
    return;
  }
  for (const [index, member] of held.entries()) {
    const name = isObject(member) ? member[key.naming!] : null;
    if (typeof name === 'string' && name.trim() !== '') takeMember(read, group, { name, member });
    else {
      read.unnamedRows.add(`${holder} row ${index + 1}`);
      group.isPartlyNamed = true;
    }
  }
}

function takeMember(
  read: ReadSummary,
  group: FigureGroup,
  { name, member }: { readonly name: string; readonly member: SummaryValue },
): void {
  const { key, known, unreadable, listed } = group;
  const full = [...key.holder, name, ...key.within].join('.');
  const value = valueAt(member, key.within);
  const stated = asDecimal(value);
  const at = memberNamed(key.by, name);
  if (at === null) {
    if (key.by === 'day') read.uninterpretedDays.add([...key.holder, name].join('.'));
    else if (stated !== null) read.unmapped.add(full);
    group.isPartlyNamed = true;
    return;
  }
  listed.add(at);
  if (stated !== null) {
    // Names that differ in casing alone are one member.
    const before = known.get(at);
    const meaning = { ...WHOLE, measure: key.measure, [key.by]: at };
    known.set(
      at,
      before ? { ...before, stated: before.stated.plus(stated) } : { name: full, meaning, stated },
    );
  } else if (value !== undefined && value !== null && !isObject(value)) {
    unreadable.add(at);
    read.unreadable.set(full, value);
  }
}

/**
 * Returns the member as the tally names it. `null` for a day that is not a date, and for a status
 * that the document does not have.
 */
function memberNamed(by: Breakdown, name: string): string | null {
  if (by === 'day') return /^(\d{4}-\d{2}-\d{2})(?!\d)/.exec(name)?.[1] ?? null;
  if (by !== 'status') return name.toLowerCase();
  return PAYMENT_STATUSES.find((status) => status === name.toUpperCase()) ?? null;
}

function valueAt(value: SummaryValue, path: readonly string[]): SummaryValue | undefined {
  return path.reduce<SummaryValue | undefined>(
    (at, key) => (at !== undefined && isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  );
}

export function isObject(value: SummaryValue): value is Summary {
  return typeof value === 'object' && value !== null && !isList(value);
}
