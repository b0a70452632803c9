// Sorts the figures of a report's summary: those that can be held against payments, and those that cannot although their
// name is known, with the reason. A figure of another name is passed over: nothing is known of it.

import { asDecimal, type Decimal } from '../../domain/decimal.ts';
import type { Summary, SummaryValue } from '../../domain/service-report.ts';
import {
  type Breakdown,
  breakdownAt,
  dayNamed,
  isWrapper,
  type Meaning,
  type MemberPlace,
  meaningOf,
  memberOf,
} from './figure-meaning.ts';
import { partsOf, pathKey, type SummaryFigure, type SummaryHolder } from './summary-figures.ts';

/** A figure of which it is known what it counts. */
export interface NamedFigure {
  readonly name: string;
  readonly meaning: Meaning;
  readonly member: MemberPlace | null;
}

export interface KnownFigure extends NamedFigure {
  readonly stated: Decimal;
}

export interface ReadBreakdown {
  readonly name: string;
  readonly kind: Breakdown;
  /** Everyone it lists, whatever it states of them. */
  readonly members: Set<string>;
  /** Some of what it states is of a member that is not known: nobody can be said to be left out. */
  isPartlyNamed: boolean;
  /** Its figures of one measure each. */
  readonly groups: Map<string, FigureGroup>;
}

export interface FigureGroup {
  readonly known: KnownFigure[];
  /** Members of whom it has a figure, be it none that can be read. */
  readonly named: Set<string>;
}

/** By name, in the order of the summary. */
export interface ReadSummary {
  readonly known: KnownFigure[];
  /** Null: nothing stated, which is right where there is nothing to state. */
  readonly unstated: NamedFigure[];
  readonly unreadable: Map<string, SummaryValue>;
  /** `byOperator row 2`. */
  readonly unnamedRows: Set<string>;
  /** `byDay.10`. */
  readonly uninterpretedDays: Set<string>;
  readonly breakdowns: Map<string, ReadBreakdown>;
}

export function readSummary(summary: Summary): ReadSummary {
  const read: ReadSummary = {
    known: [],
    unstated: [],
    unreadable: new Map(),
    unnamedRows: new Set(),
    uninterpretedDays: new Set(),
    breakdowns: new Map(),
  };
  const { figures, holders } = partsOf(summary);
  for (const holder of holders) takeHolder(read, holder);
  for (const figure of figures.values()) {
    if (figure.row === null) takeFigure(read, figure);
    else takeUnnamed(read, figure);
  }
  return read;
}

function takeHolder({ breakdowns, unreadable, unstated }: ReadSummary, { name, path, value }: SummaryHolder): void {
  const kind = breakdownAt(path);
  if (kind !== null) {
    // Two names may differ in casing alone.
    if (isWords(value) || breakdowns.has(pathKey(path))) return;
    breakdowns.set(pathKey(path), { name, kind, members: new Set(), isPartlyNamed: false, groups: new Map() });
    return;
  }
  const member = memberOf(path);
  if (member?.measure.length === 0) breakdowns.get(pathKey(member.breakdown))!.members.add(member.member);
  const meaning = meaningOf(path);
  if (meaning === null || isWrapper(path)) return;
  // Objects in it would be figures of other names.
  if (!Array.isArray(value)) {
    if (member === null && Object.keys(value as object).length === 0) unstated.push({ name, meaning, member });
  } else if (value.every((one) => typeof one !== 'object' || one === null)) unreadable.set(name, value);
}

function takeFigure(read: ReadSummary, { name, path, value }: SummaryFigure): void {
  const meaning = meaningOf(path);
  if (meaning === null) return;
  const member = memberOf(path);
  const group = member === null ? null : groupOf(read, member);
  if (meaning.day !== null && dayNamed(meaning.day) === null) {
    const breakdown = read.breakdowns.get(pathKey(member!.breakdown))!;
    breakdown.isPartlyNamed = true;
    read.uninterpretedDays.add(`${breakdown.name}.${meaning.day}`);
    return;
  }
  group?.named.add(member!.member);
  const stated = asDecimal(value);
  if (value === null) read.unstated.push({ name, meaning, member });
  else if (stated === null) read.unreadable.set(name, value);
  else {
    const known = { name, meaning, member, stated };
    read.known.push(known);
    group?.known.push(known);
  }
}

function groupOf({ breakdowns }: ReadSummary, { breakdown, member, measure }: MemberPlace): FigureGroup {
  const { members, groups } = breakdowns.get(pathKey(breakdown))!;
  members.add(member);
  const key = pathKey(measure);
  const group = groups.get(key) ?? { known: [], named: new Set() };
  groups.set(key, group);
  return group;
}

/** `operators: ["wave", "orange"]`: a list of names states no figures. */
function isWords(value: SummaryValue): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && asDecimal(one) === null)
  );
}

function takeUnnamed({ breakdowns, unnamedRows }: ReadSummary, { row }: SummaryFigure): void {
  const breakdown = breakdowns.get(pathKey(row!.path));
  if (breakdown === undefined) return;
  unnamedRows.add(`${row!.list} row ${row!.number}`);
  breakdown.isPartlyNamed = true;
}
