// Two summaries of one month, key by key: the service's and ours. Says what differs and what only one of them has; it does
// not know what a key means, and never takes a key that nobody compared for one that agrees.

import { asDecimal, decimalText } from '../../domain/decimal.ts';
import type { Summary } from '../../domain/service-report.ts';
import { figuresOf, pathKey, type SummaryFigure, type SummaryScalar } from './summary-figures.ts';

export interface SummaryDifference {
  /** In the service's spelling where the service has it. */
  readonly key: string;
  /** Null: the service does not list this member of a breakdown that it gives. */
  readonly service: string | null;
  readonly ours: string | null;
  /** The service's less ours, its sign kept, as decimal text; null where one of them is not a number. */
  readonly difference: string | null;
}

export interface SummaryComparison {
  /** How many figures stand on both sides, a member that one side leaves out and the other counts included. */
  readonly compared: number;
  /** In the service's order, then what only we have. */
  readonly differences: readonly SummaryDifference[];
  readonly onlyInService: readonly string[];
  readonly onlyInOurs: readonly string[];
}

/** Numbers are equal by value however they are written (12500, "12500.00"); texts are equal as they stand. */
export function compareSummaries(service: Summary, ours: Summary): SummaryComparison {
  const [theirs, own] = [figuresOf(service), figuresOf(ours)];
  const [theirGroups, ownGroups] = [groupsOf(theirs), groupsOf(own)];
  const differences: SummaryDifference[] = [];
  const onlyInService: string[] = [];
  const onlyInOurs: string[] = [];
  let compared = 0;
  const compare = (name: string, values: { readonly service: SummaryScalar; readonly ours: SummaryScalar }): void => {
    compared += 1;
    if (!sameValue(values.service, values.ours)) differences.push(differenceOf(name, values));
  };
  for (const [key, figure] of theirs) {
    const match = own.get(key);
    if (match !== undefined) compare(figure.name, { service: figure.value, ours: match.value });
    else if (isLeftOut(figure, ownGroups)) compare(figure.name, { service: figure.value, ours: null });
    else onlyInService.push(figure.name);
  }
  for (const [key, figure] of own) {
    if (theirs.has(key)) continue;
    if (isLeftOut(figure, theirGroups)) compare(figure.name, { service: null, ours: figure.value });
    else onlyInOurs.push(figure.name);
  }
  return { compared, differences, onlyInService, onlyInOurs };
}

/**
 * `byOperator.*.amount` for each breakdown: the other side gives it too, so a member missing there counts as nothing. Where
 * a row has no name, it may be of any member, and none is known to be missing.
 */
function groupsOf(figures: ReadonlyMap<string, SummaryFigure>): ReadonlySet<string> {
  const groupsWhere = (isNamed: boolean) =>
    [...figures.values()].filter(({ isUnnamed }) => isUnnamed !== isNamed).flatMap(({ path }) => groupOf(path) ?? []);
  return new Set(groupsWhere(true)).difference(new Set(groupsWhere(false)));
}

function groupOf(path: readonly string[]): string | null {
  if (path.length >= 3) return pathKey([...path.slice(0, -2), '*', path.at(-1)!]);
  // Of two parts, only a breakdown has members: `control.x` is a field beside others.
  return path.length === 2 && path[0]!.startsWith('by') ? pathKey([path[0]!, '*']) : null;
}

function isLeftOut({ path, value, isUnnamed }: SummaryFigure, others: ReadonlySet<string>): boolean {
  const group = groupOf(path);
  return !isUnnamed && group !== null && others.has(group) && asDecimal(value) !== null;
}

/** Nothing stated is nothing counted: null equals 0. */
function sameValue(service: SummaryScalar, ours: SummaryScalar): boolean {
  const [a, b] = [asDecimal(service ?? 0), asDecimal(ours ?? 0)];
  return a !== null && b !== null ? a.equals(b) : service === ours;
}

function differenceOf(
  key: string,
  { service, ours }: { readonly service: SummaryScalar; readonly ours: SummaryScalar },
): SummaryDifference {
  const [a, b] = [asDecimal(service ?? 0), asDecimal(ours ?? 0)];
  const difference = a === null || b === null ? null : decimalText(a.minus(b));
  return { key, service: textOf(service), ours: textOf(ours), difference };
}

function textOf(value: SummaryScalar): string | null {
  if (value === null) return null;
  const decimal = asDecimal(value);
  return decimal === null ? String(value) : decimalText(decimal);
}
